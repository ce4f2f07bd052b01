import { createHash } from 'node:crypto'
import { markdownLink, markdownText } from '../../text/foreign-text.js'
import type { Outcome, Run, Step } from '../../outcome/outcome.js'
import { baselineFact, linkOfCommit, linkOfRun, loadFacts, timeText, toWorkflowRun } from '../words/facts.js'
import { changeChart } from './change-chart.js'
import { keyFigureTable } from '../summary/figure-tables.js'
import { withFirstLetter } from '../words/figure-text.js'
import { undecided, verdictWords } from '../words/verdict-words.js'
import { blockSection, fit, inARow, type Section, tableSection } from './markdown.js'
import { factSection, facePage } from './summary.js'

/** GitHub accepts 65,536 characters in a comment. */
export const commentLimit = 65_536

/** What the hidden key of a comment ends with whose latest verdict is red. */
const red = ' (red)'

/** Rows of a table: a comment has room for twenty legs that failed. */
const rowsOfLeg = 5

interface StartedRun {
  run: Pick<Run, 'number' | 'url' | 'template'>
  step: Pick<Step, 'repository' | 'commit' | 'service' | 'workflowRunUrl'>
  /** When it should be over, ISO 8601. */
  expectedEnd?: string
  /** The run that it is to confirm. */
  confirms?: number
}

/**
 * The outcome as a pull request comment below `limit` characters, its hidden key last: a short form of the summary.
 */
export function renderComment(outcome: Outcome, key: string, limit = commentLimit - red.length): string {
  const tail = `${updatedFor(outcome)}${marker(key)}`
  return fit({ ...facePage(outcome, rowsOfLeg, brief), tail }, limit)
}

/** If all is well, readers want no more than that. */
function brief(outcome: Outcome): Section[] {
  if (outcome.kind !== 'load-test') return []
  const figures = tableSection(keyFigureTable(outcome), 'folded', 6)
  if (outcome.verdict === 'passed') return figures
  const chart = outcome.comparison ? changeChart(outcome) : ''
  return [
    ...blockSection('Chart', 9, chart, 'folded'),
    ...figures,
    ...factSection(loadFacts(outcome), 'folded'),
  ]
}

/** The headline of a load test without an outcome yet. */
export const underWay = 'Load test: under way'

/** The comment for the moment when the run starts; it is replaced by the outcome's. */
export function renderStartedComment({ run, step, expectedEnd, confirms }: StartedRun, key: string): string {
  const links = [linkOfRun(run, step), ...toWorkflowRun({ step })]
  const template = run.template?.name ?? run.template?.number
  const lines = [
    `## ${verdictWords.started.icon} Load test ${run.number} is running`,
    inARow(links.map((link) => markdownLink(link.text, link.href))),
    ...(confirms === undefined
      ? []
      : [`Gates that compare failed in load test ${confirms}. This second run shows whether that is noise.`]),
    expectedEnd === undefined
      ? 'Nothing to do until it has ended: this comment will then show the verdict.'
      : `It should end at ${markdownText(timeText(expectedEnd))}. Nothing to do until then: this comment will show the verdict.`,
    ...(template === undefined ? [] : [`Template: ${markdownText(String(template))}`]),
    ...(step.commit === undefined ? [] : [`Started for ${commitText(step, step.commit)}.`]),
    marker(key),
  ]
  return lines.join('\n\n')
}

/** What the head lines of this step begin with, without what chooses the form of the sign. */
const signs = new Set([undecided, ...Object.values(verdictWords)].map(({ icon }) => icon.codePointAt(0)))

/**
 * True for a body that begins as those of `renderComment` and `renderStartedComment`, and ends with their hidden key. One
 * with another headline quotes it.
 */
export function findKey(body: string, key: string): boolean {
  const last = `\n${marker(key)}`
  const [, sign = ''] = /^## (.)(?![^]*\n## )/u.exec(body) ?? []
  return signs.has(sign.codePointAt(0)) && [last, asRed(last)].some((line) => body.trimEnd().endsWith(line))
}

/** The body of a comment, so that `isRedComment` is true for it. */
export function asRed(body: string): string {
  return body.replace(/(?= -->$)/, red)
}

/** Whether the latest final verdict of this comment, which the next one needs to know, is red. */
export function isRedComment(body: string): boolean {
  return body.trimEnd().endsWith(`${red} -->`)
}

// An HTML comment must not contain `>` or two hyphens. A long key is represented by its digest.
function marker(key: string): string {
  const safe = Buffer.from(key.toWellFormed(), 'utf8')
    .toString('latin1')
    .replace(/[^A-Za-z0-9_.]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
  const short = safe.length <= 200 ? safe : createHash('sha256').update(safe).digest('hex')
  return `<!-- load-test-action: ${short} -->`
}

function updatedFor(outcome: Outcome): string {
  const { step } = outcome
  const base = outcome.kind === 'load-test' ? outcome.comparison?.baseline : undefined
  const fact = base && baselineFact(base, step)
  const words = [
    ...(step.commit === undefined ? [] : [`Updated for ${commitText(step, step.commit)}`]),
    ...(fact ? [`compared with ${markdownLink(fact.text, fact.href)}`] : []),
  ]
  return words.length === 0 ? '' : `${withFirstLetter(words.join(', '))}.\n\n`
}

function commitText(step: StartedRun['step'], commit: string): string {
  const { text, href } = linkOfCommit(step, commit)
  return markdownLink(text, href)
}
