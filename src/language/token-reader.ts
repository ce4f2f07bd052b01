import { oneLine } from '../text/foreign-text.js'
import { withoutSecrets } from '../text/redaction.js'
import type { NamePattern } from '../text/name-pattern.js'
import { didYouMean } from '../text/nearest.js'
import { operators, type Operator, type Slip } from './gate.js'

/** A word of a gate. `column` counts from 1, `end` is the column after it. */
export type Token = { text: string; column: number; end: number } & (
  | { kind: 'word' | 'number' | 'unit' | 'sign' | 'colon' }
  | { kind: 'operator'; operator: Operator }
  | { kind: 'name'; pattern: NamePattern }
  | { kind: 'xpath'; expression: string; expressionColumn: number }
)

export const unclosedName = 'The name that begins here has no closing quote.'

/** What people write, and the operator that they mean. */
const otherOperators = new Map<string, Operator>([
  ['=<', '<='],
  ['=>', '>='],
  ['==', '='],
  ['===', '='],
  ['≤', '<='],
  ['≥', '>='],
])

/** All that a line is cut into. After a number stands what would be a part of it elsewhere. */
const words = [
  ['blank', /\s+/y],
  ['name', /"(?:\\["\\*?]|\\(?!["\\*?])|[^"\\])*"/y],
  ['xpath', /xpath\s*\(/iy],
  ['word', /[a-z]+(?:[-_][a-z]+)*(?:[0-9]+(?:\.[0-9]+)?[a-z]*)?/iy],
  ['unit', /%|\/\s*[a-z]+/iy],
  ['sign', /[+-]/y],
  ['colon', /:/y],
  ['number', /([0-9]+(?:\.[0-9]+)?|\.[0-9]+)((?:[,_'’.][0-9]+| [0-9]{3}(?![0-9])|e[+-]?[0-9]+)+)?/iy],
  ['operator', /[<>=!]+|[≤≥≠]/y],
] as const

const oneGate = 'Each line is one gate; comments begin with #.'

/** What cannot begin a word: the first that fits says why. */
const strange: readonly [pattern: RegExp, sentence: string, hint: string][] = [
  [/"/y, unclosedName, 'A quote inside a name is written \\".'],
  [
    /['“”„‘’«»`]/y,
    'CHARACTER is not a quote mark for names.',
    'Write names in straight double quotes: "NAME".',
  ],
  [/[−–]/y, 'CHARACTER is not a minus sign.', 'Write -.'],
  [
    /(?<=(?<![a-z])p)\((\d+(?:\.\d+)?)\)/iy,
    'p(SHARE) is not a metric.',
    'Write, for example: requests pSHARE <= 500 ms.',
  ],
  [/\(/y, 'A parenthesis is not allowed here.', 'Only xpath(EXPRESSION) has parentheses.'],
  [/./suy, 'The character CHARACTER is not allowed here.', oneGate],
]

function matchAt(pattern: RegExp, line: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(line)
}

/** Index of the parenthesis that closes the expression; those in strings, comments and EQNames do not count. */
function endOfXPath(line: string, start: number): number | undefined {
  let depth = 0
  for (const { 0: sign, index } of line.slice(start).matchAll(/\(:.*?:\)|"[^"]*"|'[^']*'|["'()]/g)) {
    if (sign === '(') depth++
    else if (sign === ')' && depth-- === 0) return start + index
    else if (sign === '"' || sign === "'") return undefined
  }
  return undefined
}

/** Cuts one line into words up to its comment, walks over them, and collects the mistakes. */
export class TokenReader {
  readonly tokens: Token[] = []
  readonly slips: Slip[] = []
  private at = 0
  /** A line that could not be cut to its end is already reported; what seems to be missing comes after that place. */
  private readonly broken: boolean

  constructor(line: string) {
    let at: number | undefined = 0
    while (at !== undefined && at < line.length && line[at] !== '#') at = this.cut(line, at)
    const end = this.tokens.at(-1)?.end ?? 0
    this.broken = this.slips.some(({ column }) => column >= end)
  }

  /** Cuts off what begins there. @returns where the next begins; undefined if the line cannot be read any further */
  private cut(line: string, at: number): number | undefined {
    for (const [kind, pattern] of words) {
      const [whole, digits, rest] = matchAt(pattern, line, at) ?? []
      if (whole === undefined) continue
      const text = digits ?? whole
      const token = { text, column: at + 1, end: at + text.length + 1 }
      if (kind === 'xpath') return this.cutXPath(line, at, at + whole.length)
      if (kind === 'name') this.tokens.push({ kind, ...token, pattern: this.patternOf(token) })
      else if (kind === 'operator') {
        const operator = this.operatorOf(token)
        if (!operator) return undefined
        this.tokens.push({ kind, ...token, operator })
      } else if (kind !== 'blank') this.tokens.push({ kind, ...token })
      if (rest !== undefined)
        this.slipAt(
          token.end,
          `${oneLine(whole, 40)} is not a number.`,
          'Use digits and a decimal point, without thousands separators or an exponent: 1500.5.',
        )
      return at + whole.length
    }
    this.slipAtStrange(line, at)
    return undefined
  }

  private slipAtStrange(line: string, at: number): void {
    for (const [pattern, sentence, hint] of strange) {
      const [char, share = ''] = matchAt(pattern, line, at) ?? []
      if (char === undefined) continue
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      const shown = oneLine(char, 4) || `U+${code}`
      this.slipAt(
        at + 1,
        sentence.replace('CHARACTER', shown).replace('SHARE', share),
        hint.replace('SHARE', share),
      )
      return
    }
  }

  /** The pieces of a name in quotes. */
  private patternOf({ text: quoted, column }: Pick<Token, 'text' | 'column'>): NamePattern {
    const pieces = quoted.slice(1, -1).matchAll(/((?:\\["\\*?]|[^*?])+)|\*+|\?/g)
    const pattern = Array.from(pieces, ({ 0: piece, 1: literal, index }): NamePattern[number] => {
      // `**` matches what `*` matches.
      if (literal === undefined) return { wildcard: piece === '?' ? '?' : '*' }
      const text = literal.replace(/\\(["\\*?])?/g, (_, sign: string | undefined, at: number) => {
        if (sign === undefined)
          this.slipAt(
            column + 1 + index + at,
            'A single backslash in a name has no meaning.',
            'Write \\\\ for a backslash, \\" for a quote, \\* and \\? for a star and a question mark.',
          )
        return sign ?? ''
      })
      return { text: withoutSecrets(text) }
    })
    if (pattern.length === 0) this.slipAt(column, 'The name is empty.')
    return pattern
  }

  /** @param start of the expression */
  private cutXPath(line: string, at: number, start: number): number | undefined {
    const end = endOfXPath(line, start)
    if (end === undefined) {
      const hint = 'Check parentheses and quotes of the expression; write xpath(EXPRESSION) <= NUMBER.'
      this.slipAt(start, 'The parenthesis of xpath( is never closed.', hint)
      return undefined
    }
    const inside = line.slice(start, end)
    const expressionColumn = start + inside.search(/\S|$/) + 1
    const token = { text: line.slice(at, end + 1), column: at + 1, end: end + 2 }
    this.tokens.push({ kind: 'xpath', ...token, expression: inside.trim(), expressionColumn })
    return end + 1
  }

  private operatorOf({ text, column }: Pick<Token, 'text' | 'column'>): Operator | undefined {
    const exact = operators.find((one) => one === text)
    const meant = exact ?? otherOperators.get(text)
    const hint = meant ? `Write ${meant}.` : `Operators are ${operators.join(', ')}.`
    if (exact === undefined) this.slipAt(column, `"${text}" is not an operator.`, hint)
    return meant
  }

  peek(ahead = 0): Token | undefined {
    return this.tokens[this.at + ahead]
  }

  next(): Token | undefined {
    return this.tokens[this.at++]
  }

  takeWord(word: string): boolean {
    const token = this.peek()
    if (token?.kind !== 'word' || token.text.toLowerCase() !== word) return false
    this.at++
    return true
  }

  takeName(): Extract<Token, { kind: 'name' }> | undefined {
    const token = this.peek()
    if (token?.kind !== 'name') return undefined
    this.at++
    return token
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
    if (!token) return
    const sentence = `"${oneLine(token.text, 40)}" does not belong after the gate.`
    this.slip(sentence, this.didYouMean(others) ?? oneGate)
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
