import type { ReportJudgement } from './judgement.js'
import { message } from '../errors.js'
import { besideFailures } from '../gates/gates.js'
import { isByGates } from '../gates/verdict.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Acceptance, Part } from '../outcome/outcome.js'
import { defined } from '../text/fields.js'
import { measuredCommit } from '../outcome/code-origin.js'
import { oneLine } from '../text/foreign-text.js'
import type { World } from '../world.js'
import { acceptanceIn } from './label-record.js'

type Around = Pick<World, 'labelRecord' | 'log' | 'step'>

/**
 * The judgement, as `accepted` if only gates have failed and a label on the pull request accepts that. If something
 * cannot be read, nothing is accepted, and the reasons say so.
 */
export async function withAcceptance(
  judgement: ReportJudgement,
  { accept: label }: Pick<Inputs, 'accept'>,
  world: Around,
): Promise<Part> {
  if (label === undefined) return judgement
  const { log, step } = world
  if (step.pullRequest === undefined) {
    log.info('accept has no effect here: this workflow was not started by a pull request.')
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
  if (found === undefined) {
    const sentence = `To accept the failed gates, set the label "${oneLine(label, 60)}" on pull request ${step.pullRequest}. You need write access for that.`
    return { ...judgement, advice: [...judgement.advice, sentence] }
  }
  if ('refusal' in found) {
    return { ...judgement, reasons: [...judgement.reasons, `${shown} does not count: ${found.refusal}`] }
  }
  log.info(`${shown} was set by ${oneLine(found.by, 60)} at ${oneLine(found.at, 40)}`)
  return { ...judgement, verdict: 'accepted', acceptance: found }
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
  { labelRecord, step }: Around,
): Promise<Acceptance | { refusal: string } | undefined> {
  try {
    const record = await labelRecord(label)
    return acceptanceIn(record, label, measuredCommit({ step, ...defined({ report }) }))
  } catch (error) {
    return { refusal: message(error) }
  }
}
