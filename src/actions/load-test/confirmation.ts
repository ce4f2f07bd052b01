import { followAndJudge, type FollowWorld } from '../../follow/follow.js'
import type { ReportJudgement } from '../../judgement/judgement.js'
import { judgedTwice, mayBeNoise, isByGates, verdictOf } from '../../gates/result.js'
import type { Inputs, StartInputs } from '../../inputs/inputs.js'
import {
  nothingYet,
  withPart,
  type Confirmation,
  type LoadTestOutcome,
  type Part,
  type Run,
} from '../../outcome/outcome.js'
import type { Session } from '../../session.js'
import { brokenOff } from '../../start/run.js'
import { startAgain, type Source, type StartWorld } from '../../start/start.js'
import { formatDuration } from '../../text/duration.js'
import { defined } from '../../text/fields.js'
import type { Reason } from '../../text/reason.js'

type ConfirmationWorld = StartWorld & FollowWorld

/** A run that was judged, and what a second one needs to know about it. */
interface FirstLook {
  judgement: ReportJudgement
  run: Pick<Run, 'number'>
  source: Source
  /** Milliseconds that are left of the timeout. */
  left: number
}

/**
 * If noise may have made the first run red, starts a second one, by all rules of starting once, and judges it too.
 *
 * @returns the judgement of both together, not told yet
 */
export async function secondLook(
  session: Session<ConfirmationWorld, StartInputs>,
  first: FirstLook,
): Promise<ReportJudgement> {
  const { inputs, world, tell } = session
  const { judgement, run, source, left } = first
  if (!isDoubtful(judgement, inputs)) return judgement
  const took = (judgement.figures?.general.duration ?? 0) * 1000
  if (left < took) {
    const sentence = `No second run was started to confirm load test ${run.number}: it would take about ${formatDuration(took)}, and only ${formatDuration(Math.max(0, left))} of the timeout is left.`
    return { ...judgement, notes: [...judgement.notes, sentence] }
  }
  world.log.notice(
    `Only gates that compare failed in load test ${run.number}. Because of confirm: true, one more copy of load test ${source.template.number} is started to confirm that. It costs as much as the first.`,
  )
  let second = nothingYet(inputs.mode, { ...world.step, seconds: 0 })
  const add = (part: Part) => {
    second = withPart(second, part)
    tell({ confirmation: confirmationOf(second) })
  }
  add({})
  try {
    await secondRun(
      { ...session, inputs: { ...inputs, timeout: left }, tell: add, told: () => second },
      first,
    )
  } catch (error) {
    add(brokenOff(error, second.run, world.signal))
    if (world.signal.aborted) {
      tell(judgement)
      throw error
    }
  }
  const together = confirmed(judgement, run.number, second)
  tell({ confirmation: confirmationOf(second, together) })
  return together
}

/** Red only because of gates that compare: everything else was measured, and is good. */
function isDoubtful(judgement: ReportJudgement, inputs: Pick<Inputs, 'gates'>): boolean {
  const { gates, figures } = judgement
  return isByGates(judgement) && figures?.partial === undefined && mayBeNoise(gates, inputs.gates)
}

async function secondRun(
  session: Session<ConfirmationWorld, StartInputs>,
  { run, source }: FirstLook,
): Promise<void> {
  const judgement = await followAndJudge(session, await startAgain(session, source, run.number))
  if (judgement) session.tell(judgement)
}

/** The judgement of two runs together. If the second came to none, that of the first stands. */
export function confirmed(first: ReportJudgement, number: number, second: LoadTestOutcome): ReportJudgement {
  const { run, reasons, advice, gates } = second
  const fresh = second.notes.filter((note) => !first.notes.includes(note))
  if (!run || !isByGates(second)) {
    const text = `The verdict of load test ${number} stands, because the second run could not be judged:`
    const about = 'second-run'
    const theirs = reasons.map((reason): Reason => ({ ...reason, about }))
    return {
      ...first,
      reasons: [...first.reasons, { about, text, introduces: true }, ...theirs],
      advice,
      notes: [...first.notes, ...fresh],
    }
  }
  const { results, notes } = judgedTwice(first.gates, gates, { first: number, second: run.number })
  return {
    ...first,
    ...verdictOf(results),
    gates: results,
    // Later runs are compared with the figures of the second.
    tooManyErrors: second.tooManyErrors ?? false,
    notes: [...notes, ...first.notes, ...fresh.map((note) => `Load test ${run.number}: ${note}`)],
  }
}

function confirmationOf(second: LoadTestOutcome, together?: ReportJudgement): Confirmation {
  const { verdict, reasons, run, report, results, gates, figures } = second
  const isOpen = !together || !run || !isByGates(second)
  const result = isOpen ? 'open' : together.verdict === 'passed' ? 'not-confirmed' : 'confirmed'
  return { result, verdict, reasons, gates, ...defined({ run, report, results, figures }) }
}
