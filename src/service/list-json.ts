import { bodyOf, jsonLimit, parse, slowAnswerTimeout, textDecoderOf, tooMuchJson } from './answer.js'
import type { Operation } from './operations.js'
import type { Answer } from './transport.js'

/**
 * Reads the JSON of a list of any length: each record of its outermost lists is read as soon as it is complete, and only
 * what `keep` makes of it stays.
 *
 * @returns the rest, in which such a record is `{"kept": INDEX}`
 * @throws ServiceError if it breaks off or takes five minutes, AnswerError if it is not JSON, or a record is too large
 */
export async function readListJson<T>(
  operation: Operation,
  answer: Answer,
  keep: (record: unknown) => T,
): Promise<{ rest: unknown; kept: T[] }> {
  const kept: T[] = []
  const parts = new ListParts((record) => `{"kept":${kept.push(keep(parse(operation, record))) - 1}}`)
  const decoder = textDecoderOf(answer)
  for await (const chunk of bodyOf(operation, answer, slowAnswerTimeout)) {
    parts.add(decoder.decode(chunk, { stream: true }))
    if (parts.held > jsonLimit) throw tooMuchJson(operation)
  }
  return { rest: parse(operation, parts.rest + decoder.decode()), kept }
}

const [quote, backslash, opening, closing, openList, closeList] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]

/** Finds the records by their brackets. What is not JSON stays in the rest. */
class ListParts {
  rest = ''
  #record = ''
  #depth = 0
  #lists = 0
  /** How deep the record is that has begun. */
  #within: number | undefined
  #isText = false
  #isEscaped = false

  constructor(readonly replaced: (record: string) => string) {}

  /** Characters that have been read and are not replaced yet. */
  get held(): number {
    return this.rest.length + this.#record.length
  }

  add(text: string): void {
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const sign = text.charCodeAt(at)
      if (this.#isText) this.#inText(sign)
      else if (sign === quote) this.#isText = true
      else if (sign === opening && this.#lists === 1 && this.#within === undefined) {
        this.rest += text.slice(from, at)
        from = at
        this.#within = this.#depth++
      } else if (sign === closing && this.#within === this.#depth - 1) {
        this.rest += this.replaced(this.#record + text.slice(from, at + 1))
        this.#record = ''
        from = at + 1
        this.#within = undefined
        this.#depth--
      } else this.#bracket(sign)
    }
    if (this.#within === undefined) this.rest += text.slice(from)
    else this.#record += text.slice(from)
  }

  #inText(sign: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (sign === backslash) this.#isEscaped = true
    else if (sign === quote) this.#isText = false
  }

  #bracket(sign: number): void {
    const step = sign === opening || sign === openList ? 1 : sign === closing || sign === closeList ? -1 : 0
    this.#depth += step
    if (this.#within === undefined && (sign === openList || sign === closeList)) this.#lists += step
  }
}
