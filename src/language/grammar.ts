import Big from 'big.js'
import { oneLine } from '../text/foreign-text.js'
import { amountUnits } from './gate.js'
import type { Amount, AmountUnit, CheckXPath, FigureCheck, Gate, Slip, Subject } from './gate.js'
import { singleKinds, summaryKinds, timerWords } from '../figures/figures.js'
import { isMetric, metricName, metricRule, metricWords, ruleOf } from '../figures/metrics.js'
import type { Measure, Metric } from '../figures/metrics.js'
import type { TimerKind } from '../report/report.js'
import { didYouMean, nearest } from '../text/nearest.js'
import { anyOf } from '../text/plural.js'
import { TokenReader, type Token } from './token-reader.js'
import type { NamePattern } from '../text/name-pattern.js'
import { withoutSecrets } from '../text/redaction.js'

const maxLine = 4000

/** Reads one line. There is no gate in a blank line or a comment, and if there are slips. */
export function parseGate(
  line: string,
  checkXPath?: CheckXPath,
): { gate?: Pick<Gate, 'text' | 'warn' | 'check'>; slips: Slip[] } {
  if (line.length > maxLine)
    return { slips: [{ column: maxLine + 1, sentence: `The line is longer than ${maxLine} characters.` }] }
  const reader = new TokenReader(line)
  const { tokens, slips } = reader
  if (tokens.length === 0) return { slips }
  const warn = takeWarn(reader)
  // A line that broke off within a word would only be reported a second time for what is missing.
  const check = parseCheck(reader, checkXPath)
  if (check && slips.length === 0) return { gate: { text: textOf(line, tokens), warn, check }, slips }
  // The leftmost slip of a place says enough.
  const sorted = slips.toSorted((a, b) => a.column - b.column)
  return { slips: sorted.filter(({ column }, index) => column !== sorted[index - 1]?.column) }
}

/** As it was written, without blanks and comments around it; names and expressions are foreign text. */
function textOf(line: string, tokens: readonly Token[]): string {
  const text = tokens.map(({ kind, text, column }, index) => {
    const gap = index === 0 ? '' : line.slice((tokens[index - 1]?.end ?? 0) - 1, column - 1)
    return gap + (kind === 'name' || kind === 'xpath' ? withoutSecrets(text) : text)
  })
  return text.join('')
}

function takeWarn(reader: TokenReader): boolean {
  if (!reader.takeWord('warn')) {
    if (reader.peek()?.kind !== 'word' || reader.peek(1)?.kind !== 'colon') return false
    const word = oneLine(reader.peek()?.text ?? '', 40)
    const hint = 'Write warn: before a gate that only warns, or nothing.'
    reader.slip(`"${word}:" is not how a gate begins.`, hint)
    reader.next()
  }
  if (reader.peek()?.kind === 'colon') reader.next()
  else reader.slip('There is no colon after warn.', 'Write warn: before the gate.')
  return true
}

function parseCheck(reader: TokenReader, checkXPath?: CheckXPath): Gate['check'] | undefined {
  const token = reader.peek()
  if (token?.kind === 'xpath') return parseXPath(reader, token, checkXPath)
  if (reader.takeWord('scorecard')) {
    if (!reader.takeWord('passes')) {
      reader.slip('"passes" is missing after scorecard.', 'Write: scorecard passes.')
      return undefined
    }
    reader.expectEnd()
    return { kind: 'scorecard' }
  }
  if (token?.kind === 'sign')
    reader.slip('A gate does not begin with a dash.', 'Only in a file with gates each has one: remove it.')
  else if (token?.kind === 'word' && token.text.toLowerCase() === 'xpath')
    reader.slip('The parenthesis is missing after xpath.', 'Write xpath(EXPRESSION) <= NUMBER.')
  else return parseFigure(reader)
  return undefined
}

