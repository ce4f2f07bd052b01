import { type Spelling, isPlain, plainer, spelt, squeezed } from './spelling.js'

/** Removes secrets from text. */
export interface Redaction {
  add(secret: string): void
  /** @param limit of characters that are needed; what follows them may be missing */
  text(text: string, limit?: number): string
}

// Anything shorter would be found in ordinary text.
const shortest = 6

/**
 * A service, a proxy or a report may repeat what was sent to the service. The runner hides secrets only in logs:
 * comments, artifacts and outputs would contain them, so they are removed where a text enters, before it is cut.
 *
 * Encodings are not listed: text is decoded step by step, and each step is searched.
 */
export function redaction(): Redaction {
  const hidden = new Set<string>()
  /** How many characters a secret may take up in a text. */
  let longest = 0
  const clean = (given: string): string => {
    // As a list may have a million.
    if (given.length < shortest || hidden.size === 0 || (isPlain(given) && !holds(given))) return given
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
  const holds = (given: string): boolean => {
    const text = given.replaceAll(' ', '').toLowerCase()
    for (const secret of hidden) if (text.includes(secret)) return true
    return false
  }
  return {
    add(secret) {
      for (const form of secretParts(secret).flatMap(formsOf)) {
        for (const step of stepsOf(form)) {
          if (step.text.length >= shortest) hidden.add(step.text)
        }
        // Each character may be escaped, and escaped again.
        longest = Math.max(longest, form.length * 12)
      }
    },
    text(text, limit = Infinity) {
      if (longest === 0 || text.length <= limit + 2 * longest) return clean(text)
      // The last secret of the part may have lost its end.
      return clean(text.slice(0, limit + 2 * longest)).slice(0, -longest)
    },
  }
}

/** The secrets of this step: the process has no others, as the runner knows none but the job's. */
export const secrets = redaction()

/** Foreign text without them. @param limit of characters that are needed; what follows them may be missing */
export function withoutSecrets(text: string, limit?: number): string {
  return secrets.text(text, limit)
}

/** Takes them out of the texts of plain data, in place, except in fields that hold words of this project. */
export function hideSecrets(value: unknown, ownWords: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    const held: unknown = Reflect.get(value, key)
    if (ownWords.includes(key)) continue
    if (typeof held === 'string') Reflect.set(value, key, withoutSecrets(held))
    else hideSecrets(held, ownWords)
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
