import { data, Evaluator, Lexer, Parser } from '@actions/expressions'
import type { FunctionDefinition } from '@actions/expressions/funcs/info'

export type ContextName =
  | 'github'
  | 'env'
  | 'vars'
  | 'secrets'
  | 'inputs'
  | 'steps'
  | 'job'
  | 'runner'
  | 'strategy'
  | 'matrix'
  | 'needs'

/** A value of a context or of an expression: anything that JSON can express. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value }

/** The contexts that an expression may name; another name in it is an error. */
export type Contexts = { readonly [name in ContextName]?: Value }

export type JobStatus = 'success' | 'failure' | 'cancelled'

/** What an expression sees. Without a status, success() and the like are unknown functions. */
export interface Scope {
  contexts: Contexts
  /** Status of the job, or of the jobs that it needs: if one was skipped, only always() is true. */
  status?: JobStatus | 'skipped'
}

/** An expression that cannot be read or evaluated; the message names the expression. */
export class BadExpressionError extends Error {
  override name = 'BadExpressionError'
}

const STATUS_FUNCTIONS = ['success', 'failure', 'cancelled', 'always']

/** The value of one expression, written without `${{ }}`. */
export function evaluate(expression: string, scope: Scope): Value {
  return toValue(evaluateData(expression, scope))
}

/** The text with each `${{ expression }}` replaced by its value as a string. */
export function interpolate(text: string, scope: Scope): string {
  return parts(text)
    .map((part) => (part.expression ? evaluateData(part.text, scope).coerceString() : part.text))
    .join('')
}

/** Like interpolate, but a text that is just one expression keeps its value's type, as for a matrix. */
export function resolve(text: string, scope: Scope): Value {
  const [only, ...more] = parts(text)
  return only?.expression === true && more.length === 0
    ? evaluate(only.text, scope)
    : interpolate(text, scope)
}

/**
 * Whether an `if:` of a workflow file is true. It is one expression, with or without `${{ }}`; if it has no status
 * function, success() is required as well. Empty means success().
 */
export function holds(condition: string, scope: Scope): boolean {
  const found = parts(condition.trim())
  const [only, ...more] = found
  if (only === undefined) return holdsAsWritten('success()', scope)
  if (more.length === 0) {
    const asked = namesStatus(only.text) ? only.text : `success() && (${only.text})`
    return holdsAsWritten(asked, scope)
  }
  // Text around an expression makes the whole thing a text, which is true unless empty.
  const asked = found.some((part) => part.expression && namesStatus(part.text))
  const text = interpolate(condition, scope)
  return (asked || holdsAsWritten('success()', scope)) && text !== ''
}

/** Whether a bare condition such as `post-if:` of an action.yml is true; nothing is added to it. */
export function holdsAsWritten(condition: string, scope: Scope): boolean {
  return truthy(evaluateData(condition, scope))
}

interface Part {
  expression: boolean
  text: string
}

function parts(text: string): Part[] {
  const found: Part[] = []
  let at = 0
  for (let start = text.indexOf('${{'); start >= 0; start = text.indexOf('${{', at)) {
    const end = closing(text, start + 3)
    if (start > at) found.push({ expression: false, text: text.slice(at, start) })
    found.push({ expression: true, text: text.slice(start + 3, end) })
    at = end + 2
  }
  if (at < text.length) found.push({ expression: false, text: text.slice(at) })
  return found
}

function closing(text: string, from: number): number {
  let quoted = false
  for (let at = from; at < text.length; at++) {
    if (text[at] === "'") quoted = !quoted
    else if (!quoted && text.startsWith('}}', at)) return at
  }
  throw new BadExpressionError(`The expression in '${text}' has no closing }}.`)
}

function evaluateData(expression: string, scope: Scope): data.ExpressionData {
  const functions = statusFunctions(scope.status)
  const names = Object.keys(scope.contexts)
  try {
    const tree = new Parser(new Lexer(expression).lex().tokens, names, functions).parse()
    const contexts = new data.Dictionary(
      ...Object.entries(scope.contexts).map(([key, value]) => ({ key, value: toData(value) })),
    )
    return new Evaluator(tree, contexts, new Map(functions.map((fn) => [fn.name, fn]))).evaluate()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new BadExpressionError(`The expression '${expression.trim()}' cannot be evaluated: ${reason}`, {
      cause: error,
    })
  }
}

function statusFunctions(status: Scope['status']): FunctionDefinition[] {
  if (status === undefined) return []
  const answers = (name: string): boolean => name === 'always' || name === status
  return STATUS_FUNCTIONS.map((name) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(answers(name)),
  }))
}

function namesStatus(expression: string): boolean {
  try {
    const { tokens } = new Lexer(expression).lex()
    return tokens.some(
      (token, at) => STATUS_FUNCTIONS.includes(token.lexeme.toLowerCase()) && tokens[at + 1]?.lexeme === '(',
    )
  } catch {
    return false // Evaluating it will report the mistake.
  }
}

function truthy(value: data.ExpressionData): boolean {
  if (value instanceof data.Null) return false
  if (value instanceof data.BooleanData) return value.value
  if (value instanceof data.NumberData) return value.value !== 0 && !Number.isNaN(value.value)
  if (value instanceof data.StringData) return value.value !== ''
  return true
}

function toData(value: Value | undefined): data.ExpressionData {
  if (value === null || value === undefined) return new data.Null()
  if (typeof value === 'boolean') return new data.BooleanData(value)
  if (typeof value === 'number') return new data.NumberData(value)
  if (typeof value === 'string') return new data.StringData(value)
  if (isList(value)) return new data.Array(...value.map(toData))
  return new data.Dictionary(...Object.entries(value).map(([key, item]) => ({ key, value: toData(item) })))
}

function toValue(value: data.ExpressionData): Value {
  if (
    value instanceof data.BooleanData ||
    value instanceof data.NumberData ||
    value instanceof data.StringData
  ) {
    return value.value
  }
  if (value instanceof data.Array) return value.values().map(toValue)
  if (value instanceof data.Dictionary) {
    return Object.fromEntries(value.pairs().map((pair) => [pair.key, toValue(pair.value)]))
  }
  return null
}

function isList(value: readonly Value[] | { readonly [key: string]: Value }): value is readonly Value[] {
  return Array.isArray(value)
}
