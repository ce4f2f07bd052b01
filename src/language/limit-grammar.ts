import { oneLine } from '../text/foreign-text.js'
import { amountUnits, type Amount, type AmountUnit, type FigureCheck } from './gate.js'
import { metricRule, type Measure } from '../figures/metrics.js'
import { nearest } from '../text/nearest.js'
import type { TokenReader } from './token-reader.js'

/** After a limit: compare only the figures. */
export const strictWord = 'strict'

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
export function parseLimit(
  reader: TokenReader,
  metric: string,
  measure: Measure | undefined,
): FigureCheck['limit'] | undefined {
  if (reader.takeWord('baseline')) {
    const amounts: Amount[] = []
    for (;;) {
      const sign = reader.peek()
      if (sign?.kind !== 'sign') break
      reader.next()
      const amount = parseAmount(reader, metric, measure, true)
      if (!amount) return undefined
      amounts.push({ ...amount, sign: sign.text === '-' ? '-' : '+' })
    }
    const rates = new Set(amounts.flatMap(({ unit }) => (unit?.startsWith('/') ? [unit] : [])))
    if (rates.size > 1) {
      reader.slip(`${[...rates].join(' and ')} cannot be mixed in one gate.`, 'Write all rates in one unit.')
    }
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
  const amount = parseAmount(reader, metric, measure, false)
  if (!amount) return undefined
  return { from: 'zero', amount: { ...amount, sign: '+' } }
}

function parseAmount(
  reader: TokenReader,
  metric: string,
  measure: Measure | undefined,
  isRelative: boolean,
): Omit<Amount, 'sign'> | undefined {
  const number = isRelative
    ? reader.takeNumber('An amount is missing here.', 'Write baseline + 10% + 20 ms.')
    : reader.takeNumber(
        'A limit is missing here.',
        reader.didYouMean(['baseline']) ??
          `Write a number with its unit${reader.peek()?.kind === 'name' ? ', without quotes' : ''}, or baseline + 10%.`,
      )
  if (number === undefined) return undefined
  const unit = parseUnit(reader, metric, measure, isRelative)
  return unit === undefined ? { number } : { number, unit }
}

/** The unit after a number, whether it fits the metric or not; undefined if there is none. */
function parseUnit(
  reader: TokenReader,
  metric: string,
  measure: Measure | undefined,
  isRelative: boolean,
): AmountUnit | undefined {
  const allowed = measure && unitsOf(measure, isRelative)
  const advice = allowed ? `Write ${choices(allowed)}.` : ''
  const token = reader.peek()
  if ((token?.kind !== 'unit' && token?.kind !== 'word') || token.text.toLowerCase() === strictWord) {
    if (allowed && !allowed.includes('')) reader.slip(`The amount of ${metric} has no unit.`, advice)
    return undefined
  }
  const unit = knownUnit(reader, token.text)
  if (unit && allowed && !allowed.includes(unit)) {
    reader.slip(`The unit ${unit} cannot be used with ${metric}.`, misfit(metric, unit, advice))
  }
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

function unitsOf(measure: Measure, isRelative: boolean): (AmountUnit | '')[] {
  const { always, relative } = units[measure]
  return isRelative ? [...always, relative] : always
}

function choices(units: readonly (AmountUnit | '')[]): string {
  const words = units.map((unit) => (unit ? `NUMBER ${unit}` : 'a bare NUMBER'))
  const last = words.pop() ?? ''
  return words.length ? `${words.join(', ')} or ${last}` : last
}
