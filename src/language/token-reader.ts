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

const number = /[0-9]+(?:\.[0-9]+)?|\.[0-9]+/y
const operator = /[<>=!]+|[≤≥≠]/y
const xpathStart = /xpath\s*\(/iy

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

const plainKinds = [
  ['word', /[a-z]+(?:[-_][a-z]+)*(?:[0-9]+(?:\.[0-9]+)?[a-z]*)?/iy],
  ['unit', /%|\/\s*[a-z]+/iy],
  ['sign', /[+-]/y],
  ['colon', /:/y],
] as const

/** Cuts one line into words up to its comment. A character that is not allowed ends it with a slip. */
class LineCutter {
  readonly tokens: Token[] = []
  readonly slips: Slip[] = []
  private at = 0

  constructor(private readonly line: string) {
    while (this.take());
  }

  /** Takes the next word; false where the line ends, or cannot be read any further. */
  private take(): boolean {
    const char = this.line.charAt(this.at)
    if (char === '' || char === '#') return false
    if (/\s/.test(char) || char === '\ufeff') return this.at++ >= 0
    if (char === '"') return this.name()
    const opening = this.match(xpathStart)
    if (opening !== undefined) return this.xpath(this.at + opening.length)
    for (const [kind, pattern] of plainKinds) {
      const text = this.match(pattern)
      if (text !== undefined) return this.plain(kind, text)
    }
    const digits = this.match(number)
    if (digits !== undefined) return this.number(digits)
    const written = this.match(operator)
    if (written !== undefined) return this.operator(written)
    this.slips.push({ column: this.at + 1, ...strangeCharacter(this.line, this.at) })
    return false
  }

  private match(pattern: RegExp, at = this.at): string | undefined {
    pattern.lastIndex = at
    return pattern.exec(this.line)?.[0]
  }

  private plain(kind: (typeof plainKinds)[number][0] | 'number', text: string): boolean {
    this.tokens.push({ kind, ...this.upTo(this.at + text.length) })
    return true
  }

  /** Where a token lies that ends before the index, which is read next. */
  private upTo(end: number): Pick<Token, 'text' | 'column' | 'end'> {
    const place = { text: this.line.slice(this.at, end), column: this.at + 1, end: end + 1 }
    this.at = end
    return place
  }

  private name(): boolean {
    const { pattern, end, slips } = readName(this.line, this.at)
    this.slips.push(...slips)
    if (!pattern) return false
    this.tokens.push({ kind: 'name', ...this.upTo(end), pattern })
    return true
  }

  /** @param start of the expression */
  private xpath(start: number): boolean {
    const end = endOfXPath(this.line, start)
    if (end === undefined) {
      this.slips.push({
        column: start,
        sentence: 'The parenthesis of xpath( is never closed.',
        hint: 'Check parentheses and quotes of the expression; write xpath(EXPRESSION) <= NUMBER.',
      })
      return false
    }
    const inside = this.line.slice(start, end)
    const expressionColumn = start + inside.search(/\S|$/) + 1
    this.tokens.push({ kind: 'xpath', ...this.upTo(end + 1), expression: inside.trim(), expressionColumn })
    return true
  }

  private number(text: string): boolean {
    const rest = this.match(/(?:[,_'’.][0-9]+|[  ][0-9]{3}(?![0-9])|e[+-]?[0-9]+)+/iy, this.at + text.length)
    if (rest === undefined) return this.plain('number', text)
    this.slips.push({
      column: this.at + text.length + 1,
      sentence: `${oneLine(text + rest, 40)} is not a number.`,
      hint: 'Use digits and a decimal point, without thousands separators or an exponent: 1500.5.',
    })
    this.plain('number', text)
    this.at += rest.length
    return true
  }

  private operator(text: string): boolean {
    const exact = operators.find((one) => one === text)
    const meant = exact ?? otherOperators.get(text)
    if (exact === undefined) {
      this.slips.push({
        column: this.at + 1,
        sentence: `"${text}" is not an operator.`,
        hint: meant ? `Write ${meant}.` : `Operators are ${operators.join(', ')}.`,
      })
    }
    if (meant === undefined) return false
    this.tokens.push({ kind: 'operator', ...this.upTo(this.at + text.length), operator: meant })
    return true
  }
}

function strangeCharacter(line: string, at: number): { sentence: string; hint?: string } {
  const char = String.fromCodePoint(line.codePointAt(at) ?? 0)
  if (/['“”„‘’«»`]/.test(char)) {
    return {
      sentence: `${char} is not a quote mark for names.`,
      hint: 'Write names in straight double quotes: "NAME".',
    }
  }
  if (char === '−' || char === '–') return { sentence: `${char} is not a minus sign.`, hint: 'Write -.' }
  const other = /[a-z]*$/i.exec(line.slice(0, at))?.[0].toLowerCase()
  const share = /^\((\d+(?:\.\d+)?)\)/.exec(line.slice(at))?.[1]
  if (share !== undefined && other === 'p') {
    return {
      sentence: `p(${share}) is not a metric.`,
      hint: `Write, for example: requests p${share} <= 500 ms.`,
    }
  }
  if (char === '(') {
    return { sentence: 'A parenthesis is not allowed here.', hint: 'Only xpath(EXPRESSION) has parentheses.' }
  }
  const shown =
    oneLine(char, 4) || `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  const hint =
    char === '/'
      ? 'Comments begin with #.'
      : /[[{,;&|]/.test(char)
        ? 'Write each gate on a line of its own.'
        : undefined
  return { sentence: `The character ${shown} is not allowed here.`, ...(hint && { hint }) }
}

function readName(line: string, start: number): { pattern?: NamePattern; end: number; slips: Slip[] } {
  const slips: Slip[] = []
  const pattern: NamePattern[number][] = []
  let text = ''
  const flush = (): void => {
    if (text) pattern.push({ text: withoutSecrets(text) })
    text = ''
  }
  for (let i = start + 1; i < line.length; i++) {
    const char = line.charAt(i)
    if (char === '"') {
      flush()
      if (pattern.length === 0) slips.push({ column: start + 1, sentence: 'The name is empty.' })
      return { pattern, end: i + 1, slips }
    }
    if (char === '\\') {
      const next = line.charAt(i + 1)
      if (next !== '' && '"\\*?'.includes(next)) {
        text += next
        i++
      } else {
        slips.push({
          column: i + 1,
          sentence: 'A single backslash in a name has no meaning.',
          hint: 'Write \\\\ for a backslash, \\" for a quote, \\* and \\? for a star and a question mark.',
        })
      }
    } else if (char === '*' || char === '?') {
      flush()
      const last = pattern.at(-1)
      // `**` matches what `*` matches.
      const doubled = char === '*' && last !== undefined && 'wildcard' in last && last.wildcard === '*'
      if (!doubled) pattern.push({ wildcard: char })
    } else text += char
  }
  slips.push({
    column: start + 1,
    sentence: unclosedName,
    hint: 'A quote inside a name is written \\".',
  })
  return { end: line.length, slips }
}

/** Index of the parenthesis that closes the expression; those in strings, comments and EQNames do not count. */
function endOfXPath(line: string, start: number): number | undefined {
  let depth = 0
  let comments = 0
  for (let i = start; i < line.length; i++) {
    const char = line.charAt(i)
    if (line.startsWith('(:', i)) {
      comments++
      i++
    } else if (comments > 0) {
      if (line.startsWith(':)', i)) {
        comments--
        i++
      }
    } else if (char === '"' || char === "'") {
      // A doubled quote inside a string reads as two strings side by side.
      const close = line.indexOf(char, i + 1)
      if (close < 0) return undefined
      i = close
    } else if (char === '(') depth++
    else if (char === ')' && depth-- === 0) return i
  }
  return undefined
}

/** Walks over the words of one line and collects the mistakes. */
export class TokenReader {
  readonly tokens: readonly Token[]
  readonly slips: Slip[]
  private at = 0
  /** A line that could not be cut to its end is already reported; what seems to be missing comes after that place. */
  private readonly broken: boolean

  constructor(line: string) {
    const { tokens, slips } = new LineCutter(line)
    const end = tokens.at(-1)?.end ?? 0
    this.tokens = tokens
    this.slips = slips
    this.broken = slips.some(({ column }) => column >= end)
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
