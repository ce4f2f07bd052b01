import { fieldsOf, isFields, textOf, type Fields } from '../text/fields.js'
import { phaseOf } from './project.js'

/**
 * Where a record may have what a start and a run depend on. The interface shows no names of fields: the first ones here
 * are those of the API explorer, the others are plain enough to be read, and whatever is left is unknown.
 */

/** Letters alone: `start_time`, `startTime` and `StartTime` are one name. */
export const plain = (key: string) => key.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** What a record may be wrapped in, in addition to the envelope. */
const wrappers = {
  loadTest: /^(?:new|created|copied)?(?:loadtest|copy|run|record|item|result|response|payload)$/,
  codeArchive: /^(?:new|created|uploaded)?(?:codearchive|archive|record|item|result|response|payload)$/,
} as const
/** A record that only wraps another one has none of these. */
const own = /^(?:index|number|id|name|.*(?:state|status|phase))$/

/** The record itself, or the one that it wraps. */
export function innermost(value: unknown, kind: keyof typeof wrappers, depth = 0): unknown {
  if (!isFields(value) || depth > 3) return value
  if (isFields(value[kind])) return value[kind]
  if (Object.entries(value).some(isOwn)) return value
  const [inner, ...more] = Object.entries(value).filter(
    ([key, held]) => wrappers[kind].test(plain(key)) && isFields(held),
  )
  return inner && more.length === 0 ? innermost(inner[1], kind, depth + 1) : value
}

/** What only says that the call went well is the envelope's: `"status": "OK"`. */
function isOwn([key, held]: [string, unknown]): boolean {
  const name = plain(key)
  const isEnvelopes = name === 'status' && !isFields(held) && phaseOf(stateWord(String(held))) === 'unknown'
  return own.test(name) && !isEnvelopes
}

const numberNames = ['index', 'number', 'loadtestnumber', 'loadtestindex'] as const
const otherNumber =
  /^(?:new|copy|copied|created|started)?(?:loadtest|test|copy|run)?(?:number|index|nr|no|id)$/
const ofCopy = /^(?:new|cop|creat|start)/

/** The number in a field whose name says that it is the load test's, by the API explorer first. */
export function usualNumber(record: Fields): number | undefined {
  const entries = Object.entries(record)
  return numberNames
    .flatMap((name) => entries.filter(([key]) => plain(key) === name))
    .map(([, value]) => whole(value))
    .find((one) => one !== undefined)
}

/** The number in whatever a record has for one: other fields, or the address of the load test. */
export function anyNumber(record: Fields, isOther: (number: number) => boolean = () => false) {
  const fields = Object.entries(record).filter(([key]) => otherNumber.test(plain(key)))
  const ranked = [...fields.filter(([key]) => ofCopy.test(plain(key))), ...fields].map(([, value]) =>
    whole(value),
  )
  const links = [record, ...[record.links, record._links].filter(isFields)].flatMap((holder) =>
    Object.entries(holder)
      .filter(([key]) => /^(?:url|uri|href|link|self|location|loadtest|copy)$/.test(plain(key)))
      .map(([, value]) => numberInAddress(isFields(value) ? value.href : value)),
  )
  return [usualNumber(record), ...ranked, ...links].find((one) => one !== undefined && !isOther(one))
}

/** The load test that an address of the interface, or of a page, is about. */
export function numberInAddress(address: unknown): number | undefined {
  if (typeof address !== 'string') return undefined
  return whole(/\/load-?tests\/(\d+)(?:\/status)?\/?(?:[?#].*)?$/i.exec(address)?.[1])
}

/** Numbers of load tests, reports and results begin at 1. */
export function whole(value: unknown): number | undefined {
  const read = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof read === 'number' && Number.isSafeInteger(read) && read >= 1 ? read : undefined
}

const stateField =
  /^(?:execution|loadtest|run|test|current|lifecycle)?(?:state|status|phase)(?:name|text|label)?$/
const stateHolder = /^(?:.*(?:state|status|phase)|.*execution|lifecycle|run|progress)$/
const wordNames = ['name', 'value', 'code', 'key', 'label', 'id', 'text', 'current', 'type'] as const

/** In upper case, without what stands before it: `RUNNING` of ` running `, `State.RUNNING` or `STATE_RUNNING`. */
export function stateWord(text: string): string {
  const word = text.trim().toUpperCase()
  return /^(?:[\w ]*[.:/]|(?:\w+_)?STAT(?:E|US)_)?(\w+)$/.exec(word)?.[1] ?? word
}

/** The state that a record names; of several, the first that is known. A number names none. */
export function stateIn(record: Fields): string | undefined {
  const executionState = fieldsOf(record.executionState)
  return best(wordsIn({ executionState })) ?? best(wordsIn(record))
}

function best(words: readonly string[]): string | undefined {
  return words.find((word) => phaseOf(word) !== 'unknown') ?? words[0]
}

function wordsIn(record: Fields, depth = 0): string[] {
  // The service shows people phases, which are parts of a state.
  const isPhase = ([key]: [string, unknown]) => /phase/i.test(key)
  const entries = Object.entries(record).sort((a, b) => Number(isPhase(a)) - Number(isPhase(b)))
  return entries.flatMap(([key, value]) => {
    const isState = stateField.test(plain(key))
    if (isState && typeof value === 'string') return isWord(value) ? [stateWord(value)] : []
    if (!isFields(value) || depth > 2 || !stateHolder.test(plain(key))) return []
    const named = isState
      ? wordNames.map((name) => textOf(value[name])).find((one) => one && isWord(one))
      : undefined
    return [...(named === undefined ? [] : [stateWord(named)]), ...wordsIn(value, depth + 1)]
  })
}

/** A number as text means nothing. */
function isWord(text: string): boolean {
  return /\p{L}/u.test(text)
}

const startName = /^start(?:ed)?(?:time|at|date)?$/
const endName = /^(?:end(?:ed)?|finish(?:ed)?|completed)(?:time|at|date)?$/

/** When it started and ended, beside its state first. Milliseconds since 1970. */
export function timesIn(record: Fields): { startTime?: number | undefined; endTime?: number | undefined } {
  const beside = Object.entries(record).filter(([key]) => stateHolder.test(plain(key)))
  const holders = [record.executionState, record, ...beside.map(([, value]) => value)].filter(isFields)
  // A time elsewhere may be that of something else.
  const holder = holders.find((one) => Object.keys(one).some((key) => isTime(plain(key)))) ?? {}
  const first = (name: RegExp) =>
    Object.entries(holder)
      .filter(([key]) => name.test(plain(key)))
      .map(([, value]) => time(value))
      .find((one) => one !== undefined)
  return { startTime: first(startName), endTime: first(endName) }
}

const isTime = (name: string) => startName.test(name) || endName.test(name)

/** UTC milliseconds, 0 when not started or not finished, as text too; seconds and ISO 8601, in UTC without a zone, as well. */
function time(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const isDate = typeof value === 'string' && !/^\d*$/.test(value)
  const read = isDate ? Date.parse(value.replace(/[T ]\d\d:\d\d(?::[\d.]+)?$/, '$&Z')) : Number(value)
  // A date after 2099, such as 9999-12-31, stands for none.
  if (Number.isNaN(read) || read <= 0 || read > 4.1e12) return undefined
  const isSeconds = !isDate && read > 1e9 && read < 1e11
  return isSeconds ? read * 1000 : read
}
