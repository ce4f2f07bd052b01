import { fewestForChange, historyHeadline, historyMeaning, whatGotWorse } from './history-words.js'
import {
  type VerdictWords,
  because,
  cutShort,
  type StepWords,
  undecided,
  verdictWords,
} from './verdict-words.js'
import { withFirstLetter } from './figure-text.js'
import { reasonsAbout } from '../../text/reason.js'
import { isGreen, worstFirst, type Check, type Leg, type Outcome, type Verdict } from '../../outcome/outcome.js'
import { logLine, oneLine, line } from '../../text/foreign-text.js'
import { causeText } from './cause.js'
import { loadTestWords } from './load-test-words.js'
import { plainNumber } from '../../figures/numbers.js'
import { plural } from '../../text/plural.js'

/** By kind; a step that ended before it had a result speaks of its load test. */
function wordsOf(outcome: Outcome): StepWords {
  const { verdict } = outcome
  if (outcome.kind === 'load-test') return loadTestWords(outcome)
  if (outcome.kind === 'check' && outcome.checks && ['passed', 'error'].includes(verdict))
    return checkWords(outcome.checks, verdict)
  if (outcome.kind === 'merge' && outcome.legs) return mergeWords(outcome.legs, verdict)
  if (outcome.kind !== 'history' || !outcome.history || verdict !== 'passed') return cutShort(outcome)
  const { history } = outcome
  // A history has no verdict.
  return { subject: '', finding: () => historyHeadline(history), meaning: () => historyMeaning(history) }
}

/**
 * The verdict in one line of plain text, at most 140 characters: the headline of comment, summary and digest, and the
 * title of an annotation. `Load test: requests 42% slower (p95 330 → 470 ms)`.
 */
export function headline(outcome: Outcome): string {
  const { name } = outcome.step
  // Other steps may have load tests, too.
  const isNamed = outcome.kind === 'load-test' && name !== undefined
  return logLine(`${isNamed ? `${oneLine(name, 40)}: ` : wordsOf(outcome).subject}${finding(outcome)}`, 140)
}

export function finding(outcome: Outcome): string {
  return wordsOf(outcome).finding()
}

/** The text below the headline, in one or a few sentences: what changed, or what the verdict means. */
export function verdictMeaning(outcome: Outcome): string {
  return wordsOf(outcome).meaning()
}

function mergeWords(legs: readonly Leg[], verdict: Verdict): StepWords {
  const allGreen = 'Every load test of this workflow run passed or was accepted.'
  return {
    subject: 'Load tests: ',
    finding: () => merged(legs),
    meaning: () => (isGreen(verdict) ? allGreen : legsText(redLegs(legs))),
  }
}

/** The worst first. */
export function redLegs(legs: readonly Leg[]): Leg[] {
  return worstFirst(legs).filter(({ verdict }) => !isGreen(verdict))
}

/** Legs whose headlines fit below that of all. */
const mostOfLegs = 3

/** `checkout: requests 42% slower (p95 330 → 470 ms). And 2 more.` */
function legsText(legs: readonly Leg[]): string {
  const said = legs.slice(0, mostOfLegs).map(({ name, outcome }) => {
    const of = oneLine(name, 40)
    if (!outcome) return `${of} measured nothing, which says nothing about the code.`
    return `${of}: ${line(finding(outcome), 140).replace(/[.]$/, '')}. ${causeText(outcome)}`.trimEnd()
  })
  const more = legs.length - said.length
  return [...said, ...(more > 0 ? [`And ${plainNumber(more)} more.`] : [])].join(' ')
}

/** What the leg's headline says; for a leg without an outcome, why there is none. */
export function legHeadline({ outcome, fault = '' }: Leg): string {
  return outcome ? finding(outcome) : fault
}

/** `failed`; of a leg without an outcome, that it has none. */
export function legWord({ verdict, outcome }: Leg): string {
  return outcome ? verdictWords[verdict].word.toLowerCase() : 'no outcome'
}

