import { withAcceptance } from '../judgement/acceptance.js'
import { loadBaseline, type FoundBaseline } from '../baseline/baseline.js'
import { check } from './check/check.js'
import { judgeGiven } from './judge/judge.js'
import { followAndJudge } from '../follow/follow.js'
import { secondLook } from './load-test/confirmation.js'
import { defined } from '../text/fields.js'
import { message } from '../errors.js'
import {
  areRefused,
  type ActionInputs,
  type HistoryInputs,
  type Inputs,
  type JudgeInputs,
  type MergeInputs,
} from '../inputs/inputs.js'
import { latestRun, nothingYet, withPart, type Outcome, type Part, type Telling } from '../outcome/outcome.js'
import type { Client } from '../service/client.js'
import type { Scope } from '../service/operations.js'
import { brokenOff } from '../start/broken-off.js'
import { untilBuilt } from '../follow/built.js'
import { attachTo, start } from '../start/start.js'
import { uploadedBy } from '../start/race.js'
import { oneLine } from '../text/foreign-text.js'
import { hasEnded } from '../service/state.js'
import type { World } from '../world.js'

/**
 * One step from its inputs to its outcome. Whatever happens after the inputs were read ends in an outcome; nothing is
 * published here.
 */
export async function run(inputs: ActionInputs, world: World): Promise<Outcome> {
  const { clock, log, signal } = world
  const began = clock.now()
  const step = { ...world.step, mode: inputs.mode, seconds: 0 }
  let outcome = withPart(nothingYet(step), { notes: world.doubts })
  const story = storyOf(inputs, world)
  try {
    for (;;) {
      const next = await world.unlessBroken(story.next())
      if (next.done) break
      outcome = withPart(outcome, world.redact(next.value))
    }
  } catch (error) {
    outcome = withPart(outcome, world.redact(brokenOff(error, latestRun(outcome), signal)))
  }
  const seconds = Math.round((clock.now() - began) / 1000)
  log.debug(`Verdict ${outcome.verdict}`)
  return withPart(outcome, { step: { ...outcome.step, seconds } })
}

function storyOf(inputs: ActionInputs, world: World): Telling {
  if (areRefused(inputs)) return refusal(inputs)
  switch (inputs.mode) {
    case 'check':
      return check(inputs, scopesFor(inputs), world)
    case 'judge':
      return judged(inputs, world)
    case 'history':
      return overTime(inputs, world)
    case 'merge':
      return merged(inputs, world)
    case 'start':
      return onlyStart(inputs, world)
    case 'collect':
      return runOfBefore(inputs, world)
    case 'run':
      return wholeRun(inputs, world)
  }
}

/** All mistakes at once, and nothing is sent to the service. */
async function* refusal({ faults }: Pick<ActionInputs, 'faults'>): Telling {
  const all = [...faults.inputs, ...faults.gates]
  const count = all.length > 1 ? [`${all.length} inputs need to be changed:`] : []
  yield { verdict: 'error', reasons: [...count, ...all] }
}

/** A report that already exists. */
async function* judged(inputs: JudgeInputs, world: World): Telling {
  const judgement = yield* judgeGiven(inputs, world, await findBaseline(inputs, world))
  if (judgement) yield await withAcceptance(judgement, inputs, world)
}

/** The outcomes of a matrix's legs. The code is loaded here, since nothing else needs it. */
async function* merged(inputs: MergeInputs, world: World): Telling {
  const { mergeLegs } = await import('./merge/merge.js')
  yield* mergeLegs(inputs, world)
}

/** The runs of a branch. The code is loaded here, since nothing else needs it. */
async function* overTime(inputs: HistoryInputs, world: World): Telling {
  const { historyOfBranch } = await import('./history/history.js')
  yield* historyOfBranch(inputs, world)
}

async function* onlyStart(inputs: Inputs, world: World): Telling {
  const client = world.connect(inputs, scopesFor(inputs))
  yield* untilBuilt(yield* start(inputs, world, client), inputs, world, client)
}

/** A run that another step has started. */
async function* runOfBefore(inputs: Inputs, world: World): Telling {
  const client = world.connect(inputs, scopesFor(inputs))
  const baseline = await findBaseline(inputs, world, client)
  const run = await attachTo(inputs, world, client)
  const uploaded = async () => {
    const note = await world.startOf(run.number, inputs)
    return note && uploadedBy(note)
  }
  const judgement = yield* followAndJudge({ run, uploaded }, inputs, world, client, baseline)
  if (judgement) yield await withAcceptance(judgement, inputs, world)
}

