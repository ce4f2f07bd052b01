import { timerKinds, type TimerKind } from '../report/report.js'
import { oneLine } from '../text/foreign-text.js'

/** Something in a report that has figures. Its kind and its full name tell it from all others: `placeKey`. */
export type Place = TimerPlace | { kind: 'web-vitals'; name: string } | { kind: 'agents' }

/**
 * A timer; without a name, the summary row of its kind. With `anyStatus` it is all requests of that name, whatever status
 * theirs end with; they have a count, errors and an error rate.
 */
export interface TimerPlace {
  kind: TimerKind
  name?: string
  anyStatus?: true
}

/** The words of the gate language for each kind: its summary row, and one timer by name. */
export const timerWords: Record<TimerKind, { summary: string; single: string }> = {
  transactions: { summary: 'transactions', single: 'transaction' },
  actions: { summary: 'actions', single: 'action' },
  requests: { summary: 'requests', single: 'request' },
  pageLoads: { summary: 'page-loads', single: 'page-load' },
  customTimers: { summary: 'custom-timers', single: 'custom-timer' },
}

export const summaryKinds = new Map(timerKinds.map((kind) => [timerWords[kind].summary, kind]))
export const singleKinds = new Map(timerKinds.map((kind) => [timerWords[kind].single, kind]))

export function isTimerPlace(place: Place): place is TimerPlace {
  return place.kind !== 'agents' && place.kind !== 'web-vitals'
}

/** Undefined for the one place of its kind that has no name. */
export function nameOf(place: Place): string | undefined {
  return 'name' in place ? place.name : undefined
}

/** The same for the same place only; nothing to read. */
export function placeKey(place: Place): string {
  const name = nameOf(place)
  const kind = 'anyStatus' in place ? `${place.kind}*` : place.kind
  return name === undefined ? kind : `${kind} ${name}`
}

/** As people read it: `request "Login"`, `requests`, `web-vitals "Home"`, `agents`. Long names are cut. */
export function placeName(place: Place): string {
  if (place.kind === 'agents') return 'agents'
  if (place.kind === 'web-vitals') return `web-vitals "${oneLine(place.name)}"`
  const words = timerWords[place.kind]
  return place.name === undefined ? words.summary : `${words.single} "${oneLine(place.name)}"`
}
