import { isOutput } from '../runner.js'
import { defined } from '../text/fields.js'
import { timerWords } from '../figures/figures.js'
import { actionMetrics, timerMetrics } from '../figures/metrics.js'
import { resultCount } from '../gates/result.js'
import type { CodeArchive, LoadTestOutcome, Outcome } from '../outcome/outcome.js'
import { headline } from './words/words.js'
import { timerKinds } from '../report/report.js'
import { logLine, oneLine } from '../text/foreign-text.js'
import { openFirst } from './words/verdict-words.js'
import { busiestCpu, percentilesOf, summaryRow } from './words/timer-rows.js'

/** The outputs of action.yml, those in JSON made to fit; what is unknown is left out. */
export function outputsOf(
  outcome: Outcome,
  outcomePath: string | undefined,
): Record<string, string | number> {
  const { verdict } = outcome
  const texts = { verdict, headline: headline(outcome), ...textsOf(outcome), outcome: outcomePath }
  const short = Object.entries(texts).filter(([, text]) => isOutput(text))
  const all = [...short, ...Object.entries(jsonOf(outcome))]
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

function textsOf(outcome: Outcome): Readonly<Record<string, string | number | undefined>> {
  switch (outcome.kind) {
    case 'load-test':
      return textsOfRun(outcome)
    case 'history':
      return { 'history-path': outcome.historyPage?.path }
    case 'merge':
      return { 'digest-url': outcome.digest?.url }
    default:
      return 'archive' in outcome ? archiveTexts(outcome.archive) : {}
  }
}

function textsOfRun({ run, report, digest, archive, figures }: LoadTestOutcome) {
  return {
    'run-number': run?.number,
    'run-url': run?.url,
    state: run && oneLine(logLine(run.state), 100),
    'report-number': report?.number,
    'report-path': report?.path,
    'report-artifact-id': report?.artifact?.id,
    'report-artifact-url': report?.artifact?.url,
    'digest-url': digest?.url,
    ...archiveTexts(archive),
    'duration-seconds': run?.durationSeconds ?? figures?.general.duration,
  }
}

function archiveTexts(archive: CodeArchive | undefined) {
  return { 'archive-id': archive?.id, 'archive-sha512': archive?.sha512 }
}

function jsonOf(outcome: Outcome): Readonly<Record<string, string | undefined>> {
  if (outcome.kind === 'load-test') {
    return { gates: gatesJson(outcome), metrics: metricsJson(outcome), acceptance: acceptanceJson(outcome) }
  }
  // A workflow may parse what the action at the root has, whatever its mode.
  return outcome.kind === 'check' ? { gates: '[]', metrics: '{}' } : {}
}

/** All outputs of a job may have 1 MiB; an environment variable takes less. */
const gatesLimit = 100_000
/** The engine's reports have at most a few. */
const mostPercentiles = 50

/**
 * Output `gates`: the gate results as a JSON array, those that did not pass first. Past 100,000 characters the last
 * element is `{"omitted": number}`; the outcome file has them all.
 */
function gatesJson({ gates }: LoadTestOutcome): string {
  const ordered = openFirst(gates)
  const kept: string[] = []
  let size = 40
  for (const [at, gate] of ordered.entries()) {
    const text = inertJson(gate)
    size += text.length + 1
    if (size > gatesLimit) return `[${[...kept, `{"omitted":${resultCount(ordered.slice(at))}}`].join(',')}]`
    kept.push(text)
  }
  return `[${kept.join(',')}]`
}

/**
 * Output `metrics`: the key figures, named as in the gate language:
 * `{"requests":{"count":…,"p95":…},…,"agents":{"cpu":…},"baseline":{"requests":{…}}}`. Times are milliseconds, rates
 * and CPU percent, throughput per second; what is not known is absent.
 */
function metricsJson(outcome: LoadTestOutcome): string {
  const cpu = busiestCpu(outcome)
  const duration = outcome.run?.durationSeconds ?? outcome.figures?.general.duration
  const baseline = kindFigures(outcome, 'baseline')
  return inertJson({
    ...defined({ 'duration-seconds': duration }),
    ...kindFigures(outcome, 'value'),
    ...defined({
      agents: cpu === undefined ? undefined : { cpu },
      baseline: Object.keys(baseline).length === 0 ? undefined : baseline,
    }),
  })
}

function kindFigures(
  outcome: LoadTestOutcome,
  which: 'value' | 'baseline',
): Record<string, Record<string, number>> {
  const kinds = timerKinds.flatMap((kind): [string, Record<string, number>][] => {
    const row = summaryRow(outcome, kind)
    if (!row) return []
    const percentiles = percentilesOf(outcome, kind).slice(0, mostPercentiles)
    const figures = [...timerMetrics, ...percentiles, ...actionMetrics].flatMap(
      (metric): [string, number][] => {
        const figure = row.figure(metric)[which]
        return figure === undefined ? [] : [[metric, figure]]
      },
    )
    return figures.length === 0 ? [] : [[timerWords[kind].summary, Object.fromEntries(figures)]]
  })
  return Object.fromEntries(kinds)
}

/**
 * Output `acceptance`, with the verdict `accepted`: who accepted the gates that failed, when and for which commit. Each
 * text has at most 300 characters.
 */
function acceptanceJson({ verdict, acceptance }: LoadTestOutcome): string | undefined {
  if (verdict !== 'accepted' || !acceptance) return undefined
  const facts = Object.entries(acceptance).map(([name, text]) => [name, oneLine(text, 300)])
  return inertJson(Object.fromEntries(facts))
}

// Workflows paste outputs into scripts and logs: nothing in a name may end a string of the shell, issue a command of
// the runner or hide. In JSON strings, every character may be written as its number.
function inertJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[<>&'`$!%;]|[^ -~]/g, escaped)
    .replace(/:(?=:)|#(?=#)/g, escaped)
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
