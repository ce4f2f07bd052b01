import fc from 'fast-check'
import { faultMessage } from '../../src/language/gate.js'
import { parseGates as parse } from '../../src/language/language.js'
import { checkXPath } from '../../src/xml/expression.js'
import { aGate } from './arbitrary-gate.js'
import { printGate } from './printed-gate.js'
import { anyText } from '../any-text.js'

const parseGates = (text: string) => parse(text, checkXPath)

describe('gates that are read', () => {
  it.each([
    ['requests p95 <= 500 ms'],
    ['transactions count >= 100'],
    ['actions apdex > 0.85'],
    ['action "Login" apdex >= 0.9'],
    ['page-loads p99.9 < 2.5 s'],
    ['custom-timers max <= 1 s'],
    ['transaction "T" errors = 0'],
    ['page-load "*" median <= 1 s'],
    ['custom-timer "a?c*" deviation <= 20 ms'],
    ['requests throughput >= 12.5 /s'],
    ['requests throughput >= 600 /min'],
    ['requests throughput >= 36000 /h'],
    ['requests error-rate <= 0.1 %'],
    ['agents cpu <= 80 %'],
    ['web-vitals "Home" cls <= 0.1'],
    ['web-vitals "Home" lcp <= 2.5 s'],
    ['requests mean <= baseline'],
    ['requests mean <= baseline + 10 % + 20 ms - 0.5 s'],
    ['requests throughput >= baseline - 5 %'],
    ['requests count >= baseline - 10'],
    ['requests error-rate <= baseline + 0.5 pp + 10 %'],
    ['scorecard passes'],
    ['warn: requests max < 10 s'],
    ['xpath(count(/testreport/errors/error)) <= 3'],
    ['xpath(//request[name = ")#("]/count) >= -1.5'],
    ["xpath(max((1, 2)) (: a ) comment :) + string-length('it''s')) = 6"],
    ['xpath(abs#1(-1)) = 1'],
  ])('%s', (line) => {
    const { gates, faults } = parseGates(line)
    expect(faults).toEqual([])
    expect(gates.map(printGate)).toEqual([line])
    expect(gates.map(({ text }) => text)).toEqual([line])
  })

  it.each([
    ['REQUESTS P95 <= 500 MS', 'requests p95 <= 500 ms'],
    ['  requests\tp95<=.5s  # comment', 'requests p95 <= 0.5 s'],
    ['requests p99.90 <= 1 s', 'requests p99.9 <= 1 s'],
    ['Warn : Scorecard Passes', 'warn: scorecard passes'],
    ['requests mean<=baseline+10%+20ms', 'requests mean <= baseline + 10 % + 20 ms'],
    ['requests throughput >= 5 / S', 'requests throughput >= 5 /s'],
    ['request "a\\"\\\\\\*b" max <= 1 s', 'request "a\\"\\\\\\*b" max <= 1 s'],
    ['request "a**b" max <= 1 s', 'request "a*b" max <= 1 s'],
    ['request "a # b" max <= 1 s#c', 'request "a # b" max <= 1 s'],
    ['XPath ( 1 + 1 ) = +2', 'xpath(1 + 1) = 2'],
    ['\ufeffscorecard passes', 'scorecard passes'],
  ])('%j reads as %j', (line, plain) => {
    expect(parseGates(line).faults).toEqual([])
    expect(parseGates(line).gates.map(printGate)).toEqual([plain])
  })

  it('keeps the text without comment and blanks, and the line', () => {
    const { gates } = parseGates('# first\r\n\r\n  Requests errors = 0   # none\n')
    expect(gates).toMatchObject([{ text: 'Requests errors = 0', line: 3, warn: false }])
  })

  it('reads nothing from blank lines and comments', () => {
    expect(parseGates('\n  \n# requests p95 <= 1\n\t#')).toEqual({ gates: [], faults: [] })
  })

  it('takes escaped stars as stars', () => {
    const [gate] = parseGates('request "\\*x?" max <= 1 s').gates
    expect(gate?.check).toMatchObject({ subject: { pattern: [{ text: '*x' }, { wildcard: '?' }] } })
  })
})

