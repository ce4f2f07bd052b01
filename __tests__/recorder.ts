import { appendFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { patternOf, quotes } from './printed.js'

/* Set up before each test file where PRINTED names a folder: keeps the lines that pages quote of all that tests look at. */

const folder = process.env['PRINTED'] ?? ''
const isOfPages = /readme\.test\.ts$/.test(expect.getState().testPath ?? '')
/** The longest part of a quote is looked for first. */
const wanted = new Map(
  (isOfPages ? [] : quotes()).map((quote) => {
    const [word = ''] = quote
      .replaceAll('\\|', '|')
      .split('…')
      .map((part) => part.trim())
      .sort((a, b) => b.length - a.length)
    return [quote, { pattern: patternOf(quote), word }]
  }),
)
/** Whole reports are no messages. */
const mostLength = 200_000
const seen = new Set<string>()
const known = new WeakSet()

function note(value: unknown, depth = 0): void {
  if (typeof value === 'string') {
    if (seen.has(value) || value.length < 8 || value.length > mostLength) return
    seen.add(value)
    for (const [quote, { pattern, word }] of wanted) {
      if (!value.includes(word)) continue
      const line = pattern.exec(value)?.[0]
      if (line === undefined) continue
      wanted.delete(quote)
      mkdirSync(folder, { recursive: true })
      appendFileSync(path.join(folder, `${process.pid}.jsonl`), `${JSON.stringify([quote, line])}\n`)
    }
  } else if (value instanceof Error) note(value.message)
  else if (value instanceof Promise) value.then(note, note)
  else if (typeof value === 'object' && value !== null && depth < 8 && !ArrayBuffer.isView(value)) {
    if (known.has(value)) return
    known.add(value)
    for (const one of Object.values(value)) note(one, depth + 1)
  }
}

const original = expect
const watching = (actual: unknown): unknown => {
  if (typeof actual !== 'function') note(actual)
  const matchers = original(actual)
  if (typeof actual !== 'function') return matchers
  const noting = (): void => {
    try {
      Reflect.apply(actual, undefined, [])
    } catch (error) {
      note(error)
      throw error
    }
  }
  const toThrow = (...due: Parameters<typeof matchers.toThrow>) => original(noting).toThrow(...due)
  return Object.assign(Object.create(matchers) as typeof matchers, { toThrow })
}
Object.assign(globalThis, { expect: Object.assign(watching, original) })
