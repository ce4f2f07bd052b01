import type { Amount, Gate, FigureCheck, Subject } from '../../src/language/gate.js'
import { timerWords } from '../../src/figures/figures.js'
import type { NamePattern } from '../../src/text/name-pattern.js'

/** The gate in its plainest form; parsing it again gives the same gate. */
export function printGate(gate: Gate): string {
  return `${gate.warn ? 'warn: ' : ''}${printCheck(gate.check)}`
}

function printCheck(check: Gate['check']): string {
  switch (check.kind) {
    case 'scorecard':
      return 'scorecard passes'
    case 'xpath':
      return `xpath(${check.expression}) ${check.operator} ${check.number}`
    case 'figure':
      return `${printSubject(check.subject)} ${check.metric} ${check.operator} ${printLimit(check.limit)}${check.strict ? ' strict' : ''}`
  }
}

function printSubject({ kind, pattern }: Subject): string {
  const words =
    kind === 'agents' || kind === 'web-vitals' ? { summary: kind, single: kind } : timerWords[kind]
  return pattern ? `${words.single} ${printPattern(pattern)}` : words.summary
}

function printLimit(limit: FigureCheck['limit']): string {
  if (limit.from === 'zero') return printAmount(limit.amount)
  return ['baseline', ...limit.amounts.map((amount) => `${amount.sign} ${printAmount(amount)}`)].join(' ')
}

function printAmount(amount: Amount): string {
  return amount.unit ? `${amount.number} ${amount.unit}` : amount.number
}

/** The pattern as a gate writes it, in double quotes. */
function printPattern(pattern: NamePattern): string {
  const inner = pattern.map((piece) =>
    'text' in piece ? piece.text.replace(/["\\*?]/g, '\\$&') : piece.wildcard,
  )
  return `"${inner.join('')}"`
}
