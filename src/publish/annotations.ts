import { defined } from '../text/fields.js'
import { logLine } from '../text/foreign-text.js'
import type { GateResult } from '../gates/result.js'
import { type Check, isGreen, type Outcome } from '../outcome/outcome.js'
import { plainNumber } from '../figures/numbers.js'
import { gateFigures } from './words/figure-text.js'
import type { Tone } from './words/table.js'
import {
  gateWord,
  gateWords,
  openFirst,
  otherReasons,
  saidOnce,
  verdictWords,
} from './words/verdict-words.js'
import { checkTexts, headline, isDoubtful, legHeadline, verdictMeaning, wordsFor } from './words/words.js'
import { formatDuration } from '../text/duration.js'
import { todoLine, whatToDo, type Todo } from './words/what-to-do.js'

/** One annotation of the workflow run, as plain text of one line each. */
interface Annotation {
  kind: 'error' | 'warning' | 'notice'
  title: string
  message: string
  /** The file with gates, relative to the repository's root, if the gate is in one. */
  file?: string
  /** Counts from 1. */
  line?: number
}

/** GitHub shows ten annotations of a kind per step and silently drops the others. */
const mostOfAKind = 10

/** Characters of a message; the log has no other place for it. */
const longest = 1000

/**
 * An error for each gate that failed or was not measured and for each check that does not fit, or else for each other
 * reason of a red verdict, so that a red step always has one; a warning for each gate that warned, each note
 * and each check with a doubt; a notice with a verdict that is not bad. `failures: 'warning'` is for steps that do not
 * go red. The errors are last, as the log shows them, too.
 */
export function annotations(outcome: Outcome, failures: 'error' | 'warning' = 'error'): Annotation[] {
  const { errors, warnings } = shownOf(findings(outcome, failures))
  const [first, ...rest] = errors.shown
  const titled = first && { ...first, title: headline(outcome) }
  return [...warnings.shown, ...(titled ? [titled] : []), ...rest, ...verdictNotice(outcome)]
}

/** The log's lines about what is beyond the annotations that GitHub shows. */
function beyondAnnotations(outcome: Outcome): ToneLine[] {
  const { errors, warnings } = shownOf(findings(outcome, 'error'))
  return [...warnings.left, ...errors.left].map(({ kind, message }) => ({
    line: message,
    tone: kind === 'error' ? 'bad' : 'caution',
  }))
}

function findings(outcome: Outcome, failures: 'error' | 'warning'): Annotation[] {
  const gates = outcome.kind === 'load-test' ? outcome.gates : []
  const checks = outcome.kind === 'check' ? (outcome.checks ?? []) : []
  const open = saidOnce(openFirst(gates).filter(isOpen)).map((gate) => gateAnnotation(gate, failures))
  const noted = outcome.notes.map((note): Annotation => ({
    kind: 'warning',
    title: 'Note',
    message: logLine(note, longest),
  }))
  const misfits = checks.filter(({ endsRun }) => endsRun).map((one) => checkAnnotation(one, failures))
  const doubts = checks.filter(isDoubtful).map((one) => checkAnnotation(one, 'warning'))
  const isTold =
    misfits.length > 0 || gates.some(({ result }) => result === 'failed' || result === 'not-measured')
  const reasons = reasonAnnotations(outcome, isTold ? 'warning' : failures)
  return [...(isTold ? [...open, ...misfits, ...reasons] : [...reasons, ...open]), ...noted, ...doubts]
}

/** The reasons that do not come from a gate or a check, the first with what to do; at least one. */
function reasonAnnotations(outcome: Outcome, kind: 'error' | 'warning'): Annotation[] {
  const { verdict } = outcome
  if (verdict === 'passed' || verdict === 'started') return []
  const isMerged = outcome.kind === 'merge' && outcome.legs !== undefined
  const title = isMerged ? 'Load test' : verdictWords[verdict].word
  // A line that only introduces the next ones says nothing on its own.
  const reasons = otherReasons(outcome).flatMap(({ text, introduces }) => (introduces ? [] : [text]))
  const all = reasons.length > 0 || kind === 'warning' ? reasons : [verdictMeaning(outcome)]
  // What to mend may be part of the reason.
  const isNew = ({ text }: Todo) => all.length === 1 && all[0]?.includes(text) === false
  const todos = outcome.kind === 'load-test' && verdict === 'error' ? whatToDo(outcome).filter(isNew) : []
  const [advised = todos.map(({ text }) => text).join(' ')] = outcome.advice
  return all.map((reason, index) => {
    const todo = index === 0 && advised !== '' ? ` ${logLine(advised, longest)}` : ''
    return { kind, title, message: `${logLine(reason, longest)}${todo}` }
  })
}

/** Whether somebody has to look at it: it failed, was not measured, or warned. */
function isOpen({ result }: GateResult): boolean {
  return result === 'failed' || result === 'not-measured' || result === 'warned'
}

