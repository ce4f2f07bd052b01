import { documents } from '../../src/publish/words/facts.js'
import { renderComment } from '../../src/publish/markdown/comment.js'
import { headline } from '../../src/publish/words/words.js'
import { whatToDo } from '../../src/publish/words/what-to-do.js'
import { defined } from '../../src/text/fields.js'
import { reasonsAbout } from '../../src/text/reason.js'
import type { Outcome } from '../../src/outcome/outcome.js'
import { historied, noHistory } from './historied.js'
import {
  checked,
  compare,
  comparison,
  cutShort,
  error,
  gate,
  green,
  invalid,
  leg,
  merged,
  missingLeg,
  regression,
  report,
  started,
  timedOut,
  withoutBaseline,
} from './outcomes.js'
import { existsSync, readFileSync } from 'node:fs'

const failed = regression()
const shop = historied()
const linksOf = (outcome: Outcome) => whatToDo(outcome).flatMap(({ links }) => links)
const linkOf = (outcome: Outcome, name: string) => linksOf(outcome).find(({ text }) => text === name)?.href
const textsOf = (outcome: Outcome) => whatToDo(outcome).map(({ text }) => text)

/** With the commit of the baseline, or without one. */
function comparedWith(commit: string | undefined): Outcome {
  const { comparison } = regression()
  if (!comparison) throw new Error('It compares with nothing.')
  const { commit: _, ...baseline } = comparison.baseline
  return { ...failed, comparison: { ...comparison, baseline: { ...baseline, ...defined({ commit }) } } }
}

test('gates that failed: the commits between, the page of the report, how to accept it, how to run it again', () => {
  expect(textsOf(failed)).toEqual([
    'To rule out the load generators, set more or larger ones for the load test on the service, or ask whoever runs it there. Then run it again.',
    'Look for the cause in what has changed since the baseline.',
    'Begin with "Checkout.PlaceOrder" (p95 890 → 1,240 ms).',
    'If this is intended, a label on the pull request can accept it.',
  ])
  expect(linksOf(failed).map(({ text }) => text)).toEqual([
    ...['Workflow run', 'Code changes', 'Full report', 'How to accept it'],
  ])
  const compared = comparedWith('def5678')
  const changes = `https://github.com/shop/shop/compare/def5678...${failed.step.commit}`
  expect(linkOf(compared, 'Code changes')).toBe(changes)
  expect(renderComment(compared, 'load-test')).toContain(`since the baseline. [Code changes](<${changes}>)\n`)
})

test('credentials that were refused: where secrets are, and not where another fault has the same words', () => {
  const refused = error()
  const step = refused.reasons.map((reason) => ({ ...reason, about: 'step' as const }))
  expect(linkOf(refused, 'Secrets of the repository')).toBe(
    'https://github.com/shop/shop/settings/secrets/actions',
  )
  expect(linkOf({ ...refused, reasons: step }, 'Secrets of the repository')).toBeUndefined()
})

test('a reader begins with what failed gates name, by their metric, if that got slower', () => {
  const named = (name: string, metric: string, baseline: number) => {
    const outcome = regression()
    compare(outcome, { name, metric }, { baseline, value: 300, change: 'worse' })
    const gates = [
      gate(1, 'g', { subject: `request "${name}"`, metric, value: 300, limit: 200, result: 'failed' }),
    ]
    return textsOf({ ...outcome, gates })[2]
  }
  expect(named('Homepage', 'mean', 299)).toBe('Begin with "Homepage" (mean 299 → 300 ms).')
  expect(named('Homepage', 'mean', 300)).toBe('Begin with "Checkout.PlaceOrder" (p95 890 → 1,240 ms).')
})

test('what the run itself advises replaces the general advice', () => {
  const advice = 'To accept the failed gates, set the label "slower" on pull request 12.'
  const texts = textsOf({ ...failed, advice: [advice] })
  expect(texts).toContain(advice)
  expect(texts.join()).not.toContain('on purpose')
})

