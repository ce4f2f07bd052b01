import type { LoadProfileEntry } from '../../report/report.js'
import { durationText } from './figure-text.js'
import { plainNumber } from '../../figures/quantity.js'
import { plural } from '../../text/plural.js'

/**
 * The load of all test cases together: `28 users, ramp-up 30 s`. The engine writes numbers as `1,021`, and a number
 * that changes over time as `1...9`: then the largest counts. Undefined if the profile has neither users nor
 * arrivals.
 */
export function loadText(profile: readonly LoadProfileEntry[]): string | undefined {
  const all = (setting: string) => profile.flatMap(({ settings }) => largest(settings[setting]) ?? [])
  const sum = (figures: readonly number[]) => figures.reduce((total, one) => total + one, 0)
  const users = sum(all('numberOfUsers'))
  const arrivals = sum(all('arrivalRate'))
  if (users === 0 && arrivals === 0) return undefined
  const rampUp = Math.max(0, ...all('rampUpPeriod'))
  return [
    ...(users > 0 ? [plural(users, 'user')] : []),
    ...(arrivals > 0 ? [`${plainNumber(arrivals)} arrivals/h`] : []),
    ...(rampUp > 0 ? [`ramp-up ${durationText(rampUp)}`] : []),
  ].join(', ')
}

function largest(text: string | undefined): number | undefined {
  const numbers = (text ?? '').split('...').map((part) => Number(part.replaceAll(',', '') || NaN))
  return numbers.every(Number.isFinite) ? Math.max(...numbers) : undefined
}