describe('mistakes', () => {
  it.each([
    // line, column, sentence and hint
    ['requets p95 <= 1 s', 1, '"requets" is not a subject.', 'Did you mean requests or request?'],
    ['page_load "x" p95 <= 1 s', 1, '"page_load" is not a subject.', 'Did you mean page-load'],
    ['p95 <= 1 s', 1, 'The metric p95 has no subject before it.', 'requests p95'],
    ['- requests p95 <= 1 s', 1, 'A gate does not begin with a dash.', 'Only in a file with gates'],
    ['XPath 5 = 0', 1, 'The parenthesis is missing after xpath.', 'Write xpath(EXPRESSION) <= NUMBER.'],
    ['<= 1 s', 1, 'A subject is missing here.', 'Subjects are'],
    ['request p95 <= 1 s', 9, 'A name is missing after request.', 'or requests for the row of all'],
    ['web-vitals cls <= 1', 12, 'A name is missing after web-vitals.', 'web-vitals "*"'],
    ['requests "x" p95 <= 1 s', 10, 'requests takes no name.', 'Write request "x".'],
    ['agents "x" cpu <= 1 %', 8, 'agents takes no name.', 'busiest'],
    ['requests <= 1 s', 10, 'A metric is missing here.', 'Metrics are'],
    ['requests p95th <= 1 s', 10, '"p95th" is not a metric.', 'Did you mean p95?'],
    ['requests p101 <= 1 s', 10, '"p101" is not a metric.', 'Metrics are'],
    ['requests p0 <= 1 s', 10, '"p0" is not a metric.', 'Did you mean p50?'],
    ['requests averag <= 1 s', 10, '"averag" is not a metric.', 'Metrics are'],
    ['requests avg <= 1 s', 10, '"avg" is not a metric.', 'Did you mean mean?'],
    ['requests error_rate <= 1 %', 10, '"error_rate" is not a metric.', 'Did you mean error-rate?'],
    ['requests apdex >= 0.9', 10, 'requests have no apdex.', 'It applies only to actions'],
    ['transactions cpu <= 80 %', 14, 'transactions have no cpu.', 'It applies only to agents'],
    ['requests lcp <= 1 s', 10, 'requests have no lcp.', 'It applies only to web-vitals'],
    ['agents p95 <= 1 s', 8, 'agents have no p95.', 'It applies only to transactions'],
    ['agents throughput >= 1 /s', 8, 'agents have no throughput.', 'It applies only to transactions'],
    ['web-vitals "x" p95 <= 1 s', 16, 'web-vitals have no p95.', 'It applies only to transactions'],
    ['requests p95 500 ms', 14, 'An operator is missing here.', 'Operators are'],
    ['requests p95', 13, 'An operator is missing here.', 'Operators are'],
    ['requests p95 == 500 ms', 14, '"==" is not an operator.', 'Write =.'],
    ['requests p95 ≤ 500 ms', 14, '"≤" is not an operator.', 'Write <=.'],
    ['requests p95 != 500 ms', 14, '"!=" is not an operator.', 'Operators are'],
    ['requests p95 <=', 16, 'A limit is missing here.', 'baseline + 10%'],
    ['requests p95 <= fast', 17, 'A limit is missing here.', 'baseline + 10%'],
    ['requests p95 <= 500', 20, 'The amount of p95 has no unit.', 'Write NUMBER ms or NUMBER s.'],
    ['requests p95 <= 500 %', 21, 'The unit % cannot be used with p95.', 'NUMBER ms or NUMBER s'],
    ['requests p95 <= 500 msec', 21, '"msec" is not a unit.', 'Did you mean ms?'],
    ['requests p95 <= 5 min', 19, '"min" is not a unit.', 'Did you mean /min?'],
    ['requests error-rate <= 1', 25, 'The amount of error-rate has no unit.', 'Write NUMBER %.'],
    ['agents cpu <= 1 pp', 17, 'The unit pp cannot be used with cpu.', 'points only follow baseline'],
    ['requests mean <= baseline + 1 pp', 31, 'The unit pp cannot be used with mean.', 'NUMBER %'],
    ['requests count >= 5 %', 21, 'The unit % cannot be used with count.', 'bare NUMBER'],
    ['actions apdex >= 90 %', 21, 'The unit % cannot be used with apdex.', 'bare NUMBER'],
    ['web-vitals "x" cls <= 1 ms', 25, 'The unit ms cannot be used with cls.', 'bare NUMBER'],
    ['web-vitals "x" lcp <= 1', 24, 'The amount of lcp has no unit.', 'NUMBER ms'],
    ['agents cpu <= 80', 17, 'The amount of cpu has no unit.', 'NUMBER %'],
    ['requests throughput >= 10', 26, 'The amount of throughput has no unit.', 'NUMBER /min or NUMBER /h'],
    ['requests throughput >= 10 rps', 27, '"rps" is not a unit.', 'Did you mean /s?'],
    ['requests throughput >= baseline-1/s-1/min', 42, '/s and /min cannot be mixed in one gate.', 'one unit'],
    ['requests mean <= baseline + 20', 31, 'The amount of mean has no unit.', 'ms, NUMBER s or NUMBER %'],
    ['requests mean <= baseline 10 %', 27, 'There is no + or - before the amount.', 'baseline + 10%'],
    ['requests mean <= baseline +', 28, 'An amount is missing here.', 'baseline + 10%'],
    ['requests mean <= -5 ms', 18, 'A limit takes no sign.', 'baseline + AMOUNT'],
    ['requests mean <= 1,5 s', 19, '1,5 is not a number.', 'point'],
    ['requests mean <= 5 s requests', 22, '"requests" does not belong after the gate.', 'Each line is one'],
    ['warn requests mean <= 5 s', 6, 'There is no colon after warn.', 'warn:'],
    ['warn:', 6, 'A subject is missing here.', 'Subjects are'],
    ['scorecard pass', 11, '"passes" is missing after scorecard.', 'scorecard passes'],
    ['scorecard passes = 1', 18, '"=" does not belong after the gate.', 'Each line'],
    ['request "x p95 <= 1 s', 9, 'The name that begins here has no closing quote.', '\\"'],
    ['request "" p95 <= 1 s', 9, 'The name is empty.', ''],
    ['request "a\\d" p95 <= 1 s', 11, 'A single backslash in a name has no meaning.', '\\\\'],
    ["request 'x' p95 <= 1 s", 9, "' is not a quote mark for names.", 'straight double quotes'],
    ['request “x” p95 <= 1 s', 9, '“ is not a quote mark for names.', 'straight double quotes'],
    ['requests mean <= baseline − 5 ms', 27, '− is not a minus sign.', 'Write -.'],
    ['requests (p95) <= 5 ms', 10, 'A parenthesis is not allowed here.', 'xpath'],
    ['requests p95 <= 5 ms;', 21, 'The character ; is not allowed here.', ''],
    ['requests p95 <= 5 ms \u0007', 22, 'The character U+0007 is not allowed here.', ''],
    ['xpath(count(//a) = 0', 6, 'The parenthesis of xpath( is never closed.', 'EXPRESSION'],
    ['xpath("a) = 0', 6, 'The parenthesis of xpath( is never closed.', 'quotes'],
    ['xpath() = 0', 7, 'The XPath expression is empty.', 'XPath 3.1'],
    ['xpath(1 +) = 0', 10, 'The XPath expression is not valid at its end.', 'XPath 3.1'],
    ['xpath(/a/@) = 0', 9, 'The XPath expression is not valid at "/@".', 'XPath 3.1'],
    ['xpath( 1 2) = 0', 10, 'The XPath expression is not valid at "2".', 'XPath 3.1'],
    ['xpath(foo(1)) = 0', 7, 'The XPath expression cannot be used: XPST0017: Function foo', 'XPath 3.1'],
    ['xpath($x) = 0', 7, 'The XPath expression cannot be used: XPST0008', 'XPath 3.1'],
    ['xpath(a:b) = 0', 7, 'The XPath expression cannot be used: XPST0081', 'XPath 3.1'],
    ['xpath(doc("/etc/passwd")) = 0', 7, 'The XPath expression cannot be used: XPST0017', 'XPath 3.1'],
    ['xpath(1) = baseline', 12, 'An xpath gate ends with a number.', 'NUMBER'],
    ['xpath(1) = 5 ms', 14, 'The number of an xpath gate has no unit.', 'milliseconds'],
    ['xpath(1)', 9, 'An operator is missing here.', 'Operators are'],
  ])('%s', (line, column, sentence, hint) => {
    const { gates, faults } = parseGates(`scorecard passes\n${line}`)
    expect(gates).toHaveLength(1)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatchObject({ line: 2, column })
    expect(faults[0]?.sentence).toContain(sentence)
    expect(faults[0]?.hint ?? '').toContain(hint)
  })

  it.each([
    ['a long number', `requests mean <= ${'1'.repeat(31)} s`, 18, 'The number has more than 30 digits.'],
    ['a deep expression', `xpath(${'('.repeat(900)}1${')'.repeat(900)}) = 0`, 7, 'is nested too deeply.'],
    ['a long line', `requests p95 <= 5 ms #${'x'.repeat(4000)}`, 4001, 'is longer than 4000 characters.'],
  ])('%s', (_what, line, column, sentence) => {
    const { gates, faults } = parseGates(line)
    expect(gates).toEqual([])
    expect(faults).toMatchObject([{ line: 1, column }])
    expect(faults[0]?.sentence).toContain(sentence)
  })

  it('are all reported at once, also several of one line', () => {
    const text = 'requests foo == 5 bar\nscorecard passes\n\nrequest p95 <= 5'
    expect(parseGates(text).faults.map(({ line, column }) => [line, column])).toEqual([
      [1, 10],
      [1, 14],
      [1, 19],
      [4, 9],
      [4, 17],
    ])
  })

  it('more than 500 gates are refused', () => {
    const { gates, faults } = parseGates('scorecard passes\n'.repeat(502))
    expect(gates).toHaveLength(500)
    expect(faults).toMatchObject([{ line: 501, sentence: 'There are more than 500 gates.' }])
  })

  it('a text beyond 100,000 characters is refused', () => {
    expect(parseGates('#'.repeat(100_001)).faults).toHaveLength(1)
  })

  it('are printed with file, line, column and hint', () => {
    const [fault] = parseGates('requets p95 <= 1 s').faults
    expect(fault && faultMessage({ ...fault, file: 'gates.txt' })).toBe(
      'gates.txt, line 1, column 1: "requets" is not a subject. Did you mean requests or request?',
    )
  })
})

