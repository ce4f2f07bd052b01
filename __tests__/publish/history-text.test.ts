import type { GateOutcome } from '../../src/gates/result.js'
import type { ChangePoint } from '../../src/comparison/change-points.js'
import type { TriedGate, History, HistoryOutcome } from '../../src/outcome/outcome.js'
import { annotations, closingLines } from '../../src/publish/annotations.js'
import { renderHistory } from '../../src/publish/history/history-page.js'
import { headline } from '../../src/publish/words/words.js'
import { renderSummary } from '../../src/publish/markdown/summary.js'
import { defined } from '../../src/text/fields.js'
import { validateOutcome } from '../outcome-validator.js'
import { historied, noHistory, outcomeWith, tried } from './historied.js'
import { hostileNames } from './outcomes.js'

function pageOf(outcome: HistoryOutcome): string {
  if (!outcome.history) throw new Error('There is no history.')
  return renderHistory(outcome, outcome.history).replaceAll('\u00a0', ' ')
}
const summaryOf = (outcome: HistoryOutcome) => renderSummary(outcome).replaceAll('\u00a0', ' ')

const outcome = historied()
const page = pageOf(outcome)

test('the page has key figures, changes, timers and runs', () => {
  expect(headline(outcome)).toBe(
    'Slower since 28 September, e457786: transactions p95 +33% and 17 more figures',
  )
  expect([...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title)).toEqual([
    ...['What to do', 'Key figures', 'The worst 20 of 23 changes'],
    ...['Timers', 'Runs'],
  ])
  expect(page).toMatch(/Requests p95<b>\d+ ms<\/b>/)
  expect(page).toContain('href="https://github.com/shop/webshop/commit/')
  expect(page).toContain('accepted by octocat')
  expect(page.match(/<li class="timer">/g)).toHaveLength(15)
})

test('charts have ticks with units, the days of the runs, noise and numbered changes; what never changes has a line', () => {
  const [chart = ''] = /<figure class="card">[^]*?<\/figure>/.exec(page) ?? []
  const texts = [...chart.matchAll(/<text [^>]*>([^<]*)</g)].map(([, text]) => text)
  expect(texts).toEqual([
    ...['0 ms', '200 ms', '400 ms', '600 ms', '800 ms', '1,000 ms', '1,200 ms'],
    ...['1 Sept', '14 Sept', '27 Sept', '10 Oct', '1', '2'],
  ])
  expect(chart.match(/class="band"/g)).toHaveLength(3)
  expect(chart.match(/<li>/g)).toHaveLength(2)
  expect(chart).toMatch(
    /<title>Requests p95: between 685 ms and 1,060 ms in all 40 runs, \+6\.8% from 13 September, 1f5788b on, \+23% from 28 September, e457786 on; latest 954 ms</,
  )
  expect(page).toContain('<p class="card steady">Requests error rate: <b>0% in all 40 runs</b></p>')
})

