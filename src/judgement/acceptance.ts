import type { ReportJudgement } from './judgement.js'
import { message } from '../errors.js'
import { besideFailures } from '../gates/gates.js'
import { isByGates } from '../gates/result.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Part, Step } from '../outcome/outcome.js'
import { defined } from '../text/fields.js'
import { isOfItsBranch, measuredCommit } from '../outcome/code-origin.js'
import { oneLine } from '../text/foreign-text.js'
import { withoutSecrets } from '../text/redaction.js'
import { reasonsAbout } from '../text/reason.js'
import type { World } from '../world.js'
import { acceptanceIn, acceptanceOfAll, type LabelRecord } from './label-record.js'

export interface AcceptanceWorld extends Pick<World, 'log'> {
  /** Where the step runs. */
  step: Omit<Step, 'seconds'>
  /**
   * What GitHub says about a label on the pull request that the step is for, or on each of a merge group; else on those
   * whose merge the commit is. @throws UserError if it cannot be read
   */
  labelRecords: (label: string, commit: string | undefined) => Promise<LabelRecord[]>
}

/**
 * The judgement, as `accepted` if only gates have failed and a label on the pull request accepts that. If something
 * cannot be read, nothing is accepted, and the reasons say so. The run of a branch that has just merged such a pull
 * request is the new level, red or not.
 */
export async function withAcceptance(
  judgement: ReportJudgement,
  { accept: label }: Pick<Inputs, 'accept'>,
  world: AcceptanceWorld,
): Promise<Part> {
  if (label === undefined) return judgement
  const { log, step } = world
  const isForPull = step.pullRequest !== undefined || step.event === 'merge_group'
  const isMerge = !isForPull && isOfItsBranch({ step, ...defined({ report: judgement.report }) })
  if (!isForPull && !isMerge) {
    log.info('accept has no effect here: this run is for no pull request, and does not count for a branch.')
    return judgement
  }
  const hasPassed = judgement.verdict === 'passed'
  if (judgement.verdict !== 'failed' && !(hasPassed && isMerge)) return judgement
  if (!hasPassed && !isAcceptable(judgement)) {
    const sentence = `The label "${oneLine(label, 60)}" accepts only failed gates, but this run has other problems, too.`
    return { ...judgement, notes: [...judgement.notes, sentence] }
  }
  const found = await log.group(`Look for the label ${oneLine(label, 60)}`, () =>
    lookFor(label, judgement, isMerge, world),
  )
  const part = ruled(judgement, found, label, world)
  const shown = hasPassed ? judgement : part
  const isLevel = isMerge && part.acceptance !== undefined
  return isLevel ? { ...shown, isNewLevel: true, notes: [...judgement.notes, newLevel] } : shown
}

const newLevel =
  'New level: what was merged here was accepted, so later runs are compared with this one, and not with earlier ones.'

/** What was found, on failed gates. */
function ruled(
  judgement: ReportJudgement,
  found: ReturnType<typeof acceptanceOfAll>,
  label: string,
  { log, step }: AcceptanceWorld,
): Part {
  const shown = oneLine(label, 60)
  const isForOne = step.pullRequest !== undefined
  if ('missing' in found) {
    const { missing } = found
    if (missing.length === 0) return judgement
    const on = `pull request${missing.length === 1 ? '' : 's'} ${missing.join(', ')}`
    const then = isForOne || step.event === 'merge_group' ? '' : ' Then run this job again.'
    const sentence = `To accept the failed gates, set the label "${shown}" on ${on}. You need write access for that.${then}`
    return { ...judgement, advice: [...judgement.advice, sentence] }
  }
  if ('refusal' in found) {
    const on = isForOne || found.pull === undefined ? '' : ` on pull request ${found.pull}`
    const sentence = `The label "${shown}"${on} does not count: ${found.refusal}`
    log.info(sentence)
    return { ...judgement, reasons: [...judgement.reasons, ...reasonsAbout('label', sentence)] }
  }
  log.info(`The label "${shown}" was set by ${oneLine(found.by, 60)} at ${oneLine(found.at, 40)}`)
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
  isMerge: boolean,
  { labelRecords, step }: AcceptanceWorld,
): Promise<ReturnType<typeof acceptanceOfAll>> {
  try {
    const tested = measuredCommit({ step, ...defined({ report }) })
    const records = await labelRecords(label, tested)
    const rulings = records.map((record) => {
      // A queue tests what it would merge: a pull request that somebody pushes to leaves it.
      const isOfHead = isMerge || (step.event === 'merge_group' && tested === step.commit)
      return { pull: record.pull, ruling: acceptanceIn(record, label, isOfHead ? record.head : tested) }
    })
    return acceptanceOfAll(rulings)
  } catch (error) {
    return { refusal: message(error) }
  }
}
