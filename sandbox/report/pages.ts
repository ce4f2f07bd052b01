import { chartSvg, errorCount, meanTime, overTime, perSecond } from './chart.js'
import { engine } from './configuration.js'
import { errorGroups } from './error-elements.js'
import { kinds, type Figures, type Kind, type TimerFigures } from './figures.js'
import { htmlPage, htmlTable, styleSheet, textWithBreaks, type Cell, type PageLink } from './page.js'
import type { Scorecard } from './scorecard.js'
import { reportTime, type SimulatedRun } from './simulated-run.js'
import { decimal, errorPercentage } from './timer-element.js'
import { escaped } from './xml.js'

const timerPages: Record<Kind, PageLink> = {
  transactions: { file: 'transactions.html', title: 'Transactions' },
  actions: { file: 'actions.html', title: 'Actions' },
  requests: { file: 'requests.html', title: 'Requests' },
  pageLoadTimings: { file: 'page-load-timings.html', title: 'Page Load Timings' },
  customTimers: { file: 'custom-timers.html', title: 'Custom Timers' },
}

/** The report for people: file names within the report's folder and their content. */
export function reportPages(run: SimulatedRun, figures: Figures, scorecard?: Scorecard): Map<string, string> {
  const pages: { link: PageLink; body: string }[] = [
    { link: { file: 'index.html', title: 'Overview' }, body: overview(run, figures, scorecard) },
    ...kinds.map((kind) => ({ link: timerPages[kind], body: timerTable(figures, kind) })),
    { link: { file: 'web-vitals.html', title: 'Web Vitals' }, body: vitalsTable(figures) },
    { link: { file: 'errors.html', title: 'Errors' }, body: errorsTable(figures) },
    { link: { file: 'agents.html', title: 'Agents' }, body: agentsTable(figures) },
  ]
  if (scorecard) {
    pages.push({ link: { file: 'scorecard.html', title: 'Scorecard' }, body: scorecardTable(scorecard) })
  }
  const links = pages.map((page) => page.link)
  const files = new Map<string, string>([['css/report.css', styleSheet]])
  for (const [name, svg] of charts(run, figures)) files.set(`charts/${name}`, svg)
  for (const { link, body } of pages) files.set(link.file, htmlPage(run, links, link, body))
  return files
}

function charts(run: SimulatedRun, { traffic }: Figures): [string, string][] {
  const { requests, transactions } = traffic
  return [
    ['requests.svg', chartSvg('Requests', 'per second', overTime(requests, run, perSecond), run)],
    ['response-times.svg', chartSvg('Mean time of requests', 'ms', overTime(requests, run, meanTime), run)],
    ['errors.svg', chartSvg('Failed transactions', 'count', overTime(transactions, run, errorCount), run)],
  ]
}

function overview(run: SimulatedRun, figures: Figures, scorecard?: Scorecard): string {
  const facts: Cell[][] = [
    ['Load test', run.number],
    ...(run.projectName === undefined ? [] : [['Project', run.projectName]]),
    ['Start', reportTime(run.startTime)],
    ['End', reportTime(run.endTime)],
    ['Duration', `${figures.duration} s`],
    ['Engine', `${engine(run).productName} ${engine(run).version}`],
    ...(scorecard ? [['Scorecard', scorecardVerdict(scorecard)]] : []),
  ]
  return `    <p class="description">${textWithBreaks(run.description).html}</p>
${htmlTable(['General', ''], facts)}
    <h3>Summary</h3>
${htmlTable(
  timerHead,
  kinds.map((kind) => timerRow(figures.kinds[kind].summary, figures.duration)),
)}
    <h3>Over time</h3>
${['requests', 'response-times', 'errors'].map((name) => `    <p><img src="charts/${name}.svg" alt="Chart: ${name} over the time of the run"></p>`).join('\n')}`
}

// prettier-ignore
const timerHead = [
  'Name', 'Count', 'Errors', 'Errors [%]', 'Per second', 'Min', 'Median', 'Mean', 'P95', 'P99', 'P99.9', 'Max', 'Apdex',
]

function timerRow(timer: TimerFigures, duration: number): Cell[] {
  const { name, errors, times, apdex } = timer
  const percentile = (rank: string) => times.percentiles[rank] ?? ''
  return [
    name,
    times.count,
    errors,
    decimal(errorPercentage(timer)),
    decimal(times.count / duration),
    times.min,
    times.median,
    decimal(times.mean),
    percentile('p95'),
    percentile('p99'),
    percentile('p99.9'),
    times.max,
    apdex === undefined ? '' : apdex.toFixed(2),
  ]
}

function timerTable({ kinds: all, duration }: Figures, kind: Kind): string {
  const { summary, timers } = all[kind]
  const rows = timers.length === 0 ? [] : [...timers, summary]
  return `    <p>Times in milliseconds.</p>
${htmlTable(
  timerHead,
  rows.map((timer) => timerRow(timer, duration)),
)}`
}

function vitalsTable({ vitals }: Figures): string {
  const names = ['cls', 'fcp', 'fid', 'inp', 'lcp', 'ttfb'] as const
  const rows = vitals.map((page) => [
    page.name,
    ...names.map((name) => `${page.vitals[name].score} (${page.vitals[name].rating})`),
  ])
  return htmlTable(['Page', ...names.map((name) => name.toUpperCase())], rows)
}

function errorsTable({ traffic }: Figures): string {
  const rows = errorGroups(traffic.failures).map((group) => [
    { html: `<pre>${escaped(group.trace)}</pre>` },
    group.count,
    group.transaction,
    group.action,
  ])
  return htmlTable(['Error', 'Count', 'Transaction', 'Action'], rows)
}

function agentsTable({ agents, agentSummary }: Figures): string {
  const rows = [...agents, agentSummary].map((agent) => [
    agent.name,
    agent.transactions,
    agent.transactionErrors,
    decimal(agent.totalCpuUsage.mean),
    decimal(agent.totalCpuUsage.max),
    decimal(agent.cpuUsage.mean),
  ])
  return htmlTable(
    ['Agent', 'Transactions', 'Errors', 'CPU mean [%]', 'CPU max [%]', 'Own CPU mean [%]'],
    rows,
  )
}

function scorecardTable(scorecard: Scorecard): string {
  const rows = scorecard.groups.flatMap((group) =>
    group.rules.map((rule) => [
      rule.name,
      group.name,
      rule.value ?? '',
      rule.condition,
      rule.result,
      rule.message,
    ]),
  )
  return `    <p>Verdict: <strong>${scorecardVerdict(scorecard)}</strong></p>
${scorecard.error === undefined ? '' : `    <p>${escaped(scorecard.error)}</p>\n`}${htmlTable(['Rule', 'Group', 'Value', 'Condition', 'Result', 'Message'], rows)}`
}

function scorecardVerdict({ error, testFailed, points, totalPoints }: Scorecard): string {
  if (error !== undefined) return 'Error'
  return `${testFailed ? 'Failed' : 'Passed'} with ${points} of ${totalPoints} points`
}
