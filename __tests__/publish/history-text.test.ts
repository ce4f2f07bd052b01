import { renderHistory } from '../../src/publish/history-page.js'
import { headline } from '../../src/publish/headline.js'
import { renderSummary } from '../../src/publish/summary.js'
import type { Outcome } from '../../src/outcome.js'
import { validateOutcome } from '../outcome-validator.js'
import { historied, noHistory, outcomeWith } from './historied.js'
import { hostileNames } from './outcomes.js'

function pageOf(outcome: Outcome): string {
  if (!outcome.history) throw new Error('There is no history.')
  return renderHistory(outcome, outcome.history).replaceAll('\u00a0', ' ')
}
const summaryOf = (outcome: Outcome) => renderSummary(outcome).replaceAll('\u00a0', ' ')

const outcome = historied()
const page = pageOf(outcome)

test('the outcome conforms to its schema', () => {
  expect(validateOutcome(JSON.parse(JSON.stringify(outcome)))).toEqual([])
  expect(validateOutcome(JSON.parse(JSON.stringify(noHistory())))).toEqual([])
})

test('the page has key figures, steps, timers and runs, with commits that link to GitHub', () => {
  expect(headline(outcome)).toMatch(/^History of main: 40 runs, 2 with a step$/)
  for (const title of ['Key figures', 'Steps', 'Timers', 'Runs']) expect(page).toContain(`<h2>${title}</h2>`)
  expect(page).toMatch(/Requests p95<b>\d+ ms<\/b>/)
  expect(page).toContain('limit 800 ms')
  const step = outcome.history?.steps[0]
  const commit = outcome.history?.runs[step?.run ?? 0]?.commit ?? ''
  expect(page).toContain(`href="https://github.com/shop/webshop/commit/${commit}"`)
  expect(page).toContain('href="https://github.com/shop/webshop/actions/runs/1039"')
  expect(page).toContain('accepted by octocat')
  expect(page.match(/<li class="timer">/g)).toHaveLength(15)
})

test('a run that did not measure a timer is a gap in its line', () => {
  const of = (name: string) =>
    page
      .split('<li class="timer">')
      .slice(1)
      .find((part) => part.includes(name)) ?? ''
  const lines = (part: string) => / class="line" d="([^"]*)"/.exec(part)?.[1]?.match(/M/g)?.length
  expect([lines(of('Search.2<')), lines(of('Cart.5<'))]).toEqual([2, 1])
  expect(of('Search.2<')).toContain('in 39 of 40 runs')
})

test('the summary has the latest runs and steps, and a chart that GitHub renders', () => {
  const summary = summaryOf(outcome)
  expect(summary).toContain('### Steps')
  expect(summary).toContain('### The latest 10 of 40 runs')
  expect(summary).toMatch(/xychart-beta\n {4}title "Requests p95"/)
  // Its colour can be seen on white and on black.
  expect(summary).toContain('"plotColorPalette":"#1f6feb"')
  expect(summary).toContain('| Figure | Change (before → after) | From this run on |')
  expect(summary).toContain(
    '| Run, commit | Verdict | Requests p95 | Requests error rate | Requests throughput |',
  )
  expect(summary).toMatch(/\| \[2026\u201109\u201128 02&#58;17 UTC\]/)
  expect(summary).toContain('actions/runs/1039>)')
})

test('without runs, page and summary say so', () => {
  for (const text of [pageOf(noHistory()), summaryOf(noHistory())]) {
    expect(text).toContain('There is no history of main yet')
    expect(text).toContain('No run of this workflow on main has an outcome with figures.')
  }
})

test('names from a report stay plain text', () => {
  const values = [100, null, 120]
  const series = hostileNames.map((name) => ({ kind: 'requests' as const, name, metric: 'p95', values }))
  const steps = series.map((one) => ({ ...one, run: 2, before: 100, after: 120 }))
  const runs = hostileNames.slice(0, 3).map((text) => ({
    ...{ url: `javascript:${text}`, commit: text, verdict: text, startTime: text, acceptedBy: text },
  }))
  const hostile = outcomeWith({
    branch: hostileNames.join(' '),
    runs,
    series: [{ kind: 'requests', metric: 'p95', values }, ...series],
    steps: steps.map(({ kind, name, metric, run, before, after }) => ({
      kind,
      name,
      metric,
      run,
      before,
      after,
    })),
  })
  const html = pageOf(hostile)
  expect(html.match(/<script>/g)).toHaveLength(1)
  expect(html.match(/<h1>/g)).toHaveLength(1)
  expect(html).not.toMatch(/<img|<b>x|javascript:[^"]*" rel|\u202e|\ud800/)
  expect(html).not.toMatch(/href="javascript/)
  expect(summaryOf(hostile)).not.toMatch(/<img|<script|^::|javascript:alert\(1\)\)$/m)
})
