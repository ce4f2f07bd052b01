import { ReportError } from '../errors.js'
import { withoutSecrets } from '../text/redaction.js'
import type { Element } from '../xml/xml.js'
import { isMeasurable } from './report.js'

/** An element that is read for its children by name; the others are skipped. */
export function parent(
  children: Record<string, Element>,
  hooks: Pick<Element, 'start' | 'end'> = {},
): Element {
  const byName = new Map(Object.entries(children))
  return { ...hooks, child: (name) => byName.get(name) }
}

/** An element that is read for its text. */
export function leaf(take: (text: string) => void): Element {
  return { text: take }
}

/** An element that is read for a figure: a text that is not a number counts as absent. */
export function figure(take: (value: number) => void): Element {
  return leaf((text) => {
    const value = numberOf(text)
    if (value !== undefined) take(value)
  })
}

/** Characters of a name or text: few that people give have a hundred. */
const longest = 4000

/** A text that is not blank, as it is kept. */
export function nonBlank(text: string): string | undefined {
  const trimmed = text.trim()
  return trimmed === '' ? undefined : kept(trimmed)
}

/** An element that is read for its text, if that is not blank. */
export function words(take: (text: string) => void): Element {
  return leaf((text) => {
    const word = nonBlank(text)
    if (word !== undefined) take(word)
  })
}

/** Sets what is known and was not set before: if an element that should occur once occurs again, the first counts. */
export function put<T, K extends keyof T>(target: T, key: K, value: T[K] | undefined): void {
  if (value !== undefined) target[key] ??= value
}

/** An element that is read for a record, which its children fill. */
export function record<T>(
  begin: (attributes: Readonly<Record<string, string>>) => T,
  children: (now: () => T) => Record<string, Element>,
  done: (record: T) => void,
): Element {
  let filled: T
  return parent(
    children(() => filled),
    { start: (attributes) => (filled = begin(attributes)), end: () => done(filled) },
  )
}

/** An element that is read for texts and figures of its children. */
export function row<T extends string, F extends string>(
  texts: readonly T[],
  figures: readonly F[],
  done: (texts: Partial<Record<T, string>>, figures: Partial<Record<F, number>>) => void,
): Element {
  let found: Parameters<typeof done> = [{}, {}]
  const children = [
    ...texts.map((name) => [name, words((text) => put(found[0], name, text))] as const),
    ...figures.map((name) => [name, figure((value) => put(found[1], name, value))] as const),
  ]
  return parent(Object.fromEntries(children), { start: () => (found = [{}, {}]), end: () => done(...found) })
}

const decimal = /^[+-]?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?$/

/** `-12`, `0.562`, `1E+3`; neither `1,021` nor `0x10`, `1E308` or a blank. */
export function numberOf(text: string): number | undefined {
  const trimmed = text.length > 100 ? text : text.trim()
  const value = plainNumber(trimmed) ?? (decimal.test(trimmed) ? Number(trimmed) : undefined)
  return value !== undefined && isMeasurable(value) ? value : undefined
}

const powersOfTen = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14]

/**
 * The form of nearly all figures, `780.557`, at a third of the cost: below 2^53 one division by a power of ten
 * rounds exactly as Number does.
 */
function plainNumber(text: string): number | undefined {
  let digits = 0
  let point = -1
  if (text.length === 0 || text.length > 15) return undefined
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit >= 0 && digit <= 9) digits = digits * 10 + digit
    else if (digit === -2 && point === -1 && i > 0 && i < text.length - 1) point = i
    else return undefined
  }
  return point === -1 ? digits : digits / (powersOfTen[text.length - 1 - point] ?? Number.NaN)
}

/**
 * A text to keep, without secrets, at most `limit` characters. The copy matters: the parser's texts from 13 characters on are
 * views into a portion of the file, and each would keep all of that portion in memory.
 */
export function kept(text: string, limit = longest): string {
  const clean = withoutSecrets(text, limit)
  const cut = clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean
  return cut.length < 13 ? cut.toWellFormed() : Buffer.from(cut, 'utf8').toString('utf8')
}

/** @throws ReportError if the list would grow beyond `limit` */
export function pushBounded<T>(list: T[], item: T, limit: number, what: string): void {
  if (list.length >= limit)
    throw new ReportError(`The report is refused: it contains more than ${limit} ${what}.`)
  list.push(item)
}
