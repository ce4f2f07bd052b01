import { stat } from 'node:fs/promises'
import { message, ReportError } from '../../errors.js'
import type { ActionInputs } from '../../inputs/inputs.js'
import {
  attached,
  isGreen,
  verdicts,
  worstFirst,
  type Artifact,
  type Leg,
  type LoadTestOutcome,
  type MergeOutcome,
  type Part,
  type ReportFile,
  type Step,
  type Verdict,
} from '../../outcome/outcome.js'
import { mostOutcomeBytes, plainOutcome, readOutcome, tooLarge } from '../../outcome/outcome-file.js'
import { anyTestedName, laterAttempt, lostName, nameBefore, plainName } from '../../text/attempt-name.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { reasonsAbout, type Reason } from '../../text/reason.js'
import { hideSecrets } from '../../text/redaction.js'
import { formatBytes } from '../../text/size.js'
import type { World } from '../../world.js'

/** How many legs the reasons name before they only count them. */
const mostNamed = 50

type MergeInputs = Extract<ActionInputs, { mode: 'merge' }>

export interface MergeWorld extends Pick<World, 'log' | 'signal'> {
  step: Pick<Step, 'workflowRunUrl'>
  /** The file of an artifact, as it is stored. */
  runArtifact: (artifact: ListedArtifact) => Promise<string>
  /** The artifacts of this workflow run, of all its attempts. */
  runArtifacts: () => Promise<ListedArtifact[]>
}

/** The outcomes that the legs of a matrix have left, and one verdict for all of them. */
export async function mergeLegs(
  merge: Pick<MergeInputs, 'name' | 'legs' | 'needs'>,
  world: MergeWorld,
): Promise<Part<MergeOutcome>> {
  const { log, runArtifacts } = world
  const found = await log.group('Read the outcomes', async () => {
    const artifacts = legArtifacts(await runArtifacts(), merge.name)
    for (const { leg, artifact } of artifacts) log.info(`${oneLine(leg, 80)}: ${oneLine(artifact.name, 120)}`)
    return readLegs(artifacts, world)
  })
  const legs = [...found, ...missingLegs(found, merge)]
  if (legs.length === 0) {
    const none = `No artifact of this workflow run is named ${merge.name}-*-outcome: no leg left an outcome. Let this job need those of the legs, and give each leg a name such as ${merge.name}-\${{ matrix.name }}.`
    return { verdict: 'error', reasons: reasonsAbout('step', none) }
  }
  return { legs, verdict: worstOf(legs), reasons: reasonsOf(legs) }
}

export function worstOf(legs: readonly Leg[]): Verdict {
  return verdicts.findLast((one) => legs.some(({ verdict }) => verdict === one)) ?? 'error'
}

/** A sentence for each leg that is not green, the worst first. */
function reasonsOf(legs: readonly Leg[]): Reason[] {
  const red = worstFirst(legs).filter(({ verdict }) => !isGreen(verdict))
  const named = red.slice(0, mostNamed).map(({ name, verdict, fault, outcome }) => {
    return `${oneLine(name, 80)}: ${fault ?? outcome?.reasons[0]?.text ?? `Its verdict is ${verdict}.`}`
  })
  const rest = red.length - named.length
  const counted = rest > 0 ? [`${rest} more ${rest === 1 ? 'leg' : 'legs'} did not pass.`] : []
  return reasonsAbout('leg', ...named, ...counted)
}

interface ListedArtifact {
  name: string
  /** Absent on an Enterprise Server, where a name is taken once. */
  id?: number
  /** Bytes as it is stored, if GitHub says so. */
  size?: number
  /** Whether the job of this leg has not run again since. Absent = there was one attempt. */
  isLast?: (leg: string) => boolean
}

