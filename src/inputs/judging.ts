import path from 'node:path'
import { readBaselineSource, sourcesIn } from '../baseline/source.js'
import { message } from '../errors.js'
import { faultMessage } from '../gates/fault.js'
import type { Gate } from '../gates/gate.js'
import { parseGatesFile } from '../gates/gates-file.js'
import { parseGates } from '../gates/grammar.js'
import type { CheckXPath } from '../gates/xpath-check.js'
import { defined } from '../text/fields.js'
import { isFileOrFolder, readRegularFile } from '../text/regular-file.js'
import type { InputReader } from './input-reader.js'
import type { Inputs } from './inputs.js'
import type { Mode } from './modes.js'

/** Far more than needed for gates on every timer of a report. */
const mostGatesBytes = 1_000_000

/** Gates are parsed before the first request: a typo must not come up only after a paid run. */
export function readGates(
  read: InputReader,
  workspace: string,
  checkXPath?: CheckXPath,
): { gates: Gate[]; faults: string[] } {
  const options = defined({ checkXPath })
  const parsed = [parseGates(read.raw('gates'), options)]
  const unreadable: string[] = []
  const file = read.text('gates-file')
  if (file !== '') {
    try {
      const text = readRegularFile(path.resolve(workspace, file), mostGatesBytes).toString('utf8')
      parsed.push(parseGatesFile(text, file, options))
    } catch (error) {
      unreadable.push(`gates-file could not be read: ${message(error)}`)
    }
  }
  return {
    gates: parsed.flatMap(({ gates }) => gates),
    faults: [...unreadable, ...parsed.flatMap(({ faults }) => faults).map(faultMessage)],
  }
}

/** Reads `baseline`, `baseline-runs` and `confirm`. */
export function readBaseline(
  read: InputReader,
  mode: Mode,
  workspace: string,
): Pick<Inputs, 'baseline' | 'confirm'> {
  const runs = read.whole('baseline-runs', 1, 20)
  const baseline = readBaselineSource(read.text('baseline'), runs, (text) => path.resolve(workspace, text))
  if (baseline && 'fault' in baseline) read.fault(baseline.fault)
  for (const source of baseline && 'kind' in baseline ? sourcesIn(baseline) : []) {
    if (source.kind === 'load-test' && mode === 'judge') {
      read.fault(
        `baseline: load-test:${source.number} needs the service, which mode judge does not use: write artifact, or a path.`,
      )
    }
    if (source.kind !== 'path' || isFileOrFolder(source.path)) continue
    const given = path.relative(workspace, source.path)
    read.fault(
      `baseline is not a file or folder in the workspace: ${given}. Put it there in an earlier step.`,
    )
  }
  const confirm = read.whole('confirm', 0, 1) === 1
  if (confirm && mode !== 'run' && mode !== 'check')
    read.fault('confirm: 1 needs mode: run, in which the step can start a second run.')
  if (confirm && !baseline)
    read.fault('confirm: 1 needs a baseline: only gates that compare are judged twice.')
  return { confirm, ...(baseline && !('fault' in baseline) ? { baseline } : {}) }
}
