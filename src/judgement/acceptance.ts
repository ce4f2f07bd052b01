import type { ReportJudgement } from './judgement.js'
import { message } from '../errors.js'
import { besideFailures } from '../gates/gates.js'
import { isByGates } from '../gates/verdict.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Part, Step } from '../outcome/outcome.js'
import { defined } from '../text/fields.js'
import { measuredCommit } from '../outcome/code-origin.js'
import { oneLine } from '../text/foreign-text.js'
import { withoutSecrets } from '../text/redaction.js'
import { reasonsAbout } from '../text/reason.js'
import type { World } from '../world.js'
import { acceptanceIn, acceptanceOfAll, type LabelRecord } from './label-record.js'

export interface AcceptanceWorld extends Pick<World, 'log'> {
  /** Where the step runs. */
  step: Omit<Step, 'seconds'>
  /**
   * What GitHub says about a label on the pull request that the step is for, or on each of a merge group. @throws
   * UserError if it cannot be read
   */
  labelRecords: (label: string) => Promise<LabelRecord[]>
}

/**
 * The judgement, as `accepted` if only gates have failed and a label on the pull request accepts that. If something
 * cannot be read, nothing is accepted, and the reasons say so.
 */
export async function withAcceptance(
  judgement: ReportJudgement,
  { accept: label }: Pick<Inputs, 'accept'>,
  world: AcceptanceWorld,
): Promise<Part> {
  if (label === undefined) return judgement
  const { log, step } = world
  if (step.pullRequest === undefined && step.event !== 'merge_group') {
    log.info(
      'accept has no effect here: this workflow was started neither by a pull request nor by a merge queue.',
    )
    return judgement
  }
  if (judgement.verdict !== 'failed') return judgement
  const shown = `The label "${oneLine(label, 60)}"`
  if (!isAcceptable(judgement)) {
    const sentence = `${shown} accepts only failed gates, but this run has other problems, too.`
    return { ...judgement, notes: [...judgement.notes, sentence] }
  }
  const found = await log.group(`Look for the label ${oneLine(label, 60)}`, () =>
    lookFor(label, judgement, world),
  )
  if ('missing' in found) {
    const on = `pull request${found.missing.length === 1 ? '' : 's'} ${found.missing.join(', ')}`
    const sentence = `To accept the failed gates, set the label "${oneLine(label, 60)}" on ${on}. You need write access for that.`
    return { ...judgement, advice: [...judgement.advice, sentence] }
  }
  if ('refusal' in found) {
    const on =
      step.event === 'merge_group' && found.pull !== undefined ? ` on pull request ${found.pull}` : ''
    const sentence = `${shown}${on} does not count: ${found.refusal}`
    return { ...judgement, reasons: [...judgement.reasons, ...reasonsAbout('label', sentence)] }
  }
  log.info(`${shown} was set by ${oneLine(found.by, 60)} at ${oneLine(found.at, 40)}`)
  const named = { label: withoutSecrets(found.label), by: withoutSecrets(found.by) }
  return { ...judgement, verdict: 'accepted', acceptance: { ...found, ...named } }
}

/** If these gates had not failed, the run would have passed. */
function isAcceptable(judgement: ReportJudgement): boolean {
  const { figures, gates } = judgement
  return (
    gates.some(({ result }) => result === 'failed') &&
    isByGates(judgement) &&
    figures !== undefined &&
    besideFailures(gates, figures).verdict === 'passed'
  )
}

async function lookFor(
  label: string,
  { report }: Pick<Part, 'report'>,
  { labelRecords, step }: AcceptanceWorld,
): Promise<ReturnType<typeof acceptanceOfAll>> {
  try {
    const tested = measuredCommit({ step, ...defined({ report }) })
    const records = await labelRecords(label)
    const rulings = records.map((record) => {
      // A queue tests what it would merge: a pull request that somebody pushes to leaves it.
      const isQueued = step.event === 'merge_group' && tested === step.commit
      return { pull: record.pull, ruling: acceptanceIn(record, label, isQueued ? record.head : tested) }
    })
    return acceptanceOfAll(rulings)
  } catch (error) {
    return { refusal: message(error) }
  }
}
