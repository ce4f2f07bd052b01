import { parseGates } from '../../src/gates/language/language.js'
import { judge } from '../../src/gates/gates.js'
import { nearlyAllFailed } from '../../src/gates/failed-transactions.js'
import { validityNotes } from '../../src/gates/notes.js'
import type { Report, Scorecard, Timer } from '../../src/report/report.js'
import { report, timer } from './example-report.js'
import { worded } from '../told.js'

const summary = (figures: Partial<Timer>) => ({ summary: timer('All', figures), timers: [] })
const run = (transactions: Report['timers']['transactions']) =>
  report({}, { transactions, requests: { timers: [timer('Order')] } })
const failing = (errors: number, count = 1000) => run(summary({ count, errors }))
const timers = (...all: [number, number][]) => ({
  timers: all.map(([count, errors], index) => timer(`T${index}`, { count, errors })),
})

test.each<[string, Report, string | undefined]>([
  ['none', failing(0), undefined],
  ['below 90%', failing(899), undefined],
  ['90%', failing(900), 'Nearly all transactions failed: 900 of 1,000.'],
  ['all', failing(1000), 'All transactions failed: 1,000 of 1,000.'],
  ['the only one', failing(1, 1), 'All transactions failed: 1 of 1.'],
  ['without transactions', run({ timers: [] }), undefined],
  ['with a count of 0', failing(0, 0), undefined],
  ['without a summary', run(timers([10, 10], [10, 8])), 'Nearly all transactions failed: 18 of 20.'],
  ['without a summary, below 90%', run(timers([10, 10], [10, 7])), undefined],
])('%s', (_, of, sentence) => {
  expect(nearlyAllFailed(of)).toBe(sentence)
})

const passed: Scorecard = { verdict: 'passed', rules: [] }

test.each<[string, string, Scorecard | undefined, string, boolean]>([
  ['nobody looks', '', undefined, 'invalid', false],
  ['a scorecard that passed', '', passed, 'passed', true],
  ['a gate for times', 'request "Order" p95 <= 1 s', undefined, 'passed', true],
  ['a gate for errors', 'transactions errors >= 0', undefined, 'passed', false],
  ['a gate that allows them', 'transactions error-rate <= 100 %', undefined, 'passed', false],
  ['the scorecard as a gate', 'scorecard passes', passed, 'passed', false],
])('if all transactions failed, and %s', async (_, text, scorecard, verdict, isNoted) => {
  const { gates } = parseGates(text)
  const about = { gates, ...(scorecard && { scorecard }) }
  const judged = worded(await judge({ report: failing(1000), ...about }))
  expect(judged.verdict).toBe(verdict)
  const isInvalid = verdict === 'invalid'
  expect(judged.reasons).toEqual(isInvalid ? ['All transactions failed: 1,000 of 1,000.'] : [])
  expect(judged.advice).toEqual(
    isInvalid ? [expect.stringContaining('such as: transactions error-rate <= 100%')] : [],
  )
  expect(validityNotes(failing(1000), about)).toEqual(
    isNoted
      ? ['All transactions failed: 1,000 of 1,000. No gate looks at that: add transactions error-rate <= 1%.']
      : [],
  )
  expect(validityNotes(failing(0), about)).toEqual([])
})