describe('the chart of a figure', () => {
  /** The page of one figure, and the runs' commits, a letter each. */
  const chartOf = (
    values: (number | null)[],
    commits: string,
    changes: Partial<ChangePoint>[] = [],
    more: { limits?: (number | null)[] } = {},
  ) => {
    const figure = { kind: 'requests', metric: 'p95' } as const
    const runs = values.map((_, at) => ({
      ...{ url: `https://github.com/o/r/actions/runs/${at}`, verdict: 'passed' },
      commit: commits.charAt(at).repeat(40),
      startTime: new Date(Date.UTC(2026, 1, 1 + at)).toISOString(),
    }))
    const changePoints = changes.map((one) => ({ ...figure, run: 4, before: 100, after: 150, ...one }))
    return pageOf(
      outcomeWith({ branch: 'main', runs, series: [{ ...figure, values, ...more }], changePoints }),
    )
  }
  const steps: (number | null)[] = [100, 102, 98, 100, 150, 152, 148, 150]
  const partsOf = (page: string, look: string) =>
    [...page.matchAll(new RegExp(`<path class="${look}" d="([^"]*)"`, 'g'))].map(([, d]) => d)

  test('has a band of two robust deviations for each level of four runs, and a mark before its first run', () => {
    const chart = chartOf(steps, 'aaaabbbb', [{}])
    // 2 × 1 ms / 0.6745 around 100 and 150 ms, on an axis that ends at 200 ms.
    expect(partsOf(chart, 'band')).toEqual(['M0 51.5H500V48.5H0Z', 'M500 26.5H1000V23.5H500Z'])
    expect(partsOf(chart, 'change bad')).toEqual(['M500 0V100'])
    expect(partsOf(chartOf(steps.slice(0, 7), 'aaaabbb', [{}]), 'band')).toHaveLength(1)
  })

  test('names the commits since the last run that measured it, unless they are the same', () => {
    expect(chartOf(steps, 'aaaabbbb', [{}])).toMatch(/compare\/a{40}\.\.\.b{40}"[^>]*><bdi>a{7}\.\.b{7}</)
    expect(chartOf(steps.with(3, null), 'aaccbbbb', [{}])).toMatch(/<bdi>c{7}\.\.b{7}</)
    expect(chartOf(steps, 'aaabbbbb', [{}])).toContain('on, the run before measured the same commit<')
  })

  test.each([
    [[1000, 1010], false],
    [[1000, 1011], true],
    [[0, 0, 0], false],
    [[500, null], false],
  ])('%j: drawn %p', (values, isDrawn) => {
    expect(chartOf(values, 'abc').includes('<figure')).toBe(isDrawn)
  })

  test('says whose its limit is, also where the latest run had none', () => {
    const limits = [...Array<number>(7).fill(300), null]
    expect(chartOf(steps, 'aaaabbbb', [{}], { limits })).toContain('own gate: 300 ms')
  })
})

test('a run leads to its digest, where it is known', () => {
  const { history } = outcome
  if (!history) throw new Error('There is no history.')
  const digest = 'https://github.com/shop/webshop/actions/runs/1039/artifacts/7'
  const runs = history.runs.map((run, at) => (at === 39 ? { ...run, digest } : run))
  const linked = pageOf(outcomeWith({ ...history, runs }))
  const dots = [...linked.matchAll(/<a href="([^"]*)" tabindex="-1"[^>]*><path class="dot/g)].map(
    ([, href]) => href,
  )
  expect(dots.slice(38, 40)).toEqual(['https://github.com/shop/webshop/actions/runs/1038', digest])
  expect(linked).toContain(`<a href="${digest}" rel="noopener noreferrer"><bdi>Digest</bdi></a>`)
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

test('the summary has the latest runs and changes, and a chart that GitHub renders', () => {
  const summary = summaryOf(outcome)
  expect(summary).toContain('### The worst 10 of 23 changes')
  expect(summary).toContain('### The latest 10 of 40 runs')
  expect(summary).toMatch(/xychart-beta\n {4}title "Requests p95"/)
  // Its colour can be seen on white and on black.
  expect(summary).toContain('"plotColorPalette":"#1f6feb"')
  expect(summary).toMatch(
    /^\| .*<br>\[28 September, <code>e457786<\/code>\].*e389efa\.\.e457786.* \| \*\*\+/m,
  )
  expect(summary).toContain('actions/runs/1039>)')
})

/** A history of 40 runs with these changes of a timer, the first at run 3. */
function changed(factors: readonly number[]): HistoryOutcome {
  const changePoints = factors.map((factor, index): ChangePoint => ({
    ...{ kind: 'requests', name: `Timer.${index}`, metric: 'p95', run: 3 + 2 * Math.floor(index / 7) },
    ...{ before: 100, after: 100 * factor },
  }))
  if (!outcome.history) throw new Error('There is no history.')
  return outcomeWith({ ...outcome.history, changePoints })
}

test('of more than ten changes, the summary has the worst, wherever they are, and says so', () => {
  const small = Array.from({ length: 13 }, () => 1.2)
  const summary = summaryOf(changed([1.66, ...small, 0.1, 1.3]))
  expect(summary).toContain('### The worst 10 of 16 changes')
  const rows = summary.split('\n').filter((line) => line.startsWith('| <code>Timer.'))
  expect(rows).toHaveLength(10)
  expect(summary).toMatch(/Timer\.0<\/code>[^|]*\|[^|]*\+66%/)
  // Later runs come first.
  expect(rows[0]).toMatch(/Timer\.15.*\+30%/)
  expect(rows.join('')).not.toMatch(/−90%|more timer/)
  expect(summaryOf(changed([1.66, 0.5]))).toMatch(/### Changes\n[^]*\+66%[^]*−50%/)
  expect(pageOf(changed(Array.from({ length: 21 }, () => 1.2)))).toContain('<h2>The worst 20 of 21 changes<')
})

test('a history is green only if nothing is worse than before', () => {
  const marks = [changed([]), changed([0.5]), changed([1.5]), changed([0.5, 1.2]), outcome]
  const [good, worse] = ['✅', '⚠']
  expect(marks.map((one) => summaryOf(one).charAt(3))).toEqual([good, good, worse, worse, worse])
  expect(marks.map((one) => closingLines(one).at(-1)?.tone)).toEqual([
    ...['good', 'good', 'caution', 'caution', 'caution'],
  ])
  expect(annotations(changed([1.5])).at(-1)?.title).toBe(
    '⚠️ Slower since 4 September, 057e505: request "Timer.0" p95 +50%',
  )
  const { history } = changed([])
  const icons = [4, 5].map((count) => {
    const few = defined({ history: history && { ...history, runs: history.runs.slice(0, count) } })
    return summaryOf({ ...changed([]), ...few }).charAt(3)
  })
  expect(icons).toEqual(['ℹ', good])
  // What could not be published is an error.
  expect(summaryOf({ ...changed([1.5]), verdict: 'error' })).toMatch(/^## ⚠️ /)
})

test('without runs, page and summary say so', () => {
  for (const text of [pageOf(noHistory()), summaryOf(noHistory())]) {
    expect(text).toContain('There is no history of main yet')
    expect(text).toContain('No run of this workflow on main has an outcome with figures.')
  }
})

test('names from a report stay plain text', () => {
  const figure = { kind: 'requests', metric: 'p95' } as const
  const values = [100, null, 120]
  const names = hostileNames.map((name) => ({ ...figure, name }))
  const runs = hostileNames.slice(0, 3).map((text) => ({
    ...{ url: `javascript:${text}`, digest: `javascript:${text}` },
    ...{ commit: text, verdict: text, startTime: text, acceptedBy: text },
  }))
  const hostile = outcomeWith({
    branch: hostileNames.join(' '),
    runs,
    series: [figure, ...names].map((one) => ({ ...one, values })),
    changePoints: names.map((one) => ({ ...one, run: 2, before: 100, after: 120 })),
  })
  const html = pageOf(hostile)
  expect(html.match(/<h1>/g)).toHaveLength(1)
  expect(html).not.toMatch(/<script|<img|<b>x|javascript:[^"]*" rel|href="javascript|\u202e|\ud800/)
  expect(summaryOf(hostile)).not.toMatch(/<img|<script|^::|javascript:alert\(1\)\)$/m)
})

describe('gates that were tried', () => {
  /** Three runs, in which a gate came to these results. */
  function triedIn(...gates: (Pick<TriedGate, 'results'> & Partial<TriedGate>)[]): HistoryOutcome {
    const runs = ['a', 'b', 'c'].map((letter) => ({
      ...{ url: `https://github.com/o/r/actions/runs/${letter}`, verdict: 'passed' },
      commit: letter.repeat(40),
    }))
    const all = gates.map((one, index) => ({ gate: `requests p95 <= ${index} ms`, line: 1 + index, ...one }))
    const trial: History['trial'] = { verdicts: ['passed', 'failed', 'invalid'], gates: all }
    return outcomeWith({ branch: 'main', runs, series: [], changePoints: [], trial })
  }
  const results = (...all: GateOutcome[]) => all.map((result) => ({ result }))
  const rowOf = (text: string, start: string) => text.split('\n').find((line) => line.includes(start)) ?? ''

  test('the outcome conforms to its schema, and page and summary say what the gates would have done', async () => {
    const all = await tried()
    expect(validateOutcome(JSON.parse(JSON.stringify(all)))).toEqual([])
    const { verdicts = [] } = all.history?.trial ?? {}
    const count = (wanted: string) => verdicts.filter((verdict) => verdict === wanted).length
    const sentence = `With the gates below, ${count('failed')} of 40 runs would have failed, and ${count('invalid')} could not have been judged.`
    expect(count('failed')).toBeGreaterThan(0)
    for (const text of [pageOf(all), summaryOf(all)]) {
      expect(text).toContain(sentence)
      expect(text).toContain('Gates, tried on 40 runs')
    }
    expect(rowOf(summaryOf(all), 'agents cpu')).toMatch(
      /<br>The report has no CPU use of load generators\. \| – \| 40 \| – \| – \|$/,
    )
  })

  test('only runs that a gate could judge count, and a failure is bold', () => {
    const summary = summaryOf(
      triedIn(
        { results: results('not-compared', 'failed', 'passed') },
        { results: results('warned', 'warned', 'passed') },
        { results: results('left-out', 'not-measured', 'not-measured') },
        { results: results('passed', 'passed', 'passed') },
      ),
    )
    const cells = [0, 1, 2, 3].map((index) => rowOf(summary, `p95 &lt;= ${index} ms`).split(' | ').slice(1))
    expect(cells).toEqual([
      ['**1 of 2**', '0 |'],
      ['2 of 3', '0 |'],
      ['–', '2 |'],
      ['0 of 3', '0 |'],
    ])
  })

  test('each slowdown has a column, and a gate that is not about times has a dash there', () => {
    const slowdowns = [
      { percent: 10, found: 1, runs: 3 },
      { percent: 20, found: 0, runs: 0 },
    ]
    const summary = summaryOf(
      triedIn({ results: results('passed'), slowdowns }, { results: results('passed') }),
    )
    expect(summary).toContain('| Gate | Would have failed | Not measured | Finds +10% | Finds +20% |')
    expect(rowOf(summary, 'p95 &lt;= 0 ms')).toMatch(/\| 1 of 3 \| – \|$/)
    expect(rowOf(summary, 'p95 &lt;= 1 ms')).toMatch(/\| – \| – \|$/)
  })

  test('the map has a row for all gates and for each, with a mark, a word and a reason beside the colour', () => {
    const failed = { result: 'failed' as const, reason: 'requests p95 is 9 ms; it must be at most 0 ms.' }
    const page = pageOf(
      triedIn({ results: [...results('passed'), failed, ...results('not-measured')], name: 'Fast' }),
    )
    const map = /<div class="box heat"[^]*?<\/table>/.exec(page)?.[0] ?? ''
    const marks = map
      .split('<tr>')
      .slice(2)
      .map((row) =>
        [...row.matchAll(/<td class="(\w+)" aria-label="([^"]+)"[^>]*>(.)</g)].map(([, ...parts]) => parts),
      )
    const row = [
      ['good', 'passed', '✓'],
      ['bad', 'failed', '✕'],
      ['bad', 'not measured', '?'],
    ]
    // The newest run is the first.
    expect(marks).toEqual([row.reverse(), row])
    expect(map).toContain('title="bbbbbbb: failed. requests p95 is 9 ms; it must be at most 0 ms."')
    expect(map).toContain('<bdi>Fast</bdi>')
    expect(map).toContain(
      '<a href="https://github.com/o/r/actions/runs/c" rel="noopener noreferrer"><span title="ccccccc">3</span></a>',
    )
  })

  test('of very many gates the first hundred are on the map', () => {
    const many = (count: number) =>
      pageOf(triedIn(...Array.from({ length: count }, () => ({ results: results('passed') }))))
    const rowsOf = (page: string) =>
      /<div class="box heat"[^]*?<\/table>/.exec(page)?.[0].match(/<th scope="row">/g)?.length
    expect([rowsOf(many(100)), rowsOf(many(101))]).toEqual([101, 101])
    expect(many(100)).not.toContain('The first 100 of')
    expect(many(101)).toContain('The first 100 of 101 gates are shown.')
  })

  test('gates, names, reasons and runs stay plain text', () => {
    const outcomes = hostileNames.map((name) => ({
      ...{ gate: `request "${name}" p95 <= 1 ms`, name },
      results: [0, 1, 2].map(() => ({ result: 'not-measured' as const, reason: name })),
    }))
    const { history } = triedIn(...outcomes)
    if (!history) throw new Error('There is a history.')
    const foreign = { url: 'javascript:alert(1)', startTime: hostileNames.join('') }
    const runs = history.runs.map((run) => ({ ...run, ...foreign }))
    const hostile = outcomeWith({ ...history, runs })
    const html = pageOf(hostile)
    expect(html).not.toMatch(/<script>|<img|<b>x|<h1>owned|\u202e|\ud800|href="javascript/)
    expect(html).not.toMatch(/title="[^"]*[<>]/)
    expect(summaryOf(hostile)).not.toMatch(/<img|<script|^::|javascript:alert\(1\)\)$/m)
  })
})