function parseXPath(
  reader: TokenReader,
  token: Extract<Token, { kind: 'xpath' }>,
  checkXPath?: CheckXPath,
): Gate['check'] | undefined {
  reader.next()
  const slip = checkXPath?.(token.expression)
  if (slip)
    reader.slipAt(
      token.expressionColumn + slip.offset,
      slip.sentence,
      'The expression is XPath 3.1 over testreport.xml, such as xpath(/testreport/summary/requests/errors) = 0.',
    )
  const operator = reader.takeOperator()
  if (!operator) return undefined
  const sign = reader.peek()?.kind === 'sign' ? reader.next()?.text : ''
  const number = reader.takeNumber('An xpath gate ends with a number.', 'Write xpath(EXPRESSION) <= NUMBER.')
  if (number === undefined) return undefined
  if (reader.peek()?.kind === 'unit' || reader.peek()?.kind === 'word') {
    reader.slip(
      'The number of an xpath gate has no unit.',
      'In testreport.xml, response times are milliseconds, and lengths such as general/duration seconds.',
    )
    return undefined
  }
  reader.expectEnd()
  const text = `${sign === '-' ? '-' : ''}${number}`
  return { kind: 'xpath', expression: token.expression, operator, number: new Big(text).eq(0) ? '0' : text }
}

function parseFigure(reader: TokenReader): Gate['check'] | undefined {
  const subject = parseSubject(reader)
  const metric = parseMetric(reader, subject?.subject)
  if (!metric) return undefined
  const operator = reader.takeOperator()
  if (!operator) return undefined
  const limit = parseLimit(reader, metric)
  if (!limit) return undefined
  const strict = reader.takeWord(strictWord)
  reader.expectEnd(strict ? [] : [strictWord])
  if (!subject?.subject || !metric.metric) return undefined
  const about = { metric: metric.metric, operator, limit, ...(strict ? { strict } : {}) }
  return { kind: 'figure', subject: subject.subject, ...about }
}

const subjectWords = [
  ...summaryKinds.keys(),
  ...singleKinds.keys(),
  'web-vitals',
  'agents',
  'scorecard',
  'xpath',
]

/** Undefined if nothing could be read as a subject; without a subject inside if it is a wrong one. */
function parseSubject(reader: TokenReader): { subject?: Subject } | undefined {
  const token = reader.peek()
  if (token?.kind !== 'word') {
    reader.slip('A subject is missing here.', `Subjects are ${subjectWords.join(', ')}.`)
    return undefined
  }
  const word = token.text.toLowerCase()
  const summary = summaryKinds.get(word)
  const single = singleKinds.get(word)
  // `p95 <= 1 s` lacks its subject.
  if (isMetric(metricName(word))) {
    reader.slip(`The metric ${word} has no subject before it.`, `Write, for example: requests ${word} ...`)
    return undefined
  }
  reader.next()
  const name = reader.takeName()
  if (single !== undefined || word === 'web-vitals') return parseNamed(reader, word, single, name)
  if (summary !== undefined || word === 'agents') {
    if (!name) return { subject: { kind: summary ?? 'agents' } }
    const instead = summary && `Write ${timerWords[summary].single} ${oneLine(name.text, 60)}.`
    const hint = instead ?? 'It stands for the busiest load generator.'
    reader.slipAt(name.column, `${word} takes no name.`, hint)
    return {}
  }
  reader.slipAt(
    token.column,
    `"${oneLine(token.text, 40)}" is not a subject.`,
    /^(?:none|no|false|off|true|yes|on)$/.test(word)
      ? 'To judge without gates, leave gates empty.'
      : (didYouMean(word.replaceAll('_', '-'), subjectWords) ?? `Subjects are ${subjectWords.join(', ')}.`),
  )
  return {}
}

/** A subject that a name belongs to: timers of a kind, or else web vitals. */
function parseNamed(
  reader: TokenReader,
  word: string,
  timers: TimerKind | undefined,
  name: { pattern: NamePattern } | undefined,
): { subject?: Subject } {
  if (name) return { subject: { kind: timers ?? 'web-vitals', pattern: name.pattern } }
  const hint = timers
    ? `Write ${word} "NAME", ${word} "*" for each one, or ${timerWords[timers].summary} for the row of all.`
    : 'Write web-vitals "NAME" or web-vitals "*".'
  reader.slip(`A name is missing after ${word}.`, hint)
  return {}
}

