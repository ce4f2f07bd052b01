import { formatDuration } from '../text/duration.js'
import { logLine } from '../text/foreign-text.js'
import { isGreen, type Outcome } from '../outcome/outcome.js'
import { annotations, beyondAnnotations } from './annotations.js'
import { checkLines } from './words/check.js'
import { wholeRunText } from './words/figure-text.js'
import { bounded, gateLines, type ToneLine } from './words/gate-lines.js'
import { headline } from './words/words.js'
import { legHeadline } from './summary/legs.js'
import { isOpen } from './words/gate-order.js'
import { otherReasons } from './words/other-reasons.js'
import { verdictWords, wordsFor } from './words/verdict-words.js'
import { todoLine, whatToDo } from './words/what-to-do.js'

/**
 * What the log shows folded before its end: the gates, and the legs of a matrix, that nobody has to look at. No group
 * is empty. The others are annotations, which the log shows after these groups.
 */
export function closingGroups(outcome: Outcome): { title: string; lines: ToneLine[] }[] {
  return groupsOf(outcome).filter(({ lines }) => lines.length > 0)
}

function groupsOf(outcome: Outcome): { title: string; lines: ToneLine[] }[] {
  if (outcome.kind === 'load-test') {
    const { gates, comparison } = outcome
    const whole = wholeRunText(comparison?.noise, comparison?.baseline.runs, outcome.verdict === 'failed')
    const about = gates.length > 0 && whole !== '' ? [{ line: whole }] : []
    return [{ title: 'Gates', lines: [...gateLines(gates.filter((gate) => !isOpen(gate))), ...about] }]
  }
  if (outcome.kind !== 'merge') return []
  const green = (outcome.legs ?? []).filter(({ verdict }) => isGreen(verdict))
  const lines = green.map((leg) => {
    const { word, tone } = verdictWords[leg.verdict]
    return { line: logLine(`${word}: ${leg.name}: ${legHeadline(leg)}`), tone }
  })
  return [{ title: 'Load tests that passed', lines }]
}

/** What the log ends with, after the annotations: what they do not say, what to do and, last, the verdict. */
export function closingLines(outcome: Outcome): ToneLine[] {
  const checks = outcome.kind === 'check' ? outcome.checks : undefined
  const told = annotations(outcome).map(({ message }) => message)
  // A reason that introduces the next ones is not an annotation, and is read together with them.
  const reasons = otherReasons(outcome)
  const introduced = reasons.some(({ introduces }) => introduces) ? reasons : []
  const said = checks ? checkLines(checks) : whatToDo(outcome).map(todoLine)
  const isNew = (line: string) => !told.some((message) => message.endsWith(line))
  const { tone } = wordsFor(outcome)
  return [
    ...(checks ? [] : bounded(beyondAnnotations(outcome))),
    ...introduced.map(({ text }) => ({ line: logLine(text) })),
    ...said.filter(isNew).map((line) => ({ line })),
    { line: `${headline(outcome)} (after ${formatDuration(outcome.step.seconds * 1000)})`, tone },
  ]
}
