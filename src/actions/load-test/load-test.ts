import { findBaseline, lacksBaseline, unmeasurable, type BaselineWorld } from '../../baseline/baseline.js'
import { BaselineError, StartError, UserError } from '../../errors.js'
import { followAndJudge, untilBuilt } from '../../follow/follow.js'
import { isByGates, judgedTwice, mayBeNoise, verdictOf } from '../../gates/result.js'
import { goesRed, scopesFor, type CollectInputs, type StartInputs } from '../../inputs/inputs.js'
import { withAcceptance, type AcceptanceWorld } from '../../judgement/acceptance.js'
import type { ReportJudgement } from '../../judgement/judgement.js'
import {
  nothingYet,
  withPart,
  type LoadTestOutcome,
  type Part,
  type Run,
  type Step,
  type Tell,
} from '../../outcome/outcome.js'
import { isBuilt } from '../../service/project.js'
import type { ServiceWorld, Session } from '../../session.js'
import { attachTo, brokenOff, deleteArchive, templateOf, uploadedBy } from '../../run/run.js'
import { start, startAgain, type Source, type StartWorld } from '../../start/start.js'
import { formatDuration } from '../../text/duration.js'
import { defined } from '../../text/fields.js'
import type { Reason } from '../../text/reason.js'
import type { World } from '../../world.js'

export interface LoadTestWorld
  extends
    StartWorld,
    ServiceWorld,
    AcceptanceWorld,
    Pick<BaselineWorld, 'earlierOutcomes'>,
    Pick<World, 'workspace' | 'xpathWorker'> {}

/** The load test of a commit: started, or followed to its end, or both, as the mode says. */
export async function loadTest(
  inputs: StartInputs | CollectInputs,
  world: LoadTestWorld,
  telling: { tell: Tell; told: () => LoadTestOutcome },
): Promise<void> {
  const client = world.connect(inputs, scopesFor(inputs))
  const shared = { world, client, ...telling }
  if (inputs.mode === 'start') {
    const session = { inputs, ...shared }
    return untilBuilt(session, await start(session))
  }
  if (inputs.mode === 'collect') return runOfBefore({ inputs, ...shared })
  // Before anything is started: a baseline that cannot be read must not come up only after a paid run.
  const session = await withBaseline({ inputs, ...shared })
  const strange = unmeasurable(inputs, session.baseline)
  if (strange.length > 0) throw new UserError(strange.join(' '))
  return wholeRun(session)
}

async function withBaseline<T extends CollectInputs | StartInputs>(
  session: Session<LoadTestWorld, T>,
  measured?: BaselineWorld['measured'],
): Promise<Session<LoadTestWorld, T>> {
  const { inputs, world, client } = session
  const more = { client, timeout: inputs.reportTimeout, ...defined({ measured }) }
  const baseline = await findBaseline(inputs.baseline, { ...world, ...more })
  return { ...session, ...defined({ baseline }) }
}

/** A run that another step has started. */
async function runOfBefore(before: Session<LoadTestWorld, CollectInputs>): Promise<void> {
  const { inputs, world, tell, told } = before
  const note = await world.startOf(inputs.runNumber, inputs)
  // The pull request that an input names may have moved on; a run of one, collected by hand, is not of the branch.
  const isOfBranch = inputs.pullRequest === undefined && note?.ref === told().step.ref
  const head = isOfBranch ? undefined : note?.commit
  const tested = defined({ commit: note?.commit, head })
  tell({ step: ofRun(told().step, tested) })
  world.keep.measured(tested)
  const template = note && templateOf(note)
  const measured = { mode: inputs.mode, step: told().step, ...defined({ template }) }
  const session = await withBaseline(before, measured)
  const run = await attachTo(session, note)
  const uploaded = note && uploadedBy(note)
  const judgement = await followAndJudge(session, { run, ...defined({ uploaded }) })
  if (judgement) tell(await withAcceptance(judgement, inputs, { ...world, step: ofRun(world.step, tested) }))
}

/** The event of the step that collects a run says nothing about its code: the note of its start does. */
function ofRun<T extends Pick<Step, 'commit'>>(
  { commit: _, ...step }: T,
  tested: Pick<Step, 'commit' | 'head'>,
) {
  return { ...step, ...tested }
}

/** A new run; a red one is confirmed by a second where that is asked for, and may be accepted. */
async function wholeRun(session: Session<LoadTestWorld, StartInputs>): Promise<void> {
  const { inputs, world, tell } = session
  let mayRun = true
  try {
    const launched = await start(session, () => checkCanCompare(session)).catch((error: unknown) => {
      mayRun = error instanceof StartError
      throw error
    })
    const began = world.clock.now()
    const judgement = await followAndJudge(session, launched)
    if (!judgement) return
    const took = world.clock.now() - began
    const together = inputs.confirm ? await secondLook(session, { judgement, ...launched, took }) : judgement
    tell(await withAcceptance(together, inputs, world))
  } finally {
    if (inputs.deleteArchive) tell({ notes: await leaveArchive(session, mayRun) })
  }
}