test.each([
  [80.1, 1.3, 'overloaded', true],
  [80, 1.3, 'busy while all is slower by one factor', true],
  [50, 1.3, 'idle', false],
  [80, 1.7, 'busy while the factors differ', false],
])('a load generator with %d% CPU, one time being %d times as long: %s', (cpu, factor, _, isDoubtful) => {
  const requests = [1.3, 1.3, factor].map((one, i): [string, number, number] => [`R${i}`, 1000 * one, 1000])
  const figures = { ...report(requests), agents: [{ name: 'a', totalMean: cpu }] }
  const texts = textsOf({ ...failed, figures, comparison: comparison(requests) })
  const at = texts.findIndex((text) => text.startsWith('To rule out the load generator'))
  expect(at).toBe(isDoubtful ? 0 : -1)
  expect(texts.filter((text) => text.startsWith('If in doubt'))).toHaveLength(isDoubtful ? 0 : 1)
})

test('a reader begins with the timer that the title names, although another costs more', () => {
  const of = (name: string, value: number, limit: number, baseline: number) =>
    gate(1, name, { subject: `request "${name}"`, value, limit, baseline, result: 'failed' })
  const gates = [of('Checkout.PlaceOrder', 1240, 1200, 890), of('ProductDetail.Reviews', 540, 400, 395)]
  expect(headline({ ...failed, gates })).toContain(': ProductDetail.Reviews 37% slower')
  expect(textsOf({ ...failed, gates }).join()).toContain('Begin with "ProductDetail.Reviews"')
})

test('a load generator answers for no errors', () => {
  const gates = [gate(1, 'g', { metric: 'error-rate', unit: '%', value: 2, limit: 1, result: 'failed' })]
  expect(textsOf({ ...failed, gates }).join()).not.toContain('To rule out')
})

test('without a pull request nothing can be accepted, and another mode does not run it again', () => {
  const { pullRequest: _, ...step } = failed.step
  const texts = textsOf({ ...failed, mode: 'judge', step })
  expect(texts).toHaveLength(3)
  expect(texts.join()).not.toContain('re-run')
})

test('there is no link to changes if the commit is the same', () => {
  const again = comparedWith(failed.step.commit)
  expect(linkOf(again, 'Code changes')).toBeUndefined()
  expect(textsOf(again)[1]).toContain('The commit is that of the baseline')
})

test.each([undefined, '../../evil', 'main'])('a baseline of %s has no link to changes', (commit) => {
  expect(linkOf(comparedWith(commit), 'Code changes')).toBeUndefined()
})

test('for a gate with a fixed limit, the advice names the report', () => {
  const gates = failed.gates.filter(({ baseline }) => baseline === undefined)
  expect(textsOf({ ...failed, gates })[1]).toContain('in the report')
  expect(linkOf({ ...failed, gates }, 'Full report')).toBe(failed.report?.artifact?.url)
})

test.each([
  ['run', ['Full report']],
  ['judge', []],
] as const)('a gate that was not measured, in mode %s: correct it', (mode, links) => {
  const outcome = { ...invalid(), mode }
  expect(textsOf(outcome)[0]).toMatch(
    /^Did you mean "Checkout.Payment"\? Correct the gate in line 2 of the input "gates" in the workflow file\. Then push that: a re-run/,
  )
  const inFile = { ...outcome, gates: outcome.gates.map((one) => ({ ...one, file: 'gates.yml' })) }
  expect(textsOf(inFile)[0]).toContain(' in line 2 of gates.yml. ')
  const unnamed = { ...outcome, gates: outcome.gates.map(({ hint: _, ...one }) => one) }
  expect(textsOf(unnamed)[0]).toMatch(/^Correct the gate, or let the load test measure what it is about\. /)
  const measured = { ...outcome, gates: outcome.gates.map((one) => ({ ...one, value: 3 })) }
  expect(textsOf(measured)).toEqual([
    expect.stringMatching(/^Give the load test the load and length of its baseline/),
  ])
  expect(linksOf(outcome).map(({ text }) => text)).toEqual(links)
  expect(textsOf({ ...outcome, advice: ['Do this.'] })).toEqual(['Do this.'])
  expect(textsOf({ ...outcome, gates: [] })).toEqual([])
})

test('a run that was cut short leads to where its log is, other advice of no verdict to the job to run again', () => {
  const page = cutShort().run?.url
  expect(whatToDo(cutShort()).map(({ links }) => links.map(({ href }) => href))).toEqual([[page]])
  expect(linksOf({ ...cutShort(), advice: ['One.', 'Two.'] })).toHaveLength(1)
  expect(linksOf(withoutBaseline()).map(({ text }) => text)).toEqual(['Workflow run'])
  expect(linksOf({ ...cutShort(), verdict: 'error' })).toEqual([])
})

