import { type Spelling, plainer, spelt, squeezed } from './spelling.js'

/** Removes secrets from text. */
export interface Redaction {
  add(secret: string): void
  text(text: string): string
  /** A copy of plain data with the secrets removed from each of its texts. */
  all<T>(value: T): T
}

// Anything shorter would be found in ordinary text.
const shortest = 6

/**
 * A service, a proxy or a report may repeat what was sent to the service. The runner hides secrets only in logs:
 * comments, artifacts and outputs would contain them, so they are removed before anybody else sees the text.
 *
 * Encodings are not listed: text is decoded step by step, and each step is searched.
 */
export function redaction(): Redaction {
  const hidden = new Set<string>()
  const text = (given: string): string => {
    // As a list may have a million.
    if (given.length < shortest) return given
    const spans: Span[] = []
    for (const step of stepsOf(given)) {
      const { text: plain, from, to } = step
      for (const secret of hidden) {
        for (let at = plain.indexOf(secret); at >= 0; at = plain.indexOf(secret, at + secret.length)) {
          spans.push({ from: from[at] ?? 0, to: to[at + secret.length - 1] ?? given.length })
        }
      }
    }
    return without(given, spans)
  }
  const hideIn = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const key of Object.keys(value)) {
      const held: unknown = Reflect.get(value, key)
      if (typeof held === 'string') Reflect.set(value, key, text(held))
      else hideIn(held)
    }
  }
  return {
    add(secret) {
      for (const form of secretParts(secret).flatMap(formsOf)) {
        for (const step of stepsOf(form)) {
          if (step.text.length >= shortest) hidden.add(step.text)
        }
      }
    },
    text,
    all(value) {
      const copy = structuredClone(value)
      hideIn(copy)
      return copy
    },
  }
}

/**
 * A secret, and the parts that reveal enough: each line, and for a signed token (JWT) the payload and the signature.
 */
export function secretParts(secret: string): string[] {
  const lines = secret.split(/\r\n|[\r\n]|\\n/).map((line) => line.trim())
  const token = /^[\w-]+\.([\w-]+)\.([\w-]+)$/.exec(secret)
  const parts = [...lines, ...(token?.slice(1) ?? [])].filter((part) => part.length >= shortest)
  return [...new Set([secret, ...parts])]
}

/** Unchanged, in hex, and in base64 at each offset in a longer text. Other encodings are decoded. */
function formsOf(secret: string): string[] {
  const texts = [secret, encodeURIComponent(secret.toWellFormed())]
  const base64 = texts.flatMap((text) => [0, 1, 2].map((shift) => base64Inside(text, shift)))
  return [
    secret,
    ...texts.map((text) => Buffer.from(text).toString('hex')),
    ...base64,
    ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/** The digits that do not depend on what comes before and after the secret. */
function base64Inside(secret: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)])
  const digits = bytes.toString('base64').replaceAll('=', '')
  return digits.slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

/** Texts may be nested: in an address in JSON in HTML and so on, but not endlessly. */
const mostSteps = 6

function* stepsOf(text: string): Generator<Spelling, undefined> {
  let step: Spelling | undefined = squeezed(spelt(text))
  for (let steps = 0; step && steps < mostSteps; steps++) {
    yield step
    const next = plainer(step)
    step = next && squeezed(next)
  }
  return undefined
}

/** A part of a text: its first character, and the one after its last. */
interface Span {
  from: number
  to: number
}

function without(text: string, spans: readonly Span[]): string {
  let rest = ''
  let end = 0
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    if (from >= end) rest += `${text.slice(end, from)}***`
    end = Math.max(end, to)
  }
  return rest + text.slice(end)
}
