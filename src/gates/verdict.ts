import { oneLine } from '../text/foreign-text.js'
import { defined } from '../text/fields.js'
import { plural } from '../text/plural.js'
import { reasonsAbout, type Reason } from '../text/reason.js'
import type { Scorecard } from '../report/report.js'
import { valueAndLimit } from './quantity.js'
import type { GateResult, GatesVerdict, Operator } from './result.js'

/** How many gates the reasons name before they only count them. */
const maxNamed = 20

export interface Judgement {
  verdict: GatesVerdict
  /** Failed gates first; empty if all gates passed. */
  reasons: Reason[]
}

/** Failed if one failed; else invalid if one is not measured; else passed. A gate that only warned changes nothing. */
export function verdictOf(results: readonly GateResult[]): Judgement {
  const failed = results.filter(({ result }) => result === 'failed')
  const unmeasured = results.filter(({ result }) => result === 'not-measured')
  const verdict = failed.length > 0 ? 'failed' : unmeasured.length > 0 ? 'invalid' : 'passed'
  return {
    verdict,
    reasons: [...reasonsOf(failed, 'failed as well'), ...reasonsOf(unmeasured, 'could not be measured')],
  }
}

function reasonsOf(results: readonly GateResult[], what: string): Reason[] {
  const named = results.slice(0, maxNamed).map((one): Reason => {
    const { file, line } = one
    return { about: 'gate', text: resultSentence(one), ...defined({ file }), line }
  })
  const rest = results.length - named.length
  const counted = `${rest} more ${rest === 1 ? 'gate' : 'gates'} ${what}.`
  return rest > 0 ? [...named, ...reasonsAbout('gate', counted)] : named
}

/** Whether only the gates decided the verdict: nothing else is wrong, such as missing results. */
export function isByGates({ verdict, reasons }: { verdict: string; reasons: readonly Reason[] }): boolean {
  return (verdict === 'passed' || verdict === 'failed') && reasons.every(({ about }) => about === 'gate')
}

/** `request "Login" p95 is 550 ms; it must be at most 500 ms.` */
export function resultSentence(result: GateResult): string {
  const what = result.metric === undefined ? result.subject : `${result.subject} ${result.metric}`
  const name = result.name === undefined ? '' : `${oneLine(result.name, 80)}: `
  const { value, limit, operator, reason, unit } = result
  if (value === undefined || limit === undefined || operator === undefined) {
    return `${name}${reason ?? `${what} failed.`}`
  }
  const shown = valueAndLimit(value, limit, unit)
  const sentence = `${name}${what} is ${shown.value}; it must be ${bounds[operator]}${shown.limit}.`
  return reason ? `${sentence} ${reason}` : sentence
}

const bounds: Record<Operator, string> = {
  '<=': 'at most ',
  '<': 'below ',
  '>=': 'at least ',
  '>': 'above ',
  '=': '',
}

/** `2 of 30 runs would have failed, and 1 could not have been judged`, of runs with these verdicts. */
export function whatBecameOf(verdicts: readonly GatesVerdict[]): string {
  const count = (wanted: GatesVerdict) => verdicts.filter((verdict) => verdict === wanted).length
  const open = count('invalid')
  const failed = `${count('failed')} of ${plural(verdicts.length, 'run')} would have failed`
  return open === 0 ? failed : `${failed}, and ${open} could not have been judged`
}

/** The verdict without gates: a report's scorecard must pass, and a run without one passes. */
export function verdictOfScorecard(scorecard: Scorecard | undefined): Judgement {
  if (!scorecard || scorecard.verdict === 'passed') return { verdict: 'passed', reasons: [] }
  const verdict = scorecard.verdict === 'failed' ? 'failed' : 'invalid'
  return { verdict, reasons: reasonsAbout('scorecard', scorecardSentence(scorecard)) }
}

/** What is said about a scorecard that did not pass. */
export function scorecardSentence(scorecard: Scorecard): string {
  if (scorecard.verdict === 'error') {
    const error = oneLine(scorecard.error ?? '', 300)
    return `The scorecard could not be evaluated${error ? `: ${error.replace(/\.$/, '')}` : ''}.`
  }
  const failed = scorecard.rules
    .filter((rule) => rule.failedTest)
    .map(({ name, message = name }) => (message === name ? name : `${name} (${message})`))
  // A rule may be in several groups.
  const rules = [...new Set(failed)]
  const named = rules.slice(0, 3).map((rule) => oneLine(rule, 120))
  const rest = rules.length - named.length
  const list = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
  return list ? `The scorecard failed: ${list}.` : 'The scorecard failed.'
}
