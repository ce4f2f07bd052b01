import { markdownLine, markdownLink, markdownName, markdownText } from '../../text/foreign-text.js'
import { defined } from '../../text/fields.js'
import {
  isGreen,
  worstFirst,
  type Leg,
  type LoadTestOutcome,
  type MergeOutcome,
} from '../../outcome/outcome.js'
import { worseTable } from '../words/changes.js'
import type { Link } from '../words/facts.js'
import { linkSection, meaningSection } from '../comment/first-screen.js'
import { keyFigures, keyFigureTable } from './figure-tables.js'
import { signedPercent } from '../words/figure-text.js'
import { quantity } from '../../figures/quantity.js'
import { otherReasons } from '../words/other-reasons.js'
import { openGateTables } from './gate-tables.js'
import { finding } from '../words/words.js'
import { listSection, tableBlock, tableSection, type Section } from '../comment/markdown.js'
import type { Cell, Table } from '../words/table.js'
import { verdictWords } from '../words/verdict-words.js'

/** How much of each leg a page shows. */
interface LegDetail {
  gates: number
  changes: number
}

/** The sections of a page about the legs of a matrix: a row for each, those that are red open below, the others folded. */
export function legSections(outcome: MergeOutcome, legs: readonly Leg[], detail: LegDetail): Section[] {
  const ordered = worstFirst(legs)
  return [
    ...meaningSection(outcome),
    ...tableSection(legTable(legs), 'heading', 2),
    ...blocks(
      'Load tests that did not pass',
      3,
      ordered.filter(({ verdict }) => !isGreen(verdict)).map((leg) => openBlock(leg, detail)),
    ),
    ...listSection(
      'Notes',
      'heading',
      4,
      outcome.notes.map((text) => markdownLine(text, 1000)),
    ),
    ...linkSection(outcome),
    ...blocks(
      'Load tests that passed',
      5,
      ordered.filter(({ verdict }) => isGreen(verdict)).map((leg) => foldedBlock(leg, detail)),
    ),
  ]
}

/** Where a page without room for all legs refers its readers to. */
export function legsElsewhere({ digest }: MergeOutcome): string {
  return digest ? `The ${markdownLink('digest', digest.url)} has them all.` : 'The outcome file has them all.'
}

/** A row for each leg, the worst first, in as few columns as a phone shows. */
export function legTable(legs: readonly Leg[]): Table {
  return {
    title: 'Load tests',
    columns: [{ title: 'Load test' }, { title: 'Key figure, costliest change' }],
    rows: worstFirst(legs).map((leg) => {
      const { name, verdict, outcome } = leg
      const { icon, word, tone } = verdictWords[verdict]
      return [
        { text: name, code: true, icon, tone, detail: word.toLowerCase(), links: linksOf(leg) },
        outcome ? figureCell(outcome) : { text: '–' },
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
  const [name, , change] = worseTable(outcome).rows.slice(0, 1)[0] ?? []
  const below = name && change ? `${name.text}: ${change.text}` : undefined
  if (!figure) return { text: below ?? '–' }
  const { value, unit, relativeDifference, title } = figure
  const compared = relativeDifference === undefined ? '' : `, ${signedPercent(relativeDifference)}`
  return { text: `${title} ${quantity(value, unit)}${compared}`, ...defined({ below }) }
}

/** The run, and what is attached of it. */
function linksOf({ outcome, artifact }: Leg): Link[] {
  const { run, digest, report } = outcome ?? {}
  const link = (text: string, href: string | undefined) => (href === undefined ? [] : [{ text, href }])
  return [
    ...(run ? link(`Load test ${run.number}`, run.url) : []),
    ...link('Digest', digest?.url),
    ...link('Report', report?.artifact?.url),
    ...(outcome ? [] : link('Outcome', artifact?.url)),
  ]
}

function blocks(title: string, priority: number, rows: string[]): Section[] {
  return rows.length === 0 ? [] : [{ title, shown: 'no', priority, head: [], rows, noun: 'load test' }]
}

function openBlock(leg: Leg, { gates, changes }: LegDetail): string {
  const { outcome, name, verdict } = leg
  const reasons = outcome ? otherReasons(outcome).slice(0, changes) : []
  const parts = [
    `### ${verdictWords[verdict].icon} ${markdownName(name)}: ${markdownText(legHeadline(leg), 400)}`,
    reasons.map(({ text }) => `- ${markdownLine(text, 400)}`).join('\n'),
    ...(outcome ? openGateTables(outcome.gates).map((table) => tableBlock(table, gates)) : []),
    outcome ? tableBlock(worseTable(outcome), changes) : '',
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function foldedBlock(leg: Leg, { gates, changes }: LegDetail): string {
  const { outcome, name, verdict } = leg
  const parts = outcome
    ? [
        ...openGateTables(outcome.gates).map((table) => tableBlock(table, gates)),
        tableBlock(worseTable(outcome), changes),
        tableBlock(keyFigureTable(outcome), gates),
      ]
    : []
  const summary = `${verdictWords[verdict].icon} ${markdownName(name)}: ${markdownText(legHeadline(leg))}`
  const body = parts.filter((part) => part !== '').join('\n\n')
  return `<details>\n<summary>${summary}</summary>\n\n${body}\n\n</details>\n`
}