test('what a run that broke off did not call was not removed on purpose', () => {
  const gone = gate(1, 'request "*" mean <= baseline', {
    ...{ subject: 'request "Old"', result: 'not-measured', unfit: 'gone', reason: 'The report has none.' },
  })
  const cut = { ...cutShort(), gates: [gone] }
  expect(whatToDo(cut)).toEqual(whatToDo(cutShort()))
  expect(whatToDo({ ...cut, reasons: reasonsAbout('gate', 'The report has none.') })[0]?.text).toContain(
    'Find out why request "Old" was not called.',
  )
})

test('a history that got worse: the commits between the runs, and the first of them; otherwise nothing', () => {
  const [commits, run] = linksOf(shop)
  expect(commits?.text).toBe('e389efa..e457786')
  expect(commits?.href).toMatch(/\/compare\/e389efa\w+\.\.\.e457786\w+$/)
  expect(run?.href).toBe('https://github.com/shop/webshop/actions/runs/1027')
  const { history } = shop
  expect(whatToDo({ ...shop, ...(history && { history: { ...history, changePoints: [] } }) })).toEqual([])
  const runs = history?.runs.map((one) => ({ ...one, commit: 'e457786' })) ?? []
  const [again] = textsOf({ ...shop, ...(history && { history: { ...history, runs } }) })
  expect(again).toBe('Look for what else changed at that time.')
  expect(whatToDo(noHistory())).toEqual([])
})

test('of a matrix, the first four things of each of three red legs, by name', () => {
  const legs = [leg('a', failed), leg('b', green()), missingLeg('c'), leg('d', failed), leg('e', failed)]
  const parts = ['To rule ou', 'Look for t', 'Begin with', 'If this is']
  const due = ['a', 'd', 'e'].flatMap((name) => parts.map((part) => `${name}: ${part}`))
  expect(textsOf(merged(legs)).map((text) => text.slice(0, 13))).toEqual(due)
  expect(whatToDo(merged([leg('b', green())]))).toEqual([])
})

test('a history of too few runs asks for nothing yet', () => {
  const { history } = shop
  if (!history) throw new Error('It has no history.')
  const of = (count: number) =>
    textsOf({ ...shop, history: { ...history, runs: history.runs.slice(0, count), changePoints: [] } })
  expect(of(4)).toEqual(['Nothing yet. Until there are 5 runs, look at the charts of the page.'])
  expect(of(5)).toEqual([])
})

test('what is wrong on the service has a link to it, as the step was given it', () => {
  const services = (outcome: Outcome) =>
    linksOf(outcome).flatMap(({ text, href }) => (text === 'The service' ? [href] : []))
  const at = (service: string) => ({ ...error(), step: { ...error().step, service } })
  expect(services(error())).toEqual(['https://load.example.com/'])
  expect(services(checked())).toEqual(['https://load.example.com/'])
  expect(services({ ...error(), reasons: reasonsAbout('inputs', 'timeout is "soon".') })).toEqual([])
  expect(services(at('javascript:alert(1)'))).toEqual([])
  expect(services(merged([leg('a', at('https://evil.example.com'))]))).toEqual([])
})

test('a run that was started needs nothing if a later step collects it, and shows no state', () => {
  expect(textsOf(started())).toEqual([
    'Nothing, if a later step of the workflow with mode: collect judges it.',
    expect.stringContaining('run this step with the inputs mode: collect and run-number: 42'),
  ])
  expect(renderComment(started(), 'key')).not.toContain('REQUESTED')
  expect(renderComment(timedOut(), 'key')).toContain('State: RUNNING'.replace(' ', '\u00a0'))
})

test('for a green outcome there is no advice', () => {
  expect(whatToDo(green())).toEqual([])
})

test('the documents that are linked are there, with their headings', () => {
  for (const { href } of Object.values(documents)) {
    const [, file = '', heading = ''] = /\/blob\/main\/([^#]+)#?(.*)$/.exec(href) ?? []
    expect([file, existsSync(file)]).toEqual([file, true])
    const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    )
    if (heading !== '') expect(headings).toContain(heading)
  }
})