/** `2 of 5 did not pass: checkout (failed), login (no outcome)` */
function merged(legs: readonly Leg[]): string {
  const red = redLegs(legs)
  const accepted = legs.filter(({ verdict }) => verdict === 'accepted').length
  if (red.length === 0) {
    const all = legs.length === 1 ? 'the only one passed' : `all ${plainNumber(legs.length)} passed`
    return accepted === 0 ? all : `${all}, ${accepted} of them accepted`
  }
  const of = `${plainNumber(red.length)} of ${plainNumber(legs.length)}`
  const name = (leg: Leg) => oneLine(leg.name, 40)
  if (red.every(({ verdict }) => verdict === 'failed')) return `${of} failed: ${red.map(name).join(', ')}`
  return `${of} did not pass: ${red.map((leg) => `${name(leg)} (${legWord(leg)})`).join(', ')}`
}

/** How the verdict of an outcome looks. A history judges nothing, and is not green while something is worse than before. */
export function wordsFor(outcome: Outcome): VerdictWords {
  const words = verdictWords[outcome.verdict]
  if (outcome.verdict === 'passed' && hasNothingToCompare(outcome)) return undecided
  // Whatever became of the other legs, the code has made one fail.
  if (outcome.kind === 'merge' && outcome.legs?.some(({ verdict }) => verdict === 'failed'))
    return verdictWords.failed
  const isWorse = outcome.kind === 'history' && outcome.history && whatGotWorse(outcome.history)
  return isWorse && isGreen(outcome.verdict) ? { ...words, icon: '⚠️', tone: 'caution' } : words
}

function hasNothingToCompare(outcome: Outcome): boolean {
  if (outcome.kind === 'load-test') return outcome.gates.some(({ result }) => result === 'not-compared')
  return outcome.kind === 'history' && (outcome.history?.runs.length ?? 0) < fewestForChange
}

function checkWords(checks: readonly Check[], verdict: Verdict): StepWords {
  const hasPassed = verdict === 'passed'
  const wrong = checks.filter(isHindrance).map(({ sentence }) => sentence)
  const found = hasPassed ? 'Nothing was found that would stop a run' : withFirstLetter(checksText(checks))
  return {
    subject: 'Load test check: ',
    finding: () =>
      hasPassed ? checksText(checks) : `a run would fail${because(reasonsAbout('check', ...wrong))}`,
    meaning: () => `${found}. Nothing was started, uploaded, measured or changed.`,
  }
}

/** `2 of 20 checks found a problem, 1 is in doubt` */
function checksText(checks: readonly Check[]): string {
  const wrong = checks.filter(isHindrance).length
  const doubtful = checks.filter(isDoubtful).length
  const untried = checks.filter(({ result }) => result === 'not-tried').length
  const made = checks.length - untried
  const rest =
    (doubtful > 0 ? `, ${doubtful} ${doubtful === 1 ? 'is' : 'are'} in doubt` : '') +
    (untried > 0 ? `, ${untried} only a run can try` : '')
  if (wrong > 0) return `${wrong} of ${plural(made, 'check')} found a problem${rest}`
  if (doubtful > 0) return `${made - doubtful} of ${plural(made, 'check')} ok${rest}`
  return `all ${plural(made, 'check')} passed${rest}`
}

/** `❌ access token (problem): It was refused.`; what stops a run first, then what is in doubt. */
export function checkTexts(checks: readonly Check[]): string[] {
  const rank = (check: Check) => (isHindrance(check) ? 0 : isDoubtful(check) ? 1 : 2)
  return checks
    .toSorted((a, b) => rank(a) - rank(b))
    .map((check) => {
      const { icon, word } = checkResult(check)
      return `${icon} ${check.subject} (${word}): ${check.sentence}`
    })
}

export function isHindrance({ endsRun }: Check): boolean {
  return endsRun === true
}

/** What is only partly ok, or unknown. */
export function isDoubtful(check: Check): boolean {
  return check.result !== 'fits' && check.result !== 'not-tried' && !isHindrance(check)
}

function checkResult({ result, endsRun }: Check): { icon: string; word: string } {
  if (result === 'fits') return { icon: '✅', word: 'ok' }
  if (result === 'not-tried') return { icon: '➖', word: 'not tried' }
  return endsRun ? { icon: '❌', word: 'problem' } : { icon: '⚠️', word: 'in doubt' }
}
