import { defined } from '../text/fields.js'
import { logLine } from '../text/foreign-text.js'
import type { GateResult } from '../gates/result.js'
import type { Check, Outcome } from '../outcome.js'
import { isDoubtful, isHindrance } from './check-table.js'
import { plainNumber } from '../gates/quantity.js'
import { gateLine } from './gate-lines.js'
import { openGates } from './gate-order.js'
import { headline } from './headline.js'
import { otherReasons } from './other-reasons.js'
import { gateWords, verdictMeaning, verdictWords, wordsFor } from './verdict-words.js'

/** One annotation of the workflow run, as plain text of one line each. */
export interface Annotation {
  kind: 'error' | 'warning' | 'notice'
  title: string
  message: string
  /** The gates-file, relative to the repository's root, if the gate is in one. */
  file?: string
  /** Counts from 1. */
  line?: number
}

/** GitHub shows ten annotations of a kind per step and silently drops the others. */
const mostOfAKind = 10

/**
 * An error for each gate that failed or was not measured and for each check that does not fit, or else for each other
 * reason of a red verdict, so that a red step always has one; a warning for each gate that warned, each note
 * and each check with a doubt; a notice with the verdict. Of more than ten of a kind, the tenth says how many more there
 * are. `failures: 'warning'` is for steps that do not go red.
 */
export function annotations(outcome: Outcome, failures: 'error' | 'warning' = 'error'): Annotation[] {
  const { icon } = wordsFor(outcome)
  const open = openGates(outcome.gates)
    .filter(({ result }) => result !== 'left-out')
    .map((gate) => gateAnnotation(gate, failures))
  const notes = outcome.notes.map((note): Annotation => ({
    kind: 'warning',
    title: 'Note',
    message: logLine(note),
  }))
  const verdict: Annotation = {
    kind: 'notice',
    title: `${icon} ${headline(outcome)}`,
    message: verdictMessage(outcome),
  }
  const { checks = [] } = outcome
  const misfits = checks.filter(isHindrance).map((one) => checkAnnotation(one, failures))
  const doubts = checks.filter(isDoubtful).map((one) => checkAnnotation(one, 'warning'))
  const isTold = misfits.length > 0 || outcome.gates.some(isBreach)
  const reasons = reasonAnnotations(outcome, isTold ? 'warning' : failures)
  const all = isTold
    ? [...open, ...misfits, ...reasons, ...notes, ...doubts]
    : [...reasons, ...open, ...notes, ...doubts]
  return [
    ...bounded(
      all.filter(({ kind }) => kind === 'error'),
      outcome.checks
        ? 'checks with a problem'
        : isTold
          ? 'gates that failed or were not measured'
          : 'reasons',
    ),
    ...bounded(
      all.filter(({ kind }) => kind === 'warning'),
      'warnings',
    ),
    verdict,
  ]
}

/** The reasons that do not come from a gate or a check, the first with what to do; at least one. */
function reasonAnnotations(outcome: Outcome, kind: 'error' | 'warning'): Annotation[] {
  const { verdict, advice } = outcome
  if (verdict === 'passed' || verdict === 'started') return []
  const title = outcome.legs ? 'Load test' : verdictWords[verdict].word
  // A line that only introduces the next ones says nothing on its own.
  const reasons = otherReasons(outcome).filter((reason) => !reason.endsWith(':'))
  const all = reasons.length > 0 || kind === 'warning' ? reasons : [verdictMeaning(outcome)]
  return all.map((reason, index) => {
    const todo = index === 0 && advice[0] !== undefined ? ` ${logLine(advice[0], 300)}` : ''
    return { kind, title, message: `${logLine(reason, 600)}${todo}` }
  })
}

function isBreach({ result }: GateResult): boolean {
  return result === 'failed' || result === 'not-measured'
}

function checkAnnotation({ subject, sentence }: Check, kind: Annotation['kind']): Annotation {
  return { kind, title: logLine(`Check: ${subject}`, 200), message: logLine(sentence, 800) }
}

function gateAnnotation(gate: GateResult, failures: 'error' | 'warning'): Annotation {
  const { word } = gateWords[gate.result]
  return {
    kind: gate.result === 'warned' ? 'warning' : failures,
    title: logLine(`Gate ${word}: ${gate.name ?? gate.gate}`, 200),
    message: gateLine(gate),
    ...defined({ file: gate.file, line: gate.file === undefined ? undefined : gate.line }),
  }
}

function verdictMessage(outcome: Outcome): string {
  const link = outcome.run?.url === undefined ? '' : ` ${outcome.run.url}`
  return logLine(`${verdictMeaning(outcome)}${link}`, 800)
}

function bounded(all: Annotation[], what: string): Annotation[] {
  if (all.length <= mostOfAKind) return all
  const shown = all.slice(0, mostOfAKind - 1)
  const first = all[shown.length]
  if (!first) return shown
  const rest = `${plainNumber(all.length - shown.length)} more`
  return [
    ...shown,
    { kind: first.kind, title: rest, message: `${rest} ${what}: the job summary lists them.` },
  ]
}
