import fc from 'fast-check'
import {
  chartLabel,
  htmlName,
  htmlText,
  logLine,
  markdownCellName,
  markdownCellText,
  markdownLine,
  markdownLink,
  markdownName,
  markdownText,
  oneLine,
  webAddress,
} from '../../src/text/foreign-text.js'
import { decode } from '../publish/markdown-reader.js'
import { hostileNames } from '../publish/outcomes.js'
import { parseGates } from '../../src/language/language.js'
import { anyText } from '../any-text.js'
import { aGate } from '../language/arbitrary-gate.js'
import { printGate } from '../language/printed-gate.js'

/** Text made of dangerous parts, mixed with anything. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(...hostileNames),
      fc.constantFrom(...Array.from('|\\`<>&"\'*_~[]()#@!$:{}%-+=.\n\r\t \u2028\u202e\u200b\u0000\ud800')),
      anyText(),
      fc.constantFrom(...'::|##[|#|www.|http://|javascript:|<!--|-->|abc1234|GH-1|&lt;'.split('|')),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))

/** Drawn once: that takes longer than to check them. */
const texts = fc.sample(nasty, 400)
function check(property: (text: string) => void): void {
  for (const text of texts) {
    try {
      property(text)
    } catch (fault) {
      throw new Error(`It does not hold for ${JSON.stringify(text)}.`, { cause: fault })
    }
  }
}

test('one line: no control or invisible characters, well-formed, within the limit', () => {
  check((text) => {
    const line = oneLine(text, 50)
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]| {2}|^ | $/u)
    expect(line.isWellFormed()).toBe(true)
    expect(Array.from(line).length).toBeLessThanOrEqual(50)
    expect(oneLine(oneLine(text))).toBe(oneLine(text))
  })
})

