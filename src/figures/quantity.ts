import { groupThousands } from '../text/plural.js'
import type { Unit } from './metrics.js'

/** How a figure is written, everywhere in the same way. */

export const absent = '–'

/** A bare number with its thousands grouped: three significant digits below 1,000, whole above. */
export function plainNumber(value: number, decimals = decimalsOf(value)): string {
  if (!Number.isFinite(value)) return absent
  const magnitude = Math.abs(value)
  if (magnitude >= 1e15) return value.toExponential(2)
  const [whole = '0', fraction = ''] = magnitude.toFixed(decimals).split('.')
  const kept = fraction.replace(/0+$/, '')
  const digits = groupThousands(whole) + (kept === '' ? '' : `.${kept}`)
  return value < 0 && digits !== '0' ? `−${digits}` : digits
}

/** A figure with its unit; a dash if it is absent. */
export function quantity(value: number | undefined, unit: Unit): string {
  if (value === undefined || !Number.isFinite(value)) return absent
  // 99.97% is not 100%, nor is 0.
  if (unit === '%' && value < 100 && plainNumber(value) === '100')
    return withUnit(plainNumber(value, decimalsApart(value, 100)), unit)
  return withUnit(plainNumber(value), unit)
}

/**
 * A value and its limit, with as many decimals as they need to differ: no table says that 550 ms is more than 550 ms.
 */
export function valueAndLimit(
  value: number | undefined,
  limit: number | undefined,
  unit: Unit,
): { value: string; limit: string } {
  if (value === undefined || limit === undefined || !Number.isFinite(value) || value === limit) {
    return { value: quantity(value, unit), limit: quantity(limit, unit) }
  }
  const decimals = decimalsApart(value, limit)
  const shown = (figure: number) =>
    decimals === undefined ? String(figure) : plainNumber(figure, Math.max(decimals, decimalsOf(figure)))
  return { value: withUnit(shown(value), unit), limit: withUnit(shown(limit), unit) }
}

export function withUnit(text: string, unit: Unit): string {
  if (text === absent || unit === 'number') return text
  return unit === '%' ? `${text}%` : `${text} ${unit}`
}

/** As few decimals as keep two numbers apart, and in their order; undefined if it takes more than twelve. */
function decimalsApart(value: number, limit: number): number | undefined {
  for (let decimals = decimalsOf(value); decimals < 12; decimals += 1) {
    const [first, second] = [
      Number(value.toFixed(decimals)),
      Number(limit.toFixed(Math.max(decimals, decimalsOf(limit)))),
    ]
    if (first !== second && first < second === value < limit) return decimals
  }
  return undefined
}

function decimalsOf(value: number): number {
  const magnitude = Math.abs(value)
  if (magnitude === 0 || !Number.isFinite(value)) return 0
  return Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(magnitude))))
}