/** The run, and then the deletion of its code archive. */
async function* wholeRun(inputs: Inputs, world: World): Telling {
  const client = world.connect(inputs, scopesFor(inputs))
  let known: Part = {}
  try {
    for await (const part of toTheVerdict(inputs, world, client)) {
      known = { ...known, ...part }
      yield part
    }
  } finally {
    if (inputs.deleteArchive) yield { notes: await leaveArchive(known, world, client) }
  }
}

async function* toTheVerdict(inputs: Inputs, world: World, client: Client): Telling {
  const baseline = await findBaseline(inputs, world, client)
  const launched = yield* start(inputs, world, client, secondsOf(baseline))
  const began = world.clock.now()
  const judgement = yield* followAndJudge(launched, inputs, world, client, baseline)
  if (!judgement) return
  const { run, source } = launched
  const left = inputs.timeout - (world.clock.now() - began)
  const first = { judgement, run, source, left }
  const together = inputs.confirm ? yield* secondLook(first, inputs, world, client, baseline) : judgement
  yield await withAcceptance(together, inputs, world)
}

/** How long the baseline's runs took, to estimate when this one should be over. */
function secondsOf(baseline: FoundBaseline | undefined): number | undefined {
  return baseline?.runs?.reports[0]?.general.duration
}

/**
 * Only the scopes that this step's calls need (interface section 4), so that credentials with few scopes are enough.
 * Mode check checks those of mode run.
 */
export function scopesFor(
  inputs: Pick<Inputs, 'mode' | 'upload' | 'deleteArchive' | 'resultsArtifact'>,
): Scope[] {
  const scopes: Scope[] = ['LOADTEST_DETAILS']
  if (inputs.mode !== 'collect') {
    // The list shows the result of a start whose answer was lost.
    scopes.push('LOADTEST_LIST', 'LOADTEST_COPY_RUN')
    if (inputs.upload) scopes.push('CODEARCHIVE_UPLOAD')
    if (inputs.deleteArchive) scopes.push('CODEARCHIVE_DELETE')
  }
  if (inputs.mode !== 'start') {
    scopes.push('LOADTEST_STATUS', 'LOADTEST_REPORT_DOWNLOAD')
    if (inputs.resultsArtifact !== undefined) scopes.push('LOADTEST_RESULT_DOWNLOAD')
  }
  return scopes
}

/** Fetched before anything is started: a baseline that cannot be read must not come up only after a paid run. */
async function findBaseline(
  { baseline: source, reportTimeout = 0 }: Pick<Inputs, 'baseline'> & Partial<Pick<Inputs, 'reportTimeout'>>,
  world: Pick<World, 'earlierOutcomes' | 'log' | 'signal' | 'temp'>,
  client?: Pick<Client, 'details' | 'open'>,
): Promise<FoundBaseline | undefined> {
  if (!source) return undefined
  return world.log.group('Find the baseline', async () => {
    const found = await loadBaseline(source, {
      ...world,
      ...defined({ client }),
      timeout: reportTimeout,
    })
    world.log.info(found.runs ? `The baseline is ${found.runs.info.name}` : 'There is no baseline yet')
    return found
  })
}

/** The code archive is deleted once the run has ended, and kept as long as a run may still be built from it. */
async function leaveArchive(
  { archive, run, confirmation }: Part,
  { log, signal }: Pick<World, 'log' | 'signal'>,
  client: Pick<Client, 'deleteArchive'>,
): Promise<string[]> {
  // For a cancelled job the post step reports this.
  if (!archive || signal.aborted) return []
  const hasRun = [run, ...(confirmation ? [confirmation.run] : [])].every((one) => one && hasEnded(one))
  if (archive.id === undefined) {
    return hasRun
      ? ['The code archive was not deleted: the service did not name its id. Delete it on the service.']
      : []
  }
  if (!hasRun) {
    return [
      `The code archive ${oneLine(archive.id, 60)} was not deleted: this step has not seen the end of a run that may be built from it. Delete it on the service.`,
    ]
  }
  try {
    await client.deleteArchive(archive.id)
    log.info(`Deleted the code archive ${oneLine(archive.id)}`)
    return []
  } catch (error) {
    signal.throwIfAborted()
    return [`The code archive was not deleted. ${message(error)}`]
  }
}