function checkAnnotation({ subject, sentence }: Check, kind: Annotation['kind']): Annotation {
  return { kind, title: logLine(`Check: ${subject}`, 200), message: logLine(sentence, longest) }
}

function gateAnnotation(gate: GateResult, failures: 'error' | 'warning'): Annotation {
  return {
    kind: gate.result === 'warned' ? 'warning' : failures,
    title: `Gate ${gateWord(gate)}`,
    message: gateLine(gate),
    ...defined({ file: gate.file, line: gate.file === undefined ? undefined : gate.line }),
  }
}

/** A gate and its result, as one line of plain text: its name and text, its subject, value, limit and reason. */
export function gateLine(gate: GateResult): string {
  const subject = gate.isMatch ? ` for ${gate.subject}` : ''
  // A scorecard has no value that could be missing.
  const figures = gate.operator === undefined ? [] : [gateFigures(gate)]
  const found = [...figures, gate.reason ?? []].flat().join('. ')
  const name = gate.name === undefined ? '' : `${gate.name}: `
  return logLine(`${name}${gate.gate}${subject}${found && `: ${found}`}`, 800)
}

/** What is bad has errors and warnings that say so. */
function verdictNotice(outcome: Outcome): Annotation[] {
  const { verdict } = outcome
  if (!isGreen(verdict) && verdict !== 'started') return []
  const url = outcome.kind === 'load-test' ? outcome.run?.url : undefined
  const link = url === undefined ? '' : ` ${url}`
  const title = `${wordsFor(outcome).icon} ${headline(outcome)}`
  return [{ kind: 'notice', title, message: logLine(`${verdictMeaning(outcome)}${link}`, 800) }]
}

/** The annotations of each kind that GitHub shows, and those that the log has in their place. */
function shownOf(all: Annotation[]) {
  const of = (kind: Annotation['kind']): { shown: Annotation[]; left: Annotation[] } => {
    const some = all.filter((one) => one.kind === kind)
    if (some.length <= mostOfAKind) return { shown: some, left: [] }
    const left = some.slice(mostOfAKind - 1)
    const title = `${plainNumber(left.length)} more`
    const message = `${title} ${kind}s: the log and the job summary list them.`
    return { shown: [...some.slice(0, mostOfAKind - 1), { kind, title, message }], left }
  }
  return { errors: of('error'), warnings: of('warning') }
}

interface ToneLine {
  line: string
  tone?: Tone
}

const mostLines = 200

export function gateLines(gates: readonly GateResult[]): ToneLine[] {
  return bounded(
    openFirst(gates).map((gate) => {
      return { line: `${gateWord(gate)}: ${gateLine(gate)}`, tone: gateWords[gate.result].tone }
    }),
  )
}

function bounded(lines: ToneLine[]): ToneLine[] {
  if (lines.length <= mostLines) return lines
  const more = `${plainNumber(lines.length - mostLines)} more: the outcome file lists them.`
  return [...lines.slice(0, mostLines), { line: more }]
}

/**
 * What the log shows folded before its end: the gates, and the legs of a matrix, that nobody has to look at. The others are
 * annotations, which the log shows after these groups.
 */
export function closingGroups(outcome: Outcome): { title: string; lines: ToneLine[] }[] {
  if (outcome.kind === 'load-test') {
    const calm = gateLines(outcome.gates.filter((gate) => !isOpen(gate)))
    return calm.length === 0 ? [] : [{ title: 'Gates', lines: calm }]
  }
  const green = outcome.kind === 'merge' ? (outcome.legs ?? []).filter((leg) => isGreen(leg.verdict)) : []
  const lines = green.map((leg) => {
    const { word, tone } = verdictWords[leg.verdict]
    return { line: logLine(`${word}: ${leg.name}: ${legHeadline(leg)}`), tone }
  })
  return lines.length === 0 ? [] : [{ title: 'Load tests that passed', lines }]
}

/** What the log ends with, after the annotations: what they do not say, what to do and, last, the verdict. */
export function closingLines(outcome: Outcome): ToneLine[] {
  const checks = outcome.kind === 'check' ? outcome.checks : undefined
  const told = annotations(outcome).map(({ message }) => message)
  // A reason that introduces the next ones is not an annotation, and is read together with them.
  const reasons = otherReasons(outcome)
  const introduced = reasons.some(({ introduces }) => introduces) ? reasons : []
  const isNew = ({ text }: Todo) => !told.some((message) => message.includes(text))
  const said = checks
    ? checkTexts(checks).map((text) => logLine(text, 1000))
    : whatToDo(outcome).filter(isNew).map(todoLine)
  const { tone } = wordsFor(outcome)
  return [
    ...(checks ? [] : bounded(beyondAnnotations(outcome))),
    ...introduced.map(({ text }) => ({ line: logLine(text) })),
    ...said.map((line) => ({ line })),
    { line: `${headline(outcome)}. The step took ${formatDuration(outcome.step.seconds * 1000)}.`, tone },
  ]
}