/** Gates that compare with nothing are not measured: then the verdict is known without the cost of a run. */
export function checkCanCompare({
  inputs,
  baseline,
  tell,
}: Pick<Session<unknown, StartInputs>, 'inputs' | 'baseline' | 'tell'>): void {
  if (!baseline || !goesRed('invalid', inputs.failOn) || !lacksBaseline(inputs, baseline)) return
  const { advice, notes } = baseline
  tell({ notes })
  throw new BaselineError('There is no baseline to compare with, so nothing was started.', { advice })
}

/**
 * The code archive is deleted unless a run may still be built from it. Of one without an id its upload has told.
 *
 * @param mayRun a run may exist that is not known
 * @returns sentences on an archive that is still there
 */
export async function leaveArchive(
  { world: { log, signal }, client, told }: Session<Pick<World, 'log' | 'signal'>>,
  mayRun: boolean,
): Promise<string[]> {
  const { archive, run, confirmation } = told()
  // For a cancelled job the post step reports this.
  if (archive?.id === undefined || signal.aborted) return []
  const runs = [run, ...(confirmation ? [confirmation.run] : [])]
  const areBuilt = (run === undefined && !mayRun) || runs.every((one) => one && isBuilt(one))
  const notes = await deleteArchive({ client, log }, archive.id, areBuilt)
  if (notes.length > 0) signal.throwIfAborted()
  return notes
}

/**
 * If noise may have made the first run red, judges a second one, too.
 *
 * @param first `took`: milliseconds for which the step has followed it
 * @returns both together, not told yet
 */
export async function secondLook(
  session: Session<StartWorld & Pick<World, 'xpathWorker'>, StartInputs>,
  first: { judgement: ReportJudgement; run: Pick<Run, 'number'>; source: Source; took: number },
): Promise<ReportJudgement> {
  const { inputs, world, tell } = session
  const { judgement, run, source } = first
  if (!isDoubtful(judgement, inputs)) return judgement
  const left = inputs.timeout - first.took
  const took = Math.max(first.took, (judgement.figures?.general.duration ?? 0) * 1000)
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
    tell({ confirmation: confirmationOf(second), ...defined({ archive: part.archive }) })
  }
  add({})
  try {
    const again = { ...session, inputs: { ...inputs, timeout: left }, tell: add, told: () => second }
    const judged = await followAndJudge(again, await startAgain(again, source, run.number))
    if (judged) add(judged)
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
function isDoubtful(judgement: ReportJudgement, inputs: StartInputs): boolean {
  const { gates, figures } = judgement
  return isByGates(judgement) && figures?.partial === undefined && mayBeNoise(gates, inputs.gates)
}

/** The judgement of two runs together. If the second came to none, that of the first stands. */
export function confirmed(first: ReportJudgement, number: number, second: LoadTestOutcome): ReportJudgement {
  const { run, gates } = second
  const fresh = second.notes.filter((note) => !first.notes.includes(note))
  if (!run || !isByGates(second)) return unconfirmed(first, number, { second, fresh })
  const { results, notes } = judgedTwice(first.gates, gates, { first: number, second: run.number })
  const { verdict, reasons } = verdictOf(results)
  // What is left of a run that failed may be fast.
  const failsElsewhere =
    verdict === 'passed' && gates.some(({ builtIn, result }) => builtIn && result === 'failed')
  if (failsElsewhere || (second.tooManyErrors && !first.tooManyErrors))
    return unconfirmed(first, number, { second, fresh, hasFailed: true })
  return {
    ...first,
    verdict,
    reasons: [...reasons, ...first.reasons.filter(({ about }) => about === 'results')],
    gates: results,
    // Later runs are compared with the figures of the second.
    tooManyErrors: second.tooManyErrors ?? false,
    notes: [...notes, ...first.notes, ...fresh.map((note) => `Load test ${run.number}: ${note}`)],
  }
}

/** @param of `fresh`: notes that the first run does not have */
function unconfirmed(
  first: ReportJudgement,
  number: number,
  of: { second: LoadTestOutcome; fresh: readonly string[]; hasFailed?: true },
): ReportJudgement {
  const { reasons, advice } = of.second
  const why = of.hasFailed ? 'far more of the second run failed' : 'the second run could not be judged'
  const text = `The verdict of load test ${number} stands, because ${why}${reasons.length > 0 ? ':' : '.'}`
  const about = 'second-run'
  const theirs = reasons.map((reason): Reason => ({ ...reason, about }))
  const own: Reason = { about, text, ...(reasons.length > 0 ? { introduces: true } : {}) }
  const notes = [...first.notes, ...of.fresh]
  return { ...first, reasons: [...first.reasons, own, ...theirs], advice, notes }
}

function confirmationOf(
  second: LoadTestOutcome,
  together?: ReportJudgement,
): NonNullable<LoadTestOutcome['confirmation']> {
  const { verdict, reasons, run, report, results, gates, figures } = second
  const isOpen = !together || together.reasons.some(({ about }) => about === 'second-run')
  const result = isOpen ? 'open' : together.verdict === 'passed' ? 'not-confirmed' : 'confirmed'
  return { result, verdict, reasons, gates, ...defined({ run, report, results, figures }) }
}
