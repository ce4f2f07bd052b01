import type { ParsedOutcome } from '../../src/outcome/outcome-file.js'
import {
  type History,
  type HistoryRun,
  nothingYet,
  withPart,
  type HistoryOutcome,
} from '../../src/outcome/outcome.js'
import { seriesOf } from '../../src/actions/history/history.js'
import { changePointsIn } from '../../src/comparison/change-points.js'
import { parseGates } from '../../src/language/language.js'
import { tryGates } from '../../src/actions/history/history.js'
import type { Report } from '../../src/report/report.js'
import { commitOf, pastReports } from '../../bench/corpora/past.js'

const limit = 1100

/**
 * Forty nights of a shop: a merge makes the search slower; a later one slows everything a little, which somebody
 * accepts.
 */
export function historied(): HistoryOutcome {
  return ofReports(pastOfShop())
}

/** The same nights, and what these gates would have come to in them. */
export async function tried(texts: readonly string[] = everyGate): Promise<HistoryOutcome> {
  const reports = pastOfShop()
  const outcome = ofReports(reports)
  if (!outcome.history) throw new Error('The example has no history.')
  const { gates } = parseGates(texts.join('\n'))
  const { signal } = new AbortController()
  const { runs } = outcome.history
  const past = reports.map((report, run) => {
    const { url: page = '', commit: name = '' } = runs[run] ?? {}
    return { report, verdict: 'passed', page, name }
  })
  const trial = await tryGates(gates, past, { baselineRuns: 5, slowdowns: [10, 50], signal })
  return outcomeWith({ ...outcome.history, trial })
}

/** With every result that a gate may come to. */
const everyGate = [
  'request "*" mean <= baseline + 10%',
  'requests p95 <= 800 ms',
  'warn: requests p95 <= 600 ms',
  'transactions error-rate <= 5%',
  'agents cpu <= 80%',
  'xpath(count(/testreport/errors/error)) <= 3',
]

function pastOfShop(): Report[] {
  const timers = { requests: 9, actions: 4, transactions: 2 }
  const slower = (run: number, timer: number) => (run >= 27 ? 1.25 : 1) * (run >= 12 && timer === 1 ? 1.6 : 1)
  const reports = pastReports({ runs: 40, timers, seed: 4, slower })
  // A night in which the search was not measured.
  const gap = reports[20]
  if (gap) gap.timers.requests.timers = gap.timers.requests.timers.filter((_, index) => index !== 1)
  return reports
}

function ofReports(reports: readonly Report[]): HistoryOutcome {
  const limits = [{ place: { kind: 'requests' as const }, metric: 'p95', limit }]
  const runs = reports.map((report): Pick<ParsedOutcome, 'report' | 'verdict' | 'limits'> => ({
    report,
    verdict: 'passed',
    limits,
  }))
  const series = seriesOf(runs)
  const about = reports.map(({ general }, run): HistoryRun => ({
    url: `https://github.com/shop/webshop/actions/runs/${1000 + run}`,
    commit: commitOf(run),
    verdict: run === 27 ? 'accepted' : run === 28 ? 'failed' : 'passed',
    startTime: new Date(general.startTime ?? 0).toISOString(),
    ...(run === 27 ? { acceptedBy: 'octocat' } : {}),
  }))
  return outcomeWith({ branch: 'main', runs: about, series, changePoints: changePointsIn(reports, series) })
}

export function noHistory(): HistoryOutcome {
  return outcomeWith({ branch: 'main', runs: [], series: [], changePoints: [] })
}

export function outcomeWith(history: History): HistoryOutcome {
  const step = {
    actionVersion: '1.0.0',
    repository: 'shop/webshop',
    workflowRunUrl: 'https://github.com/shop/webshop/actions/runs/1040',
    startedAt: '2026-10-11T03:00:00Z',
    seconds: 20,
  }
  return withPart(nothingYet('history', step), { verdict: 'passed', history })
}
