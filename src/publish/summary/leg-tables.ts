import { defined } from '../../text/fields.js'
import { worstFirst, type Leg, type LoadTestOutcome, type MergeOutcome } from '../../outcome/outcome.js'
import { toWorkflowRun } from '../words/facts.js'
import { worseTable } from '../words/changes.js'
import type { Link } from '../words/table.js'
import { keyFigures } from './figure-tables.js'
import { signedPercent } from '../words/figure-text.js'
import { quantity } from '../../figures/numbers.js'
import { openGateTables } from './gate-tables.js'
import { finding } from '../words/words.js'
import type { Cell, Table } from '../words/table.js'
import { verdictWords } from '../words/verdict-words.js'

/** A row for each leg, the worst first, in as few columns as a phone shows. */
export function legTable(outcome: MergeOutcome): Table {
  return {
    title: 'Load tests',
    columns: [{ title: 'Load test' }, { title: 'Key figure, costliest change' }],
    rows: worstFirst(outcome.legs ?? []).map((leg) => {
      const { name, verdict, outcome: own } = leg
      const { icon, word, tone } = verdictWords[verdict]
      return [
        { text: name, code: true, icon, tone, detail: word.toLowerCase(), links: linksOf(leg, outcome) },
        own ? figureCell(own) : { text: '–' },
      ]
    }),
  }
}

/** What the leg's headline says; for a leg without an outcome, why there is none. */
export function legHeadline({ outcome, fault = '' }: Leg): string {
  return outcome ? finding(outcome) : fault
}

/** The beginning of the leg's own comment: why it is not green, and what changed. */
export function legTables({ outcome }: Leg): Table[] {
  return outcome ? [...openGateTables(outcome.gates), worseTable(outcome)] : []
}

function figureCell(outcome: LoadTestOutcome): Cell {
  const [figure] = keyFigures(outcome)
  const [name, change] = worseTable(outcome).rows.slice(0, 1)[0] ?? []
  const below = name && change ? `${name.text}: ${change.text}` : undefined
  if (!figure) return { text: below ?? '–' }
  const { value, unit, relativeDifference, title } = figure
  const compared = relativeDifference === undefined ? '' : `, ${signedPercent(relativeDifference)}`
  return { text: `${title} ${quantity(value, unit)}${compared}`, ...defined({ below }) }
}

/** The run, and what is attached of it; without an outcome, where the log of its job is. */
function linksOf({ outcome, artifact }: Leg, merge: MergeOutcome): Link[] {
  const { run, digest, report } = outcome ?? {}
  const link = (text: string, href: string | undefined) => (href === undefined ? [] : [{ text, href }])
  return [
    ...(run ? link(`Load test ${run.number}`, run.url) : []),
    ...link('Digest', digest?.url),
    ...link('Report', report?.artifact?.url),
    ...(outcome ? [] : [...link('Outcome', artifact?.url), ...toWorkflowRun(merge)]),
  ]
}