/**
 * Those artifacts of a workflow run that have outcomes, one for each leg, sorted by name. If jobs ran again, several
 * have the same name: the newest counts, also where the artifact service accepts a name only once for all attempts, and
 * a later attempt of the step appended to it.
 *
 * @param step the name that those of the legs begin with
 * @returns `leg`: what a name has between that of the step and `-outcome`
 */
export function legArtifacts(all: readonly ListedArtifact[], step: string) {
  const names = new Set(all.map(({ name }) => plainName(name)))
  const newest = new Map<string, { leg: string; artifact: ListedArtifact }>()
  for (const artifact of all) {
    const name = plainName(artifact.name)
    const leg = legOf(firstName(name, names), step) ?? secondOf(name, step)
    if (leg === undefined) continue
    const other = newest.get(leg)
    if (!other || idOf(other.artifact) < idOf(artifact)) newest.set(leg, { leg, artifact })
  }
  return [...newest.values()].sort((a, b) => (a.leg < b.leg ? -1 : 1))
}

function legOf(name: string, step: string): string | undefined {
  const before = `${step}-`
  const after = '-outcome'
  if (!name.startsWith(before) || !name.endsWith(after)) return undefined
  return name.slice(before.length, -after.length) || undefined
}

/** Another step with the name of a leg: its verdict counts as well. */
function secondOf(name: string, step: string): string | undefined {
  const taken = nameBefore(name) ?? ''
  const leg = legOf(taken, step)
  return leg && leg + name.slice(taken.length)
}

/** The name that was taken when this was attached, by an earlier attempt or a try that was lost, otherwise its own. */
function firstName(name: string, names: ReadonlySet<string>): string {
  const taken = [...names].filter((one) => laterAttempt(name, one, anyTestedName) !== undefined)
  const longest = taken.reduce((most, one) => (one.length > most.length ? one : most), '')
  return longest || (lostName(name, names) ?? name)
}

/** Ids grow with time; an artifact without an id is the only one with its name. */
function idOf({ id = Infinity }: ListedArtifact): number {
  return id
}

/** All of them together are kept in memory. */
const mostBytesOfAll = 100_000_000

/** The fields of an outcome whose texts are words of this project. */
const ownWords = [
  ...['about', 'changes', 'ending', 'errorsOf', 'kind', 'metric', 'mode', 'presence', 'result'],
  ...['unfit', 'verdict'],
]

const ranAgain =
  'The outcome that is there is of an earlier attempt, and a job that ran again left none. Look at the log of its job.'

/** The legs with their outcomes. A job may attach anything under such a name: what cannot be accepted is an error. */
async function readLegs(found: ReturnType<typeof legArtifacts>, world: MergeWorld): Promise<Leg[]> {
  const legs: Leg[] = []
  let left = mostBytesOfAll
  for (const one of found) {
    const { id, name } = one.artifact
    const artifact = attached(id, name, world.step.workflowRunUrl ?? '')
    if (one.artifact.isLast?.(one.leg) === false) {
      legs.push({ name: one.leg, verdict: 'error', fault: ranAgain })
      continue
    }
    try {
      const most = Math.min(left, mostOutcomeBytes)
      const file = await fileOf(one.artifact, most, world)
      left -= (await stat(file)).size
      const outcome = checked(readOutcome(file, most), world)
      // Its step knew other secrets.
      hideSecrets(outcome, ownWords)
      legs.push({ name: one.leg, verdict: outcome.verdict, artifact, outcome })
    } catch (error) {
      world.signal.throwIfAborted()
      const fault = `Its outcome could not be read: ${oneLine(one.artifact.name, 120)} ${oneLine(message(error), 300).replace(/\.$/, '')}.`
      legs.push({ name: one.leg, verdict: 'error', fault, artifact })
    }
  }
  return legs
}