describe('properties', () => {
  const spaced = `requests request "a*" " p95 p99.9 <= == 5 1,5 ms % /s baseline + - warn: scorecard passes xpath( ) ( ' # //a[ ]`
  const parts = [...spaced.split(' '), '\\', '\n', ' ', '\u0000']
  const noise = fc.oneof(
    anyText({ maxLength: 200 }),
    fc.array(fc.constantFrom(...parts), { maxLength: 20 }).map((words) => words.join(' ')),
  )

  it('no text breaks the parser, and every fault points into the text', () => {
    fc.assert(
      fc.property(noise, (text) => {
        const { faults } = parseGates(text)
        const lines = text.split(/\r\n|[\n\r]/)
        for (const fault of faults) {
          expect(fault.sentence).toMatch(/\.$/)
          expect(faultMessage(fault)).not.toMatch(/[\u0000-\u001f]/)
          expect(fault.line).toBeGreaterThanOrEqual(1)
          expect(fault.line).toBeLessThanOrEqual(lines.length)
          expect(fault.column).toBeGreaterThanOrEqual(1)
          expect(fault.column).toBeLessThanOrEqual((lines[fault.line - 1]?.length ?? 0) + 1)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('a printed gate reads back as the same gate', () => {
    fc.assert(
      fc.property(aGate, (gate) => {
        const printed = printGate(gate)
        const { gates, faults } = parseGates(printed)
        expect(faults).toEqual([])
        expect(gates).toEqual([{ ...gate, text: printed }])
      }),
      { numRuns: 100 },
    )
  })
})