/** What other tools call a metric. */
const otherMetrics = new Map([
  ['avg', 'mean'],
  ['average', 'mean'],
  ['stddev', 'deviation'],
  ['rps', 'throughput'],
  ['tps', 'throughput'],
  ['rate', 'throughput or error-rate'],
  ['error-percentage', 'error-rate'],
  ['failures', 'errors'],
])

/** A word where a metric belongs, and the metric if it is one. */
function parseMetric(reader: TokenReader, subject?: Subject): { word: string; metric?: Metric } | undefined {
  const token = reader.peek()
  // What is no subject was told.
  if (!token && !subject) return undefined
  if (token?.kind !== 'word') {
    reader.slip('A metric is missing here.', `Metrics are ${fitting(subject).join(', ')}.`)
    return undefined
  }
  reader.next()
  const word = metricName(token.text)
  if (!isMetric(word)) {
    const dashed = word.replaceAll('_', '-')
    const other = otherMetrics.get(dashed)
    const percentile = metricName(/^p\d+(?:\.\d+)?/.exec(dashed)?.[0] ?? '')
    const meant = other ?? (isMetric(percentile) ? percentile : undefined)
    const hint = meant ? `Did you mean ${meant}?` : didYouMean(dashed, fitting(subject))
    const sentence = `"${oneLine(token.text, 40)}" is not a metric.`
    reader.slipAt(token.column, sentence, hint ?? `Metrics are ${fitting(subject).join(', ')}.`)
    return { word }
  }
  const { owner } = ruleOf(word)
  if (subject && !fits(owner, subject)) {
    const sentence = `${subjectName(subject)} have no ${word}.`
    reader.slipAt(token.column, sentence, `It applies only to ${owners[owner]}.`)
  }
  return { word, metric: word }
}

const owners: Record<ReturnType<typeof ruleOf>['owner'], string> = {
  timers: 'transactions, actions, requests, page-loads and custom-timers',
  actions: 'actions and action "NAME"',
  'web-vitals': 'web-vitals "NAME"',
  agents: 'agents',
}

function subjectName({ kind }: Subject): string {
  return kind === 'agents' || kind === 'web-vitals' ? kind : timerWords[kind].summary
}

function fits(owner: keyof typeof owners, { kind }: Subject): boolean {
  return owner === kind || (owner === 'timers' && kind !== 'agents' && kind !== 'web-vitals')
}

function fitting(subject: Subject | undefined): Metric[] {
  return metricWords.filter((word) => subject === undefined || fits(ruleOf(word).owner, subject))
}

/** After a limit: compare only the figures. */
const strictWord = 'strict'

/** What people write, and the unit that they mean. */
const otherUnits = new Map([
  ...['sec', 'secs', 'second', 'seconds'].map((word) => [word, 's'] as const),
  ...['msec', 'millis', 'milliseconds'].map((word) => [word, 'ms'] as const),
  ...['/sec', '/second', 'rps', 'tps'].map((word) => [word, '/s'] as const),
  ...['min', '/m', '/minute'].map((word) => [word, '/min'] as const),
  ['percent', '%'] as const,
  ['/hour', '/h'] as const,
])