/** @throws ReportError that can follow the artifact's name */
async function fileOf(artifact: ListedArtifact, most: number, { runArtifact }: MergeWorld): Promise<string> {
  const { size = 0 } = artifact
  const over = `is not read: all outcomes together have more than ${formatBytes(mostBytesOfAll)}`
  const large = tooLarge(size) ?? (size > most ? over : undefined)
  if (large !== undefined) throw new ReportError(large)
  const stored = await runArtifact(artifact).catch((error: unknown) => {
    throw new ReportError(`could not be downloaded: ${message(error)}`, { cause: error })
  })
  return plainOutcome(stored, most)
}

/** Links to a digest or a report must lead to this workflow run, all others to this GitHub: no service is known here. */
function checked(outcome: LoadTestOutcome, { step: { workflowRunUrl = '' } }: MergeWorld): LoadTestOutcome {
  const own = (artifact: Artifact | undefined) =>
    artifact &&
    [`${workflowRunUrl}#artifacts`, `${workflowRunUrl}/artifacts/${artifact.id}`].includes(artifact.url)
      ? artifact
      : undefined
  const linked = <T extends { url?: string }>({ url, ...of }: T) => ({
    ...of,
    ...(url !== undefined && isOnOneSite(url, workflowRunUrl) ? { url } : {}),
  })
  const withOwn = ({ artifact, given, ...file }: ReportFile): ReportFile => ({
    ...file,
    ...defined({ artifact: own(artifact), given: given && linked(given) }),
  })
  const { digest, report, run, ...rest } = outcome
  const shown = { digest: own(digest), report: report && withOwn(report), run: run && linked(run) }
  return { ...rest, ...defined(shown) }
}

function isOnOneSite(url: string, other: string): boolean {
  return URL.canParse(url) && URL.canParse(other) && new URL(url).origin === new URL(other).origin
}

/** If it left nothing, only the log of its job shows why. */
const leftNothing =
  'It left no outcome: its job did not reach the load test, was cancelled, or its name does not begin with that of this step. Look at its log.'

/** The missing legs: by the list or, without one, by the matrix; and each needed job that failed, and no outcome says why. */
export function missingLegs(
  found: readonly Leg[],
  { legs, needs }: Pick<MergeInputs, 'legs' | 'needs'>,
): Leg[] {
  const there = new Set(found.map(({ name }) => name))
  const names = legs.length > 0 ? legs.filter((name) => !there.has(name)) : ofMatrix(found)
  const missing = names.map((name): Leg => ({ name, verdict: 'error', fault: leftNothing }))
  return [...missing, ...unexplained([...found, ...missing], needs)]
}

/** A matrix has at most 256 legs. */
const mostLegs = 256

function ofMatrix(found: readonly Leg[]): string[] {
  const places = found.flatMap(({ outcome }) => outcome?.step.leg ?? [])
  const jobs = new Set(places.map(({ job }) => job))
  return [...jobs].flatMap((job) => {
    const own = places.filter((place) => place.job === job)
    const there = new Set(own.map(({ index }) => index))
    const total = Math.min(Math.max(...own.map((place) => place.total)), mostLegs)
    const indexes = Array.from({ length: total }, (_, index) => index).filter((index) => !there.has(index))
    return indexes.map((index) => `${job}, leg ${index + 1} of ${total}`)
  })
}

/** All outcomes that were found may be green, and from an earlier attempt, while a job has failed in this one. */
function unexplained(legs: readonly Leg[], needs: MergeInputs['needs']): Leg[] {
  return Object.entries(needs).flatMap(([job, result]) => {
    if (result === 'success' || result === 'skipped') return []
    const mayBeOf = (leg: Leg) => {
      const own = leg.outcome?.step.leg?.job
      // A job of a reusable workflow is needed by the name of the one that calls it.
      return own === undefined || own === job || !Object.hasOwn(needs, own)
    }
    if (legs.some((leg) => !isGreen(leg.verdict) && mayBeOf(leg))) return []
    const fault = `The job ended as ${result}, but no outcome says why: a leg left none in this attempt. Look at the log of the job.`
    return [{ name: job, verdict: 'error' as const, fault }]
  })
}