test('one line: a cut is marked, however much of the text was invisible', () => {
  expect(oneLine('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`)
  expect(oneLine(`a${'\u200b'.repeat(900)}b`)).toBe('a…')
  expect(oneLine('🛒'.repeat(30), 10)).toBe(`${'🛒'.repeat(9)}…`)
  expect(oneLine('x'.repeat(200))).toBe('x'.repeat(200))
})

test('log line: no command of the runner, wherever it is put', () => {
  check((text) => {
    const line = logLine(text)
    expect(line.replace(/\[[\da-f:]*/gi, '[')).not.toMatch(/::|##\[|[\r\n]/)
  })
  expect(logLine('::1, [::1]:8443 and [2001:db8::1]')).toBe(': :1, [::1]:8443 and [2001:db8::1]')
  expect(logLine('[::error::x')).toBe('[::error: :x')
  expect(logLine('::error::x')).toBe(': :error: :x')
  expect(logLine('a ##[error]x')).toBe('a # #[error]x')
})

test('HTML: no tag, no end of an attribute, and a browser shows the same text', () => {
  check((text) => {
    const html = htmlText(text, 100)
    expect(html).not.toMatch(/[<>"'`]/)
    expect(html.replace(/&(?:lt|gt|amp|#\d+);/g, '')).not.toContain('&')
    expect(decode(html)).toBe(oneLine(text, 100))
  })
})

test('Markdown name: one or more code elements with nothing but text in them', () => {
  check((text) => {
    const name = markdownName(text, 100)
    const cell = markdownCellName(text, 100).replaceAll('<wbr>', '')
    expect(cell.replaceAll('\u00a0', ' ')).toBe(name)
    expect(name).toMatch(/^(<code>[^<>]*<\/code>)+$/)
    const inner = name.replace(/<\/?code>/g, '')
    expect(inner.replace(/&(?:lt|gt|amp|#\d+);/g, '')).not.toMatch(/[<>&|`*_~[\]\\@#$\n]/)
    expect(decode(inner)).toBe(oneLine(text, 100) || '(no name)')
    // Each piece has an @ only at its start, so that none is an email address.
    for (const piece of name.split('</code>')) expect(decode(piece)).not.toMatch(/^<code>.+@/)
  })
})

test('Markdown text: nothing is Markdown, a reference or a link, and the text stays', () => {
  check((text) => {
    const markdown = markdownText(text, 100)
    expect(markdownCellText(text, 100).replaceAll('<wbr>', '')).toBe(markdown)
    expect(markdown.replace(/<\/?code>/g, '').replace(/&(?:lt|gt|amp|#\d+);/g, '')).not.toMatch(
      /[<>&|`*_~[\]\\@#$\n]/,
    )
    expect(decode(markdown.replace(/<\/?code>/g, ''))).toBe(oneLine(text, 100))
    const prose = decode(markdown.replace(/<code>.*?<\/code>/g, ''))
    expect(prose).not.toMatch(/@|#\d|https?:\/\/|www\.|\bgh-\d|(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])/i)
  })
})

const references =
  ':+1: a:-1:b :smile: :non-potable_water: @octocat a/b#123 #123 GH-12 www.example.org a@b.org'
test.each([...references.split(' '), ...['4f5c1d09ab37', 'https://x.org', 'SHOP-12']])(
  'Markdown text: %s stays text, since GitHub looks for such things after decoding',
  (word) => {
    expect(markdownText(`a ${word} b`)).toMatch(/^a (<code>[^<]*<\/code>)+ b$/)
    expect(decode(markdownText(word).replace(/<\/?code>/g, ''))).toBe(word)
  },
)

test.each([
  ['commit e7ea266, which is checked out', 'commit <code>e7ea266</code>, which is checked out'],
  ['at e7ea266.', 'at <code>e7ea266</code>.'],
  ['("e7ea266"): x', '("<code>e7ea266</code>"): x'],
  ['of @octocat; #12!', 'of <code>&#64;octocat</code>; <code>&#35;12</code>!'],
  ['see www.example.org?', 'see <code>www&#46;example.org</code>?'],
  [
    'on :tada: www. or a@b.',
    'on <code>&#58;tada:</code> <code>www&#46;</code> or <code>a</code><code>&#64;b</code>.',
  ],
])('Markdown text: of "%s", only the reference is code', (text, markdown) => {
  expect(markdownText(text)).toBe(markdown)
  expect(markdownCellText(text).replaceAll('<wbr>', '')).toBe(markdown)
})

test('Markdown cell: a long word may break after signs and before capitals, one without them anywhere', () => {
  expect(markdownCellName('checkout/PlaceOrder.WithVoucher')).toBe(
    '<code>checkout/<wbr>Place<wbr>Order.<wbr>With<wbr>Voucher</code>',
  )
  expect(markdownCellText(`of ${'x'.repeat(45)} it`)).toBe(
    `of ${'x'.repeat(16)}<wbr>${'x'.repeat(16)}<wbr>${'x'.repeat(13)} it`,
  )
  expect(markdownCellText('of 3,600,000,000 samples, v8.Place.1Order2345')).toBe(
    'of 3,600,000,000\u00a0<wbr>samples, v8.<wbr>Place.<wbr>1Order2345',
  )
  expect(markdownCellName('"Shop.Place"')).toBe('<code>"Shop.Place"</code>')
})

test('Markdown cell: a part of a long word that could be a commit is code, like a commit', () => {
  expect(markdownCellText(`${'x'.repeat(16)}4f5c1d09ab37`)).toMatch(/^<code>.*<\/code>$/)
})

test('no line breaks within a length', () => {
  for (const show of [htmlText, markdownText]) {
    for (const text of [
      '7% (10.7%_before), 1_warned, at 2026\u201103\u201101_14:31_UTC',
      'after 5_h_45_min_3_s of 2026',
      'top 3 p99.9_320_→_940_ms',
      '3_of_12_requests, p95_+33% and 16_more, 1_more',
      '9,999,999_ms_→_9,999,999_ms, 10,000,000 → 1_ms, 1 → 10,000,000',
      '3_of_48,000 → 4_of_48,000',
      '28_September 2026, 30_× of 1 or',
    ])
      expect(
        show(text.replaceAll('_', ' ').replaceAll('\u2011', '-'))
          .replaceAll('\u00a0', '_')
          .replace('&#58;', ':'),
      ).toBe(text)
  }
})

test('what people copy has only the spaces that it had: a name as code, and in quotes', () => {
  expect(markdownCellName('requests p95 <= baseline + 10 % + 20 ms')).toBe(
    '<code>requests p95 &lt;= baseline + 10 % + 20 ms</code>',
  )
  for (const text of [htmlText, markdownText]) {
    expect(text('"After 5 s" takes 5 s, "or 6 s').replaceAll('&#34;', '"')).toBe(
      '"After 5 s" takes 5\u00a0s, "or 6 s',
    )
  }
})

describe('a gate', () => {
  const kept = (html: string) => decode(html.replace(/<.*?>/g, '').replaceAll('\u00a0', '&#160;'))
  const shown = (gate: string) => [markdownCellName(gate, 9999, true), htmlName(gate, true)].map(kept)

  test.each([
    ['requests p95 <= baseline + 10 % + 20 ms', 'requests p95 <=_baseline_+_10_%_+_20_ms'],
    ['warn: request "a 5 ms <= 6" p95 ≥ 1.2 s strict', 'warn: request "a 5 ms <= 6" p95 ≥_1.2_s_strict'],
    ["xpath(count(//a[. > 5][b = 'c 5 ms'])) <= 3", "xpath(count(//a[. > 5][b = 'c 5 ms'])) <=_3"],
    ['scorecard passes', 'scorecard_passes'],
  ])('breaks within no limit: %s', (gate, text) => {
    for (const one of shown(gate)) expect(one).toBe(text.replaceAll('_', '\u00a0'))
  })

  test('reads the same when it is copied', () => {
    for (const gate of fc.sample(aGate, 300).map(printGate)) {
      const [{ check, warn } = {}] = parseGates(gate).gates
      if (gate.length > 200 || gate !== oneLine(gate, 999)) continue
      for (const one of shown(gate)) expect(parseGates(one).gates).toMatchObject([{ check, warn }])
    }
  })
})

test('Markdown text: footnotes, comments and tasks stay text', () => {
  expect(markdownText('[^1] <!-- x --> [ ] [!NOTE]')).toBe(
    '&#91;^1&#93; &lt;!-- x --&gt; &#91; &#93; &#91;!NOTE&#93;',
  )
})

test('Markdown line: does not begin a list, heading, quote or rule', () => {
  check((text) => {
    expect(markdownLine(text)).not.toMatch(/^(?:[-+*=>#|~`]|\d+[.)])/)
    expect(decode(markdownLine(text).replace(/<\/?code>/g, ''))).toBe(oneLine(text, 500))
  })
})

test.each([
  ['https://example.com/a?b=c&d#e', 'https://example.com/a?b=c&d#e'],
  ['http://127.0.0.1:8080/x', 'http://127.0.0.1:8080/x'],
  ['https://example.com/a|b(c)"d" <e>`f`', 'https://example.com/a%7Cb%28c%29%22d%22%20%3Ce%3E%60f%60'],
  ['https://exämple.com/ü', 'https://xn--exmple-cua.com/%C3%BC'],
  ['javascript:alert(1)', undefined],
  [' java\nscript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['//example.com', undefined],
  ['https://user:secret@example.com', undefined],
  ['', undefined],
  [`https://example.com/${'x'.repeat(2000)}`, undefined],
  [undefined, undefined],
])('address %j is %j', (address, expected) => {
  expect(webAddress(address)).toBe(expected)
})

test('addresses contain nothing that ends a link or an attribute', () => {
  const starts = [
    'https://example.com/',
    'http://a.b:8080/x?y=',
    'https://[::1]/#',
    'http://xn--9ca.org/%2e/',
  ]
  fc.assert(
    fc.property(
      fc.oneof(
        fc.tuple(fc.constantFrom(...starts), anyText()).map((parts) => parts.join('')),
        nasty,
      ),
      nasty,
      (start, end) => {
        const address = webAddress(start + end) ?? webAddress(`https://example.com/${end}`)
        if (address !== undefined) expect(address).toMatch(/^https?:\/\/[^<>"'`()|\\\s]*$/)
      },
    ),
    { numRuns: 400 },
  )
})

test('a link without an address keeps its label', () => {
  expect(markdownLink('a|b', 'javascript:x')).toBe('a&#124;b')
  expect(markdownLink('x](y', 'https://e.org/?a&copy;')).toBe('[x&#93;(y](<https://e.org/?a&amp;copy;>)')
})

test('chart labels consist of letters, digits and a few signs', () => {
  check((text) => expect(chartLabel(text)).toMatch(/^[\p{L}\p{N} _.…/-]{1,24}$/u))
  expect(chartLabel('"]\nline [1')).toBe('line 1')
})
