import path from 'node:path'
import { existsSync, readdirSync } from 'node:fs'
import { baselineHint, baselineRuns, readBaselineSources, type BaselineSource } from '../baseline/source.js'
import { message } from '../errors.js'
import { compares, faultMessage, foregone, placeOf, type Gate } from '../language/gate.js'
import { parseGatesFile, parseGates } from '../language/language.js'
import { ruleOf } from '../figures/metrics.js'
import { didYouMean } from '../text/nearest.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { branchName } from '../text/attempt-name.js'
import { isFileOrFolder, nameIn, readRegularFile } from '../text/regular-file.js'
import type { InputReader } from './input-reader.js'
import type { Occasion } from './inputs.js'

/** Far more than needed for gates on every timer of a report. */
const mostGatesBytes = 1_000_000

/** No gate looks like that: it has a relation, and blanks. */
const fileOfGates = /^(?:[^"#<>=]+\.ya?ml|[^\s"#<>=()]*[./\\][^\s"#<>=()]*)$/i

/**
 * Reads `gates`: each line is a gate, or the path of a YAML file with gates. They are parsed before the first request: a
 * typo must not come up only after a paid run.
 */
export function readGates(read: InputReader, { checkXPath }: Occasion): Gate[] {
  const lines = read.raw('gates').split('\n')
  const fileIn = (line: string) => {
    const file = line
      .replace(/\s#.*$/, '')
      .trim()
      .replace(/^"(.*)"$/, '$1')
    return fileOfGates.test(file) ? file : undefined
  }
  const files = new Set(lines.flatMap((line) => fileIn(line) ?? []))
  // Blank lines take their places, so that faults name the right ones.
  const parsed = [
    parseGates(lines.map((line) => (fileIn(line) === undefined ? line : '')).join('\n'), checkXPath),
  ]
  for (const given of files) {
    const place = read.path('gates', given)
    if (place === undefined) continue
    const file = nameIn(read.workspace, place)
    try {
      const bytes = readRegularFile(place, mostGatesBytes)
      // A name with letters that were replaced would match no timer.
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
      parsed.push(parseGatesFile(text, file, checkXPath))
    } catch (error) {
      read.faults.gates.push(`gates names "${oneLine(file, 120)}", which ${whyUnread(place, error)}`)
    }
  }
  read.faults.gates.push(...parsed.flatMap(({ faults }) => faults).map(faultMessage))
  const gates = parsed.flatMap((one) => one.gates)
  for (const gate of gates) {
    if (gate.check.kind !== 'figure') continue
    const { metric, operator } = gate.check
    const { measure, higherIsBetter } = ruleOf(metric)
    const always = foregone(gate.check)
    const warn = (sentence: string) => tellOf(read, { ...gate, warn: true }, sentence)
    if (always === 'failed') tellOf(read, gate, 'No run can pass this gate. Correct its limit.')
    else if (always === 'passed')
      warn(
        'Every figure passes this gate. Write a limit that one can miss, unless it is to replace a built-in one.',
      )
    else if (operator.startsWith('>') && !higherIsBetter)
      warn('The gate passes when the figure is worse. Did you mean <=?')
    else if (operator === '=' && (measure === 'ms' || measure === 'rate'))
      warn(`Hardly any run has exactly this figure. Did you mean ${higherIsBetter ? '>=' : '<='}?`)
  }
  return gates
}

/** About a gate that can be read: a fault, or a warning if the gate only warns. */
export function tellOf(read: InputReader, gate: Gate, sentence: string): void {
  const told = `${placeOf(gate)}: ${sentence}`
  if (gate.warn) read.warnings.push(told)
  else read.faults.gates.push(told)
}

function whyUnread(place: string, error: unknown): string {
  if (existsSync(place)) return `could not be read: ${message(error)}. Name a YAML file with gates.`
  const folder = path.dirname(place)
  const others = existsSync(folder) ? readdirSync(folder) : []
  const hint = path.basename(place).includes('\\')
    ? 'Write / in its path.'
    : (didYouMean(path.basename(place), others) ?? 'Put it there in an earlier step.')
  return `does not exist in the workspace. ${hint}`
}

export function readJudging(read: InputReader, occasion: Occasion) {
  const gates = readGates(read, occasion)
  // A paid run could only show that there is nothing to compare with.
  const uncompared = read.text('baseline') === '' ? gates.filter(compares) : []
  const sentence =
    'The gate compares with the baseline, but the input baseline is empty. Write baseline: artifact, or a fixed limit.'
  for (const gate of uncompared) tellOf(read, gate, sentence)
  const baseline = readBaseline(read)
  // The label that accepts failed gates.
  const accept = read.text('accept') || undefined
  // A list, too: a label is one line, without commas.
  if (accept !== undefined && /^(?:true|false|yes|no|on|off|none|never)$|^[["']|[,\r\n]/i.test(accept))
    read.fault(
      `accept is "${oneLine(accept, 60)}": write the name of one label, such as accepted-regression, or leave it empty.`,
    )
  return { gates, ...defined({ baseline, accept }), ...readPlace(read, occasion.env.GITHUB_JOB) }
}

export function readCommenting(read: InputReader) {
  const pullRequest = read.optionalNumber('pull-request')
  return {
    comment: read.choice('comment', ['auto', 'always', 'never']),
    // The name as it was given, which the comment belongs to; absent = the comment is this step's own.
    ...defined({ commentKey: read.text('name') || undefined, pullRequest }),
    status: read.flag('status'),
    ...readShared(read),
  }
}

/** What every action reads. */
export function readShared(read: InputReader) {
  return {
    // The names of the step's artifacts begin with it; also the name of its status.
    name: read.artifactName('name', 'load-test'),
    // 0 = the repository's setting.
    retentionDays: read.whole('retention-days', 0, 400),
    githubToken: read.text('github-token'),
    failOn: read.choice('fail-on', ['failed', 'error', 'never']),
  }
}

function readBaseline(read: InputReader): BaselineSource[] | undefined {
  const earlier = readEarlierRuns(read)
  const sources = readBaselineSources(read.text('baseline'), earlier, (text) => read.path('baseline', text))
  if ('fault' in sources) {
    read.fault(sources.fault)
    return undefined
  }
  for (const name of ['branch', 'workflow'] as const) {
    if (earlier[name] === undefined || sources.some(({ kind }) => kind === 'artifact')) continue
    read.fault(`baseline-${name} has no effect without baseline: artifact. Remove it, or write that.`)
  }
  for (const source of sources) {
    if (source.kind !== 'path' || isFileOrFolder(source.path)) continue
    const given = nameIn(read.workspace, source.path)
    read.fault(
      `baseline is "${oneLine(given, 120)}", but there is no such file or folder in the workspace. ${baselineHint(given)}`,
    )
  }
  return sources.length > 0 ? sources : undefined
}

function readEarlierRuns(read: InputReader) {
  const branch = branchName(read.text('baseline-branch')) || undefined
  // Its path says no more: GitHub runs workflows of one folder only.
  const workflow = read.text('baseline-workflow').replace(/^\.github\/workflows\//, '') || undefined
  if (workflow !== undefined && !/^[^/\\]+\.ya?ml$/.test(workflow))
    read.fault(
      `baseline-workflow is "${oneLine(workflow, 60)}": write the name of the workflow's file, such as load-test.yml.`,
    )
  return { runs: baselineRuns, ...defined({ branch, workflow }) }
}

/** Reports a baseline that only the service has. */
export function checkServiceless(read: InputReader, baseline: readonly BaselineSource[] = []): void {
  for (const source of baseline) {
    if (source.kind !== 'load-test') continue
    read.fault(
      `baseline: load-test:${source.number} needs the service, which this action does not use: write artifact, or a path.`,
    )
  }
}

/** Where `matrix-leg`, which comes from the runner, says nothing, the place is unknown. @param job its id in the workflow */
function readPlace(read: InputReader, job: string | undefined) {
  const [, index, total] = /^(\d{1,3}) of (\d{1,3})$/.exec(read.text('matrix-leg')) ?? []
  if (job === undefined || index === undefined || total === undefined) return {}
  return { place: { job, index: Number(index), total: Number(total) } }
}
