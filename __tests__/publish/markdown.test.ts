import {
  renderComment,
  renderStartedComment,
  asRed,
  findKey,
  isRedComment,
  commentLimit,
} from '../../src/publish/markdown/comment.js'
import type { GateResult } from '../../src/gates/result.js'
import { annotations } from '../../src/publish/annotations.js'
import { renderDigest } from '../../src/publish/digest/digest.js'
import { fit, type Section } from '../../src/publish/markdown/markdown.js'
import { withPart, type LoadTestOutcome, type Outcome } from '../../src/outcome/outcome.js'
import { renderSummary, summaryLimit } from '../../src/publish/markdown/summary.js'
import { readMarkdown } from './markdown-reader.js'
import {
  compare,
  timer,
  everyOutcome,
  gate,
  green,
  hostile,
  huge,
  invalid,
  regression,
  started,
} from './outcomes.js'
import { reasonsAbout } from '../../src/text/reason.js'

const bytes = (text: string) => Buffer.byteLength(text, 'utf8')

// What GitHub would interpret in plain text.
const references = /@\w|#\d|\b[0-9a-f]{7,40}\b|https?:\/\/|www\.|\bGH-\d|:[\w+-]+:|\$\w/i

const large = huge()
const largeSummary = renderSummary(large)

test.each(Object.entries(everyOutcome))('%s: well-formed Markdown within its limits', (_, make) => {
  const outcome = make()
  const summary = renderSummary(outcome)
  const comment = renderComment(outcome, 'load-test')
  const [read, short] = [readMarkdown(summary), readMarkdown(comment)]
  expect(bytes(summary)).toBeLessThan(summaryLimit)
  expect(comment.length).toBeLessThan(commentLimit)
  // The first line is the verdict.
  expect(summary).toMatch(/^## (✅|ℹ️|☑️|❌|⚠️|⏱️) \S/)
  expect(comment.split('\n', 1)).toEqual(summary.split('\n', 1))
  // Nothing becomes a mention, a reference or a link by itself, and links lead only to the web.
  expect(read.prose).not.toMatch(references)
  expect(short.prose).not.toMatch(references)
  for (const link of read.links) expect(link).toMatch(/^https:\/\/(load\.example|github)\.com\//)
  expect(findKey(comment, 'load-test')).toBe(true)
})

test('failed gates come first, then those that warned, with both values, the limit and the change', () => {
  const [failed] = readMarkdown(renderSummary(regression())).tables
  expect(failed).toEqual([
    ['Gate · Before → now'],
    ['❌ requests p95 <= baseline + 10 % + 20 ms 410 → 550 ms (limit ≤ 471 ms) +140 ms (+34%)'],
    [
      '❌ request "Checkout.PlaceOrder" p95 (Checkout stays quick) request "Check*" p95 <= 1.2 s ' +
        '1,240 ms (limit ≤ 1,200 ms)',
    ],
    ['⚠️ warn: requests p99 <= 800 ms 880 ms (limit ≤ 800 ms)'],
  ])
})

test('a reason stands once for the gates below one another that have it', () => {
  const open = (line: number, reason: string) =>
    gate(line, `requests p${line} <= 1 ms`, { result: 'not-measured', reason })
  const gates = [open(1, 'Why.'), open(2, 'Why.'), open(3, 'Else.'), open(4, 'Why.')]
  const [, ...rows] = readMarkdown(renderSummary({ ...invalid(), gates })).tables[0] ?? []
  expect(rows.map(([cell]) => cell)).toEqual([
    '⚠️ requests p1 <= 1 ms (Why.)',
    '⚠️ requests p2 <= 1 ms',
    '⚠️ requests p3 <= 1 ms (Else.)',
    '⚠️ requests p4 <= 1 ms (Why.)',
  ])
})

test('one match of a wildcard failed: with what else is slower, three requests stand before any fold', () => {
  const about = { subject: 'request "Search.Results"', metric: 'p95', isMatch: true } as const
  const place = { kind: 'requests', name: 'Search.Results' } as const
  const failed = { value: 870, baseline: 640, limit: 704, result: 'failed' } as const
  const gates = [gate(1, 'request "*" p95 <= baseline + 10%', { ...about, place, ...failed })]
  const [screen = ''] = renderComment({ ...regression(), gates }, 'key').split('<details>')
  const rows = readMarkdown(screen).tables.flatMap((table) => table.slice(1))
  expect(rows.map((cells) => /[A-Z]\w+\.\w+/.exec(cells.join())?.[0])).toEqual([
    ...['Search.Results', 'Checkout.PlaceOrder', 'ProductDetail.Reviews'],
  ])
})

test('what the whole run showed stands once, and not in each gate that it made fail', () => {
  const reason = 'The whole run is 34% above its baseline, over 19 timers.'
  const noise = { percent: 5, run: true } as const
  const failed = { value: 470, limit: 451, baseline: 410, result: 'failed', reason, noise } as const
  const alone = { ...failed, reason: 'Alone.', noise: { percent: 5, failsBeyond: 460 } }
  const gates = [gate(1, 'a', failed), gate(2, 'b', alone), gate(3, 'c', failed), gate(4, 'd', failed)]
  const outcome = { ...regression(), gates }
  const messages = annotations(outcome).map(({ message }) => message)
  for (const text of [
    renderSummary(outcome),
    renderComment(outcome, 'key'),
    renderDigest(outcome),
    messages.join('\n'),
  ]) {
    expect(text.split('The whole run is').length - 1).toBe(1)
    expect(text.split('noise of the whole run').length - 1).toBe(1)
    expect(text).toContain('Alone.')
  }
})

test('few errors among many are counted, now and before', () => {
  const outcome = green()
  const show = (baseline: number, value: number) => {
    compare(outcome, { metric: 'error-rate' }, { baseline, value })
    expect(renderDigest(outcome)).toContain('Requests error rate')
    return readMarkdown(renderSummary(outcome))
      .tables.flat()
      .find(([title]) => title === 'Requests error rate')?.[1]
  }
  expect(show(2 / 480, 3 / 480)).toBe('2 of 48,000 → 3 of 48,000 +50%')
  expect(show(0, 3 / 480)).toBe('0 of 48,000 → 3 of 48,000')
  expect(show(3 / 480, 0)).toBe('3 of 48,000 → 0 of 48,000 −100%')
  expect(show(0.05, 0.2)).toBe('24 of 48,000 → 96 of 48,000 +300%')
  expect(show(0, 0.2)).toBe('0% → 0.2% +0.2 points')
  expect(show(0.05, 12)).toBe('24 of 48,000 → 12% +11.9 points worse')
  expect(show(0, 0)).toBe('0% → 0% no change')
})

test('of many failures the costliest of each gate stand on the first screen, the others in a fold', () => {
  const failedAt = (line: number, subject: string, value: number, more: Partial<GateResult> = {}) =>
    gate(line, `gate ${line}`, { subject, metric: 'p95', value, limit: 400, result: 'failed', ...more })
  const many = [900, 800, 700, 600, 500, 450].map((value) => failedAt(1, `request "${value}"`, value))
  const warned = failedAt(3, 'actions', 401, { result: 'warned' })
  const gates = [...many, failedAt(2, 'requests', 401), warned]
  const text = renderSummary({ ...regression(), gates })
  const tables = readMarkdown(text).tables.filter(([head]) => head?.[0]?.startsWith('Gate'))
  const names = tables.map((rows) => rows.slice(1).map(([cell = '']) => /[^ ]+ "?\w+"?/.exec(cell)?.[0]))
  expect(names).toEqual([
    ['❌ request', '❌ request', '❌ request', '❌ request', '❌ requests', '⚠️ actions'],
    ['❌ request', '❌ request'],
  ])
  expect(tables[0]?.[4]?.[0]).toContain('"600"')
  expect(tables[1]?.map(([cell]) => cell).join()).toMatch(/"500".*"450"/)
  expect(text).toContain('<summary>More of these gates: 2</summary>')
  expect(text.indexOf('What to do')).toBeLessThan(text.indexOf('More of these gates: 2'))
  const six = renderSummary({ ...regression(), gates: many })
  expect(six).not.toContain('More of these gates')
})

describe('what got worse', () => {
  const rowsOf = (outcome: Outcome) =>
    readMarkdown(renderSummary(outcome)).tables.find(([head]) => head?.[1] === 'Change' && head.length === 3)
  const names = (outcome: LoadTestOutcome) =>
    (outcome.figures?.timers.requests.timers ?? []).map(({ name }) => name)
  const worse = (baseline: number, value: number) => ({ baseline, value, change: 'worse' as const })
  const counts = (outcome: LoadTestOutcome, count: Record<string, number>) => {
    for (const [name, value] of Object.entries(count))
      compare(outcome, { name, metric: 'count' }, { baseline: value, value })
    return outcome
  }

  test('is ranked by added time, as often as it happens, without the rows of failed gates', () => {
    expect(rowsOf(regression())).toEqual([
      ['Request p95, before → now', 'Change', 'Added in all'],
      ['Search.Results 640 → 870 ms', '+230 ms (+36%)', '15 min 4,000 ×'],
      ['ProductDetail.Reviews 395 → 540 ms', '+145 ms (+37%)', '10 min 4,000 ×'],
    ])
    const often = counts(regression(), { 'Search.Results': 90, 'ProductDetail.Reviews': 5000 })
    const [, first] = rowsOf(often) ?? []
    expect(first?.[0]).toBe('ProductDetail.Reviews 395 → 540 ms')
    // Seconds beside minutes do not fit on a phone.
    const added = (count: number) => rowsOf(counts(regression(), { 'Search.Results': count }))?.[2]?.[2]
    expect([added(255), added(400)]).toEqual(['59 s 255 ×', '2 min 400 ×'])
  })

  test('answers the gates that failed first, each with its own metric', () => {
    const outcome = regression()
    for (const name of names(outcome))
      compare(outcome, { name, metric: 'median' }, { baseline: 100, value: 100 })
    compare(outcome, { name: 'Search.Results', metric: 'median' }, worse(300, 340))
    compare(outcome, { name: 'Homepage', metric: 'median' }, worse(200, 210))
    compare(outcome, { name: 'Search.Results', metric: 'error-rate' }, worse(0, 4))
    const failed = gate(1, 'requests median <= 100 ms', { metric: 'median', value: 264, result: 'failed' })
    expect(rowsOf({ ...outcome, gates: [failed] })).toEqual([
      ['Name, before → now', 'Change', 'Cost'],
      ['Search.Results (request median) 300 → 340 ms', '+40 ms (+13%)', '3 min 4,000 ×'],
      ['Homepage (request median) 200 → 210 ms', '+10 ms (+5%)', '40 s 4,000 ×'],
      ['Search.Results (request error rate) 0% → 4%', '+4 points', '160 more fail of 4,000'],
      ['Checkout.PlaceOrder (request p95) 890 → 1,240 ms', '+350 ms (+39%)', '23 min 4,000 ×'],
      ['ProductDetail.Reviews (request p95) 395 → 540 ms', '+145 ms (+37%)', '10 min 4,000 ×'],
    ])
    expect(renderSummary(outcome)).toContain('More errors: 1\u00a0of\u00a012 named requests.')
  })

  test('is counted by the metric that a failed gate is about, and no page of a failed gate stands there again', () => {
    const outcome = regression()
    const pages = ['Search.Results', 'Homepage', 'Health', 'ProductDetail.Reviews']
    for (const name of pages) compare(outcome, { name, metric: 'mean' }, worse(100, 200))
    const gates = pages.map((name) =>
      gate(1, 'request "*" mean <= baseline + 10%', {
        ...{ subject: `request "${name}"`, metric: 'mean', value: 200, limit: 110, result: 'failed' },
      }),
    )
    const summary = renderSummary({ ...outcome, gates })
    expect(summary).toContain('Slower: 5\u00a0of\u00a012 named requests.')
    expect(rowsOf({ ...outcome, gates })?.map(([name]) => name)).toEqual([
      'Request p95, before → now',
      'Checkout.PlaceOrder 890 → 1,240 ms',
    ])
    // The gate is written once, in the first of its rows.
    expect(readMarkdown(summary).tables[0]?.slice(1, 3)).toEqual([
      ['❌ request "Search.Results" mean request "*" mean <= baseline + 10% 200 ms (limit ≤ 110 ms)'],
      ['❌ request "Homepage" mean 200 ms (limit ≤ 110 ms)'],
    ])
  })

  test('errors are counted of the timers that a failed gate is about, and the most frequent new one is named', () => {
    const outcome = regression()
    compare(outcome, { name: 'Health', metric: 'error-rate' }, worse(0, 5))
    const { comparison } = outcome
    if (!comparison) throw new Error('It compares with nothing.')
    comparison.rows.push({ kind: 'transactions', name: 'TOrder', presence: 'both', baseline: {} })
    compare(outcome, { kind: 'transactions', name: 'TOrder', metric: 'error-rate' }, worse(0, 40))
    const failed = gate(1, 'transactions error-rate <= 2%', {
      ...{ subject: 'transactions', metric: 'error-rate', unit: '%', value: 40, limit: 2, result: 'failed' },
    })
    const gates = [failed]
    const summary = renderSummary({ ...outcome, gates })
    expect(summary).toContain('More errors: 1\u00a0of\u00a02 named transactions.')
    expect(summary).toContain('Most frequent new error (49 times): Response code 503: Service Unavailable.')
    const known = { ...outcome, gates, comparison: { ...comparison, newErrors: [] } }
    expect(renderSummary(known)).toMatch(/Most frequent error \(\d+ times?\): .+\. \[/)
    expect(renderSummary(regression())).not.toContain('Most frequent')
  })

  test('errors come with their rates where all timers of the kind together fail more', () => {
    const outcome = regression()
    compare(outcome, { metric: 'error-rate' }, worse(0.381, 2.631))
    for (const name of names(outcome)) compare(outcome, { name, metric: 'error-rate' }, worse(1, 4))
    expect(renderSummary(outcome)).toContain(
      'requests; 2.63% of all failed, 0.381%\u00a0before. The slowdown ',
    )
  })

  test('has one row for a page, whatever kinds of timers and statuses it has', () => {
    const outcome = regression()
    const more = [
      { kind: 'requests', name: 'Search.Results [500]' },
      { kind: 'actions', name: 'Search.Results' },
      { kind: 'pageLoads', name: 'Search.Results' },
    ] as const
    for (const { kind, name } of more) {
      outcome.figures?.timers[kind].timers.push(timer(name, 870))
      outcome.comparison?.rows.push({ kind, name, presence: 'both', baseline: {} })
      compare(outcome, { kind, name, metric: 'p95' }, worse(640, 870))
    }
    const gates = [
      ...outcome.gates,
      gate(9, 'actions p95 <= 1 ms', { subject: 'actions', value: 2, limit: 1, result: 'failed' }),
    ]
    const shown = rowsOf({ ...outcome, gates })?.map(([name]) => name)
    expect(shown?.filter((name) => name?.startsWith('Search'))).toHaveLength(1)
  })

  test('is at most six rows', () => {
    const outcome = regression()
    for (const name of names(outcome)) compare(outcome, { name, metric: 'p95' }, worse(100, 200))
    expect(rowsOf(outcome)).toHaveLength(7)
    expect(renderSummary(outcome)).toContain('What else got slower: the 6 costliest of 11')
  })

  test('an error rate that rose by less than a percentage point is left to the table of errors', () => {
    const outcome = regression()
    compare(outcome, { name: 'Health', metric: 'error-rate' }, worse(0, 0.9))
    expect(rowsOf(outcome)?.flat().join()).not.toContain('Health')
    compare(outcome, { name: 'Health', metric: 'error-rate' }, worse(0, 1))
    expect(rowsOf(outcome)?.flat()).toContain('Health (request error rate) 0% → 1%')
  })

  test('is folded in a green comment, which says how much it is', () => {
    const outcome = green()
    compare(outcome, { name: 'Homepage', metric: 'p95' }, { baseline: 415, value: 560 })
    const [above = '', folded] = renderComment(outcome, 'k').split('<details>')
    expect(above).toContain('Slower: 1\u00a0of\u00a012 named requests.')
    expect(folded).toContain(
      '<code>Homepage</code><br>415\u00a0→\u00a0560\u00a0ms | **+145\u00a0ms (+35%)** | 10\u00a0min<br>4,000\u00a0× |',
    )
  })
})

test('a reason that the table of gates shows is not repeated; any other is shown', () => {
  const outcome = regression()
  expect(renderSummary(outcome)).not.toContain('### Reasons')
  const summary = renderSummary(
    withPart(outcome, { reasons: reasonsAbout('report', 'The report could not be attached.') }),
  )
  expect(summary).toContain('### Reasons\n\n- The report could not be attached.\n')
  expect(summary).not.toContain('it must be at most')
})

test('a difference that is only noise is never marked', () => {
  const summary = renderSummary(green())
  expect(summary).not.toMatch(/\d \*\*|%\) worse|%\) better/)
  expect(summary).toContain('| 410\u00a0→\u00a0412\u00a0ms<br>+2\u00a0ms (+0.5%) |')
  expect(renderSummary(regression())).toContain(
    '| **410\u00a0→\u00a0550\u00a0ms**<br>+140\u00a0ms (+34%) worse |',
  )
})

test('new errors, and added or removed timers, are named', () => {
  const summary = renderSummary(regression())
  const folds = [...summary.matchAll(/<summary>(.*)<\/summary>/g)].map(([, title]) => title)
  expect(folds).toEqual(
    expect.arrayContaining([
      'Errors: 2, of which 1 new',
      'Requests: 13, of which 3 slower, 1 faster, 1 gone',
      'Load generators: 2, of which 1 overloaded',
    ]),
  )
  expect(summary).toContain('<code>Response code 503: Service Unavailable</code> (new)')
  expect(summary).toContain('<code>Legacy.Banner</code> (gone) | 88\u00a0ms\u00a0→\u00a0–<br>– |')
})

test('the facts are load, measured time, commit, baseline and template', () => {
  const last = renderSummary(regression()).split('\n').at(-1)
  expect(last).toContain('/shop/shop/commit/4f5c1d09ab37e2f8c6b1a0d9e8f7a6b5c4d3e2f1>)')
  expect(last).toContain('Baseline:\u00a0[3\u00a0runs of main, <code>def5678</code>]')
  expect(last).toContain('Template:\u00a017\u00a0Nightly, 15 minutes')
  expect(last).toMatch(/^Load:\u00a020 users, ramp-up 1\u00a0min\u00a0· Measured:\u00a015\u00a0min\u00a0· /)
})

test('events, most frequent first, and custom values have their tables', () => {
  const { tables } = readMarkdown(renderSummary(regression()))
  const titled = (title: string) => tables.find(([head]) => head?.[0] === title)?.slice(1)
  expect(titled('Event')).toEqual([
    ['Out of stock', '1,204', '–'],
    ['Retry', '3', 'TOrder'],
  ])
  expect(titled('Custom value')).toEqual([
    ['CartSize', '1,200', '1', '2.97', '5'],
    ['Stock', '–', '–', '–', '–'],
  ])
})

test.each([
  [green, '<summary>'],
  [regression, '### '],
])('where the time goes is folded if all is well (%#)', (make, before) => {
  const { comparison } = make()
  if (!comparison) throw new Error('It compares with nothing.')
  const withLines = (addedTime: string[]) =>
    renderComment({ ...make(), comparison: { ...comparison, addedTime } }, 'key')
  expect(withLines(['`A` takes longer.'])).toContain(`${before}Where the time goes`)
  expect(withLines(['`A` takes longer.'])).toContain('\n- &#96;A&#96; takes longer.')
  expect(withLines([])).not.toContain('Where the time goes')
})

describe('limits', () => {
  test.each([16_384, 65_536])('a page of 1,500 requests fits into %d bytes', (limit) => {
    const summary = renderSummary(large, limit)
    expect(bytes(summary)).toBeLessThan(limit)
    // A truncated page still uses the space that it may.
    expect(bytes(summary)).toBeGreaterThan(limit * 0.8)
    expect(readMarkdown(summary).tables.length).toBeGreaterThan(1)
    expect(summary).toMatch(/^> ⚠️ Left out .*Requests: 1,501.*; .*\. The outcome file has everything\.$/m)
  })

  test('the rows that are shown and those that are left out add up', () => {
    const shown = readMarkdown(largeSummary).tables.find(
      ([head]) => head?.[0] === 'Name' && head[1] === 'p95 before → now',
    )
    const [, left, all] = /Requests: 1,501[^:;]*: ([\d,]+) of ([\d,]+) rows/.exec(largeSummary) ?? []
    const number = (text?: string) => Number(text?.replaceAll(',', ''))
    expect((shown?.length ?? 0) - 1 + number(left)).toBe(number(all))
  })

  test('hostile names fit the smallest limit, at any length', () => {
    const long = '@'.repeat(5000)
    const outcome = {
      ...hostile(),
      gates: [
        gate(1, long, { subject: long, name: long, value: 3, limit: 1, result: 'failed', reason: long }),
      ],
      reasons: reasonsAbout('run', ...Array.from({ length: 100 }, () => long)),
    }
    for (const page of [renderSummary(outcome, 16_384), renderComment(outcome, long, 16_384)]) {
      expect(bytes(page)).toBeLessThan(16_384)
      expect(() => readMarkdown(page)).not.toThrow()
    }
  })

  test('what is left out whole takes no room but its title', () => {
    const section = (title: string, priority: number, rows: string[]): Section => {
      return { title, shown: 'heading', priority, head: [], rows }
    }
    const large = Array.from({ length: 50 }, (_, at) => section(`S${at}`, 1, ['x'.repeat(20_000)]))
    const rows = Array.from({ length: 5000 }, (_, at) => `row ${at}`.padEnd(9, '.'))
    const page = fit({ head: '', sections: [section('Rows', 0, rows), ...large] }, 16_384)
    expect(bytes(page)).toBeLessThan(16_384)
    expect(bytes(page)).toBeGreaterThanOrEqual(16_384 - 11)
  })
})

describe('comment', () => {
  test('ends with its key, and says what it is about', () => {
    const comment = renderComment(regression(), 'load-test')
    expect(comment).toMatch(
      /\n\nUpdated for \[<code>4f5c1d0<\/code>\]\(<[^>]+>\), compared with \[3\u00a0runs of main, <code>def5678<\/code>\]\(<[^>]+>\)\.\n\n<!-- load-test-action: load%2dtest -->$/,
    )
  })

  test('is found by its key and by no other', () => {
    const body = renderComment(regression(), 'leg a')
    expect(findKey(body, 'leg a')).toBe(true)
    expect(findKey(body.replaceAll('\n', '\r\n') + '\r\n', 'leg a')).toBe(true)
    for (const key of ['leg', 'leg a ']) expect(findKey(body, key)).toBe(false)
    for (const other of [`${body}\n\nquoted`, `> ${body}`, `## ✅ All checks\n\n${body}`, ''])
      expect(findKey(other, 'leg a')).toBe(false)
    expect([body, asRed(body), `${asRed(body).replaceAll('\n', '\r\n')}\r\n`].map(isRedComment)).toEqual([
      ...[false, true, true],
    ])
    expect(findKey(asRed(body), 'leg a')).toBe(true)
    expect(findKey(asRed(body), 'leg')).toBe(false)
    expect(isRedComment(renderComment(regression(), 'leg (red)'))).toBe(false)
  })

  test.each(['--> <b>', '<!--', '--', '', 'ü€\ud800', '"{}%', 'x'.repeat(1000)])(
    'the key %j stays hidden from readers',
    (key) => {
      const body = renderComment(started(), key)
      const marker = body.split('\n').at(-1) ?? ''
      expect(marker).toMatch(/^<!-- load-test-action: [A-Za-z0-9_.%]* -->$/)
      expect(marker.length).toBeLessThan(300)
      expect(findKey(body, key)).toBe(true)
    },
  )

  test('long keys that differ only at the end are two keys', () => {
    const body = renderComment(started(), `${'x'.repeat(1000)}a`)
    expect(findKey(body, `${'x'.repeat(1000)}b`)).toBe(false)
  })

  test('no text from a report can forge a key', () => {
    const outcome = withPart(hostile(), {
      reasons: reasonsAbout('run', '\n<!-- load-test-action: other -->'),
    })
    expect(findKey(renderComment(outcome, 'key'), 'other')).toBe(false)
    expect(renderComment(outcome, 'key').match(/<!--/g)).toHaveLength(1)
  })

  test('describes a run that has just been started', () => {
    const run = { number: 42, template: { number: 17, name: '#1' } }
    const begun = { run, step: regression().step, expectedEnd: '2026-03-01T15:05:00Z' }
    const body = renderStartedComment(begun, 'k')
    expect(body).toMatch(/^## ⏱️ Load test 42 is running\n/)
    expect(body).toContain('It should end at 2026\u201103\u201101\u00a015&#58;05\u00a0UTC.')
    expect(findKey(body, 'k')).toBe(true)
    expect(readMarkdown(body).prose).not.toMatch(references)
  })

  test('describes a run whose end is unknown', () => {
    const body = renderStartedComment({ run: { number: 1, url: 'javascript:x' }, step: {} }, 'k')
    expect(body).toContain('Nothing to do until it has ended: this comment will then show the verdict.')
    expect(body).not.toContain('javascript')
  })
})

describe('chart', () => {
  const chartOf = (markdown: string) => /```mermaid\n([\s\S]*?)\n```/.exec(markdown)?.[1]?.split('\n') ?? []

  /** Of whatever got slower. */
  const slowerBy = (difference: number) => {
    const outcome = regression()
    for (const { kind, name, changes } of outcome.comparison?.rows ?? []) {
      if (kind !== 'requests' || name === undefined || changes?.['p95'] !== 'worse') continue
      compare(outcome, { name, metric: 'p95' }, { baseline: 100, value: 100 + difference, change: 'worse' })
    }
    return outcome
  }

  test('shows as one series by how much the costliest got slower', () => {
    const [, kind, ...chart] = chartOf(renderSummary(regression()))
    expect(kind).toBe('xychart-beta horizontal')
    expect(chart.map((line) => line.trim())).toEqual([
      'title "Slower, p95"',
      'x-axis ["Search.Results 230", "ProductDetail.Reviews 145"]',
      'y-axis "ms slower" 0 --> 230',
      'bar [230, 145]',
    ])
  })

  test.each([
    [15.5, 'ms', '15.5', '15.5'],
    [1_850, 'ms', '1850', '1,850'],
    [131_000, 's', '131', '131'],
    // The chart's language has no exponents.
    [8.64e26, 's', '1000000000000000', '1.00e+15'],
  ])(
    'with a maximum of %d ms, its axis ends there, and the label has the figure',
    (largest, unit, end, figure) => {
      const chart = chartOf(renderSummary(slowerBy(largest)))
      expect(chart[3]).toContain(` ${figure}"`)
      expect(chart.slice(4)).toEqual([`    y-axis "${unit} slower" 0 --> ${end}`, `    bar [${end}, ${end}]`])
    },
  )

  test('shows the slowest requests if there is no baseline', () => {
    expect(chartOf(renderSummary(invalid()))[2]).toBe('    title "Slowest requests, p95"')
  })

  test.each([hostile(), regression(), invalid()])('contains nothing but chart syntax', (outcome) => {
    const [first, ...chart] = chartOf(renderSummary(outcome))
    expect(first).toMatch(
      /^%%\{init: \{"themeVariables":\{"xyChart":\{"plotColorPalette":"#\w{6}","backgroundColor":"transparent"\}\},"xyChart":\{[\w":,{}]+\}\}%%$/,
    )
    expect(chart.length).toBeGreaterThan(4)
    for (const line of chart.slice(1)) {
      expect(line).toMatch(
        /^ {4}(title "[\p{L}\p{N} ,.-]+"|x-axis \["[\p{L}\p{N} _.…/-]+ [\d.,]+"(, "[\p{L}\p{N} _.…/-]+ [\d.,]+")*\]|y-axis "[a-z ]+" 0 --> [\d.]+|bar \[[\d., -]+\])$/u,
      )
    }
  })

  test('is absent if nothing is slower', () => {
    expect(renderSummary(green())).not.toContain('mermaid')
    expect(largeSummary).not.toContain('mermaid')
  })
})
