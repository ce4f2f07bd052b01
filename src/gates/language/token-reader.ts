import { oneLine } from '../../text/foreign-text.js'
import type { Slip, Token } from './line-tokens.js'
import { didYouMean } from '../../text/nearest.js'
import { operators, type Operator } from './gate.js'

/** Walks over the words of one line and collects the mistakes. */
export class TokenReader {
  private at = 0
  /** A line that could not be cut to its end is already reported; what seems to be missing comes after that place. */
  private readonly broken: boolean

  constructor(
    private readonly tokens: readonly Token[],
    private readonly slips: Slip[],
  ) {
    const last = tokens.at(-1)
    this.broken = slips.some((slip) => slip.column >= (last?.end ?? 0))
  }

  peek(ahead = 0): Token | undefined {
    return this.tokens[this.at + ahead]
  }

  next(): Token | undefined {
    return this.tokens[this.at++]
  }

  takeWord(word: string): boolean {
    const token = this.peek()
    const found = token?.kind === 'word' && token.text.toLowerCase() === word
    if (found) this.at++
    return found
  }

  takeOperator(): Operator | undefined {
    const token = this.peek()
    if (token?.kind === 'operator') {
      this.at++
      return token.operator
    }
    this.slip('An operator is missing here.', `Operators are ${operators.join(', ')}.`)
    return undefined
  }

  takeNumber(sentence: string, hint: string): string | undefined {
    const token = this.peek()
    if (token?.kind !== 'number') {
      this.slip(sentence, hint)
      return undefined
    }
    this.at++
    if (token.text.length > 30) {
      this.slipAt(token.column, 'The number has more than 30 digits.')
      return undefined
    }
    return token.text.startsWith('.') ? `0${token.text}` : token.text
  }

  /** @param others words that might have followed */
  expectEnd(others: readonly string[] = []): void {
    const token = this.peek()
    if (token) {
      this.slip(
        `"${oneLine(token.text, 40)}" does not belong after the gate.`,
        this.didYouMean(others) ?? 'Each line is one gate; comments begin with #.',
      )
    }
  }

  /** Where the next word resembles one of these. */
  didYouMean(words: readonly string[]): string | undefined {
    const token = this.peek()
    return token?.kind === 'word' ? didYouMean(token.text, words) : undefined
  }

  /** Something is wrong with the next word, or is missing at the end of the line. */
  slip(sentence: string, hint?: string): void {
    const token = this.peek()
    if (!token && this.broken) return
    this.slipAt(token?.column ?? this.tokens.at(-1)?.end ?? 1, sentence, hint)
  }

  slipAt(column: number, sentence: string, hint?: string): void {
    this.slips.push(hint === undefined ? { column, sentence } : { column, sentence, hint })
  }
}
