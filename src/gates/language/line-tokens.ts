import { oneLine } from '../../text/foreign-text.js'
import type { NamePattern, PatternPiece } from '../../text/name-pattern.js'
import { operators, type Operator } from '../result.js'

/** A word of a gate. `column` counts from 1, `end` is the column after it. */
export type Token = { text: string; column: number; end: number } & (
  | { kind: 'word' | 'number' | 'unit' | 'sign' | 'colon' }
  | { kind: 'operator'; operator: Operator }
  | { kind: 'name'; pattern: NamePattern }
  | { kind: 'xpath'; expression: string; expressionColumn: number }
)

export interface Slip {
  column: number
  sentence: string
  hint?: string
}

export interface LineTokens {
  tokens: Token[]
  slips: Slip[]
}

const word = /[a-z]+(?:[-_][a-z]+)*(?:[0-9]+(?:\.[0-9]+)?[a-z]*)?/iy
const number = /[0-9]+(?:\.[0-9]+)?|\.[0-9]+/y
const unit = /%|\/\s*[a-z]+/iy
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

/** Cuts one line into words up to its comment. A character that is not allowed ends it with a slip. */
export function tokensOfLine(line: string): LineTokens {
  const tokens: Token[] = []
  const slips: Slip[] = []
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(line)?.[0]
  }
  const push = (kind: 'word' | 'number' | 'unit' | 'sign' | 'colon', text: string): void => {
    tokens.push({ kind, text, column: at + 1, end: at + text.length + 1 })
    at += text.length
  }
  while (at < line.length) {
    const char = line.charAt(at)
    const column = at + 1
    let text: string | undefined
    if (/\s/.test(char) || char === '\ufeff') at++
    else if (char === '#') break
    else if (char === '"') {
      const name = readName(line, at)
      slips.push(...name.slips)
      if (!name.pattern) return { tokens, slips }
      at = name.end
      tokens.push({
        kind: 'name',
        text: line.slice(column - 1, at),
        column,
        end: at + 1,
        pattern: name.pattern,
      })
    } else if ((text = take(xpathStart)) !== undefined) {
      const start = at + text.length
      const end = endOfXPath(line, start)
      if (end === undefined) {
        slips.push({
          column: start,
          sentence: 'The parenthesis of xpath( is never closed.',
          hint: 'Check parentheses and quotes of the expression; write xpath(EXPRESSION) <= NUMBER.',
        })
        return { tokens, slips }
      }
      at = end + 1
      const expression = line.slice(start, end).trim()
      const lead = line.slice(start, end).search(/\S|$/)
      const whole = line.slice(column - 1, at)
      tokens.push({
        kind: 'xpath',
        text: whole,
        column,
        end: at + 1,
        expression,
        expressionColumn: start + lead + 1,
      })
    } else if ((text = take(word)) !== undefined) push('word', text)
    else if ((text = take(number)) !== undefined) {
      const comma = /,[0-9]+/y
      comma.lastIndex = at + text.length
      const rest = comma.exec(line)?.[0]
      if (rest !== undefined) {
        slips.push({
          column: at + text.length + 1,
          sentence: `${oneLine(text + rest, 40)} is not a number.`,
          hint: 'Use a decimal point and no thousands separators: 1500.5.',
        })
        push('number', text)
        at += rest.length
      } else push('number', text)
    } else if ((text = take(unit)) !== undefined) push('unit', text)
    else if ((text = take(operator)) !== undefined) {
      const known = operators.find((one) => one === text)
      const meant = known ?? otherOperators.get(text)
      if (known === undefined) {
        slips.push({
          column,
          sentence: `"${text}" is not an operator.`,
          hint: meant ? `Write ${meant}.` : `Operators are ${operators.join(', ')}.`,
        })
      }
      if (meant === undefined) return { tokens, slips }
      tokens.push({ kind: 'operator', text, column, end: column + text.length, operator: meant })
      at += text.length
    } else if (char === '+' || char === '-') push('sign', char)
    else if (char === ':') push('colon', char)
    else {
      slips.push({ column, ...strangeCharacter(line, at) })
      return { tokens, slips }
    }
  }
  return { tokens, slips }
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
  if (char === '(') {
    return { sentence: 'A parenthesis is not allowed here.', hint: 'Only xpath(EXPRESSION) has parentheses.' }
  }
  const shown =
    oneLine(char, 4) || `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return { sentence: `The character ${shown} is not allowed here.` }
}

function readName(line: string, start: number): { pattern?: NamePattern; end: number; slips: Slip[] } {
  const slips: Slip[] = []
  const pattern: PatternPiece[] = []
  let text = ''
  const flush = (): void => {
    if (text) pattern.push({ text })
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
