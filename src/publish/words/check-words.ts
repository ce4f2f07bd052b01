import type { Check, CheckOutcome, Verdict } from '../../outcome/outcome.js'
import { defined } from '../../text/fields.js'
import { line } from '../../text/foreign-text.js'
import { plural } from '../../text/plural.js'
import { cutShort, type StepWords } from './verdict-words.js'
import type { Table, Tone } from './table.js'

/** About the checks, once they are all made. */
export const checkWords: StepWords<CheckOutcome> = {
  subject: 'Check: ',
  finding: (outcome) =>
    meanings[outcome.verdict] === undefined ? cutShort().finding(outcome) : counted(outcome.checks ?? []),
  meaning: (outcome) => meanings[outcome.verdict] ?? cutShort().meaning(outcome),
}

const meanings: Partial<Record<Verdict, string>> = {
  passed: 'Nothing was found that would stop a run. Nothing was started, uploaded or changed.',
  error: 'A run with these inputs would fail. Nothing was started, uploaded or changed.',
}

/** `2 of 20 checks found a problem, 1 to look at` */
function counted(checks: readonly Check[]): string {
  const wrong = checks.filter(isHindrance).length
  const doubtful = checks.filter(isDoubtful).length
  const untried = checks.filter(isUntried).length
  const made = checks.length - untried
  const rest =
    (doubtful > 0 ? `, ${doubtful} to look at` : '') + (untried > 0 ? `, ${untried} only a run can try` : '')
  if (wrong > 0) return `${wrong} of ${plural(made, 'check')} found a problem${rest}`
  if (doubtful > 0) return `${made - doubtful} of ${plural(made, 'check')} ok${rest}`
  return `all ${plural(made, 'check')} passed${rest}`
}

interface ResultWords {
  icon: string
  word: string
  tone?: Tone
}

/** The table of mode check, one row for each thing that was checked. */
export function checkTable(checks: readonly Check[]): Table {
  return {
    title: 'What was checked',
    columns: [{ title: 'Check' }, { title: 'What was found' }],
    rows: checks.map((check) => {
      const { icon, word, tone } = words(check)
      return [
        { text: check.subject, icon, detail: word, ...defined({ tone }) },
        { text: check.sentence, long: true },
      ]
    }),
  }
}

/** The checks as lines of text, in columns; the gaps are dots, because logs collapse blanks. */
export function checkLines(checks: readonly Check[]): string[] {
  const rows = checks.map((check) => [check.subject, words(check).word, line(check.sentence, 1000)])
  const width = (column: number) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))
  const widths = [width(0), width(1)]
  const padded = (cell: string, to = 0) => (to > 0 ? `${cell} ${'.'.repeat(to - cell.length + 3)}` : cell)
  return rows.map((cells) => cells.map((cell, at) => padded(cell, widths[at])).join(' '))
}

export function isHindrance({ endsRun }: Check): boolean {
  return endsRun === true
}

/** What is only partly ok, or unknown. */
export function isDoubtful(check: Check): boolean {
  return check.result !== 'fits' && !isUntried(check) && !isHindrance(check)
}

function isUntried({ result }: Check): boolean {
  return result === 'not-tried'
}

function words({ result, endsRun }: Check): ResultWords {
  if (result === 'fits') return { icon: '✅', word: 'ok', tone: 'good' }
  if (result === 'not-tried') return { icon: '➖', word: 'not tried' }
  if (result === 'unknown') return { icon: '⚠️', word: 'unknown', tone: 'caution' }
  return { icon: endsRun ? '❌' : '⚠️', word: 'problem', tone: endsRun ? 'bad' : 'caution' }
}
