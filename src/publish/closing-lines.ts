import { formatDuration } from '../text/duration.js'
import { logLine } from '../text/foreign-text.js'
import { worstFirst, type Outcome } from '../outcome.js'
import { checkLines } from './check-table.js'
import { wholeRunText } from './figure-text.js'
import { gateLines, type ToneLine } from './gate-lines.js'
import { headline } from './headline.js'
import { legHeadline } from './legs.js'
import { verdictWords, wordsFor } from './verdict-words.js'
import { whatToDo } from './what-to-do.js'

/** What the log shows folded before its end: the gates, and the legs of a matrix. No group is empty. */
export function closingGroups({
  gates,
  comparison,
  legs = [],
}: Outcome): { title: string; lines: ToneLine[] }[] {
  const whole = wholeRunText(comparison?.noise)
  return [
    {
      title: 'Gates',
      lines: [...gateLines(gates), ...(gates.length > 0 && whole !== '' ? [{ line: whole }] : [])],
    },
    {
      title: 'Load tests',
      lines: worstFirst(legs).map((leg) => {
        const { word, tone } = verdictWords[leg.verdict]
        return { line: logLine(`${word}: ${leg.name}: ${legHeadline(leg)}`), tone }
      }),
    },
  ].filter(({ lines }) => lines.length > 0)
}

/** What the log ends with: why, what to do and, last, the verdict. */
export function closingLines(outcome: Outcome): ToneLine[] {
  const { checks, reasons, step } = outcome
  const said = checks ? checkLines(checks) : [...reasons, ...whatToDo(outcome)]
  const { tone } = wordsFor(outcome)
  return [
    ...said.map((line) => ({ line })),
    { line: `${headline(outcome)} (after ${formatDuration(step.seconds * 1000)})`, tone },
  ]
}