/** Reads `amount` or `baseline { (+|-) amount }` with units that fit the metric. */
function parseLimit(
  reader: TokenReader,
  metric: NonNullable<ReturnType<typeof parseMetric>>,
): FigureCheck['limit'] | undefined {
  if (reader.takeWord('baseline')) {
    const amounts: Amount[] = []
    for (;;) {
      const sign = reader.peek()
      if (sign?.kind !== 'sign') break
      reader.next()
      const amount = parseAmount(reader, metric, true)
      if (!amount) return undefined
      amounts.push({ ...amount, sign: sign.text === '-' ? '-' : '+' })
    }
    const rates = new Set(amounts.flatMap(({ unit }) => (unit?.startsWith('/') ? [unit] : [])))
    if (rates.size > 1)
      reader.slip(`${[...rates].join(' and ')} cannot be mixed in one gate.`, 'Write all rates in one unit.')
    const stray = reader.peek()
    if (stray?.kind === 'number') {
      reader.slip('There is no + or - before the amount.', 'Write baseline + 10%.')
      return undefined
    }
    return { from: 'baseline', amounts }
  }
  if (reader.peek()?.kind === 'sign') {
    reader.slip('A limit takes no sign.', 'Write the amount alone, or baseline + AMOUNT.')
    reader.next()
  }
  const amount = parseAmount(reader, metric, false)
  return amount && { from: 'zero', amount: { ...amount, sign: '+' } }
}

function parseAmount(reader: TokenReader, metric: Parameters<typeof parseLimit>[1], isRelative: boolean) {
  const number = isRelative
    ? reader.takeNumber('An amount is missing here.', 'Write baseline + 10% + 20 ms.')
    : reader.takeNumber(
        'A limit is missing here.',
        reader.didYouMean(['baseline']) ??
          `Write a number with its unit${reader.peek()?.kind === 'name' ? ', without quotes' : ''}, or baseline + 10%.`,
      )
  if (number === undefined) return undefined
  const unit = parseUnit(reader, metric, isRelative)
  return unit === undefined ? { number } : { number, unit }
}

/** The unit after a number, whether it fits the metric or not; undefined if there is none. */
function parseUnit(
  reader: TokenReader,
  { word, metric }: Parameters<typeof parseLimit>[1],
  isRelative: boolean,
) {
  const of = metric && units[ruleOf(metric).measure]
  const allowed = of ? [...of.always, ...(isRelative ? [of.relative] : [])] : []
  const choices = allowed.map((unit) => (unit ? `NUMBER ${unit}` : 'a bare NUMBER'))
  const advice = `Write ${anyOf(choices)}.`
  const token = reader.peek()
  if ((token?.kind !== 'unit' && token?.kind !== 'word') || token.text.toLowerCase() === strictWord) {
    if (of && !of.always.includes('')) reader.slip(`The amount of ${word} has no unit.`, advice)
    return undefined
  }
  const unit = knownUnit(reader, token.text)
  if (unit && of && !allowed.includes(unit))
    reader.slip(`The unit ${unit} cannot be used with ${word}.`, misfit(word, unit, advice))
  reader.next()
  return unit
}

function knownUnit(reader: TokenReader, text: string): AmountUnit | undefined {
  const written = text.toLowerCase().replace(/\s/g, '')
  const unit = amountUnits.find((one) => one === written)
  if (unit !== undefined) return unit
  const [near = ''] = nearest(written, [...amountUnits, ...otherUnits.keys()])
  const meant = otherUnits.get(written) ?? otherUnits.get(near) ?? near
  const hint = meant ? `Did you mean ${meant}?` : `Units are ${amountUnits.join(', ')}.`
  reader.slip(`"${oneLine(text, 40)}" is not a unit.`, hint)
  return undefined
}

/** What is meant by a unit that does not fit. */
function misfit(metric: string, unit: AmountUnit, advice: string): string {
  if (metric === 'errors' && unit === '%') return 'Did you mean error-rate?'
  if (metric === 'count' && unit.startsWith('/')) return 'Did you mean throughput?'
  const points = unit === 'pp' && metricRule(metric)?.measure === '%'
  return `${points ? 'Percentage points only follow baseline. ' : ''}${advice}`
}

/** The units of an amount, and those that it may have after `baseline` only; `''` is a bare number. */
const units: Record<Measure, { always: (AmountUnit | '')[]; relative: AmountUnit }> = {
  ms: { always: ['ms', 's'], relative: '%' },
  '%': { always: ['%'], relative: 'pp' },
  rate: { always: ['/s', '/min', '/h'], relative: '%' },
  number: { always: [''], relative: '%' },
}
