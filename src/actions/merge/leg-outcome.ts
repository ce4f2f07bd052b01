import { stat } from 'node:fs/promises'
import { mostOutcomeBytes, plainOutcome, readOutcome } from '../../outcome/outcome-file.js'
import { message, ReportError } from '../../errors.js'
import type { Artifact, Leg, LoadTestOutcome, ReportFile, Step } from '../../outcome/outcome.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { hideSecrets } from '../../text/redaction.js'
import { formatBytes } from '../../text/size.js'
import type { World } from '../../world.js'
import type { LegArtifact, ListedArtifact } from './leg-artifacts.js'

/** All of them together are kept in memory. */
const mostBytesOfAll = 100_000_000

/** The fields of an outcome whose texts are words of this project. */
const ownWords = [
  ...['about', 'changes', 'ending', 'errorsOf', 'kind', 'metric', 'mode', 'presence', 'result'],
  ...['unfit', 'verdict'],
]

const ranAgain =
  'Its job ran again and left no outcome: the one that is there is of an earlier attempt. Look at the log of the job.'

export interface LegWorld extends Pick<World, 'signal'> {
  /** Where the step runs. */
  step: Pick<Step, 'workflowRunUrl'>
  /** The file of an artifact, as it is stored. */
  runArtifact: (artifact: ListedArtifact) => Promise<string>
}

/** The legs with their outcomes. A job may attach anything under such a name: what cannot be accepted is an error. */
export async function readLegs(found: readonly LegArtifact[], world: LegWorld): Promise<Leg[]> {
  const legs: Leg[] = []
  let left = mostBytesOfAll
  for (const one of found) {
    const artifact = artifactOf(one, world)
    if (one.artifact.isLast?.(one.leg) === false) {
      legs.push({ name: one.leg, verdict: 'error', fault: ranAgain })
      continue
    }
    try {
      const most = Math.min(left, mostOutcomeBytes)
      const file = await fileOf(one, most, world)
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

function artifactOf(
  { artifact: { id, name } }: LegArtifact,
  { step: { workflowRunUrl = '' } }: LegWorld,
): Artifact {
  return {
    name,
    url: id === undefined ? `${workflowRunUrl}#artifacts` : `${workflowRunUrl}/artifacts/${id}`,
    ...defined({ id }),
  }
}

/** @throws ReportError that can follow the artifact's name */
async function fileOf({ artifact }: LegArtifact, most: number, { runArtifact }: LegWorld): Promise<string> {
  const { size = 0 } = artifact
  if (size > most) throw tooLarge(size, most)
  const stored = await runArtifact(artifact).catch((error: unknown) => {
    throw new ReportError(`could not be downloaded: ${message(error)}`, { cause: error })
  })
  return plainOutcome(stored, most)
}

function tooLarge(size: number, most: number): ReportError {
  return new ReportError(
    most < mostOutcomeBytes
      ? `is not read: all outcomes together have more than ${formatBytes(mostBytesOfAll)}`
      : `has ${formatBytes(size)}, and at most ${formatBytes(most)} are read`,
  )
}

/** Links to a digest or a report must lead to this workflow run, all others to this GitHub: no service is known here. */
function checked(outcome: LoadTestOutcome, { step: { workflowRunUrl = '' } }: LegWorld): LoadTestOutcome {
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
