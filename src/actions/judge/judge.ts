import { lstat, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { findBaseline, type BaselineWorld } from '../../baseline/baseline.js'
import { ReportError, UserError } from '../../errors.js'
import type { JudgeInputs } from '../../inputs/inputs.js'
import type { ReportRun, ReportSource } from '../../inputs/report-source.js'
import { knownCommit } from '../../outcome/code-origin.js'
import type { Artifact, Given, ReportFile, Tell } from '../../outcome/outcome.js'
import { NoRoomError, receiveReport, type ReceivedArchive } from '../../unpack/unpack.js'
import { reportBytes } from '../../report/report-bytes.js'
import { isOfGit } from '../../report/report-files.js'
import { pathsMatching } from '../../report/report-glob.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { withoutSecrets } from '../../text/redaction.js'
import type { Keep } from '../../start/start.js'
import { isBelow, isFileOrFolder, nameIn } from '../../text/regular-file.js'
import { namedSecrets } from '../../text/secret-name.js'
import { formatBytes } from '../../text/size.js'
import type { World } from '../../world.js'
import type { Evidence } from '../../follow/evidence.js'
import { withAcceptance, type AcceptanceWorld } from '../../judgement/acceptance.js'
import { judgeReport } from '../../judgement/judgement.js'

/** What judging needs of the world. */
export interface JudgeWorld extends World, AcceptanceWorld, Pick<BaselineWorld, 'earlierOutcomes'> {
  /** An artifact of a workflow run, of this one where none is named. */
  reportArtifact(name: string, run: ReportRun | undefined): Promise<GivenArtifact>
  keep: Pick<Keep, 'measured'>
}

/** An artifact on disk, as it is stored: a file, or the files that were attached, in a ZIP. */
export interface GivenArtifact {
  path: string
  given: Given
  /** Where it is one of this workflow run. */
  artifact?: Artifact
}

/** Judges an existing report, without the service. */
export async function judgeGiven(inputs: JudgeInputs, world: JudgeWorld, tell: Tell): Promise<void> {
  const { log, signal, xpathWorker } = world
  const baseline = await findBaseline(inputs.baseline, { ...world, timeout: 0 })
  const given = await log.group('Find the report', () => find(inputs.report, world))
  const { file, xml, fault } = await log.group('Read the report', () => receive(given, world))
  tell({ report: file })
  const commit = knownCommit({ mode: inputs.mode, step: world.step, report: file })
  world.keep.measured(defined({ commit }))
  if (fault) throw fault
  if (!xml) return
  const judged = await log.group('Judge the report', () =>
    judgeReport({ files: xml, gates: inputs.gates, xpathWorker, signal, ...defined({ baseline }) }),
  )
  tell(await withAcceptance({ ...judged, report: file }, inputs, world))
}

async function find(
  source: ReportSource,
  { log, reportArtifact, workspace }: Pick<JudgeWorld, 'log' | 'reportArtifact' | 'workspace'>,
): Promise<GivenArtifact> {
  const found =
    source.kind === 'artifact'
      ? await reportArtifact(source.name, source.run)
      : await atPath(source.path, workspace)
  log.info(`The report is ${oneLine(found.given.name)}`)
  return found
}

async function atPath(pattern: string, workspace: string): Promise<GivenArtifact> {
  const shown = (found: string) => oneLine(nameIn(workspace, found), 120)
  const [found, ...others] = (await pathsMatching(pattern)).filter(isFileOrFolder)
  // Before others are named: what lies behind a link is not told either.
  for (const one of found === undefined ? [] : [found, ...others].slice(0, 5)) await checkWay(one, workspace)
  if (found === undefined) {
    throw new UserError(
      `report is "${shown(pattern)}", but there is no such file or folder. Put it there in an earlier step.`,
    )
  }
  if (others.length > 0) {
    const names = [found, ...others].slice(0, 5).map(shown).join(', ')
    throw new UserError(
      `report is "${shown(pattern)}", which ${others.length + 1} files and folders match, such as ${names}. Change it so that only one does.`,
    )
  }
  return { path: found, given: { name: nameIn(workspace, found) } }
}

/**
 * A checkout may hold a link to anything on the runner, and all that is there would be attached.
 *
 * @throws UserError if a part of the path below the workspace, or else its last part, is a link or belongs to Git
 */
async function checkWay(found: string, workspace: string): Promise<void> {
  const base = isBelow(workspace, found) ? workspace : path.dirname(found)
  let at = base
  for (const part of path.relative(base, found).split(path.sep).filter(Boolean)) {
    at = path.join(at, part)
    const shown = oneLine(nameIn(workspace, at), 120)
    if (isOfGit(part)) {
      throw new UserError(
        `report lies in ${shown}, the folder of Git itself, which may hold credentials. Name another.`,
      )
    }
    if ((await lstat(at)).isSymbolicLink()) {
      throw new UserError(
        `report leads through ${shown}, which is a link. Name the file or folder that is meant.`,
      )
    }
  }
}

/** A separate copy, so that exactly what is judged is attached, whatever happens to the original. */
async function receive(
  { path: from, given, artifact }: GivenArtifact,
  { log, signal, temp }: Pick<World, 'log' | 'signal' | 'temp'>,
): Promise<Evidence> {
  const folder = path.join(temp, 'report')
  await mkdir(folder, { recursive: true })
  const fileOf = ({ path, bytes, kind }: ReceivedArchive): ReportFile => {
    const named = { ...given, name: withoutSecrets(given.name) }
    return { given: named, path, ending: `.${kind}`, bytes, ...defined({ artifact }) }
  }
  try {
    const bytes = await reportBytes(from, path.join(folder, 'inner'))
    const received = await receiveReport(untilCancelled(bytes, signal), path.join(folder, 'report'))
    log.info(`${formatBytes(received.bytes)} as .${received.kind}`)
    if (received.suspicious.length > 0) {
      log.warning(
        `The report contains files that look like secrets: ${namedSecrets(received.suspicious)}. ` +
          'They are attached with it. Remove them in an earlier step if you do not need them there.',
      )
    }
    return { file: fileOf(received), xml: received }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NoRoomError) return { file: fileOf(error.archive), fault: error }
    if (!(error instanceof ReportError)) throw error
    throw new ReportError(`${oneLine(given.name)}: ${error.message}`, { cause: error })
  }
}

async function* untilCancelled(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const portion of bytes) {
    signal.throwIfAborted()
    yield portion
  }
}
