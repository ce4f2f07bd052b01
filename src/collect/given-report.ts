import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { BaselineRuns } from '../baseline/baseline.js'
import { ReportError, UserError } from '../errors.js'
import type { Inputs } from '../inputs/inputs.js'
import type { ReportSource } from '../inputs/report-source.js'
import type { ReportFile, Telling } from '../outcome.js'
import { NoRoomError, receiveReport, type ReceivedArchive } from '../report/archive.js'
import { reportBytes } from '../report/report-bytes.js'
import { pathsMatching } from '../report/report-glob.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { isFileOrFolder } from '../text/regular-file.js'
import { formatBytes } from '../text/size.js'
import type { GivenArtifact, World } from '../world.js'
import type { Evidence } from './evidence.js'
import { judgeReport, withoutBaseline, type ReportJudgement } from './judgement.js'

type Around = Pick<
  World,
  | 'step'
  | 'baseBranch'
  | 'log'
  | 'redact'
  | 'reportArtifact'
  | 'signal'
  | 'temp'
  | 'workspace'
  | 'xpathWorker'
>

/**
 * Mode judge: judges an existing report, without the service.
 *
 * @returns its judgement, not yielded yet
 */
export async function* judgeGiven(
  inputs: Pick<Inputs, 'report' | 'gates' | 'baseline' | 'failOn'>,
  world: Around,
  earlier: BaselineRuns | undefined,
): Telling<ReportJudgement | undefined> {
  const { report: source, gates, baseline } = inputs
  if (!source)
    throw new UserError('report is required in mode judge: a path of the report, or artifact:NAME.')
  const { log, redact, signal, xpathWorker } = world
  const found = await log.group('Find the report', () => find(source, world))
  const { file, xml, fault } = await log.group('Read the report', () => receive(found, world))
  yield { report: file }
  if (fault) throw fault
  if (!xml) return undefined
  const judged = await log.group('Judge the report', () =>
    judgeReport({ files: xml, gates, xpathWorker, signal, redact, ...defined({ earlier }) }),
  )
  const first = baseline && !earlier ? withoutBaseline(judged.verdict, inputs, world) : undefined
  return {
    ...judged,
    report: file,
    notes: [...judged.notes, ...(first?.notes ?? [])],
    advice: first?.advice ?? [],
  }
}

async function find(
  source: ReportSource,
  { log, reportArtifact, workspace }: Pick<World, 'log' | 'reportArtifact' | 'workspace'>,
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

/** The path relative to the workspace, or else the whole path. */
function nameIn(workspace: string, found: string): string {
  const below = path.relative(workspace, found)
  if (below === '') return path.basename(found)
  return below.startsWith('..') || path.isAbsolute(below) ? found : below
}

/** A separate copy, so that exactly what is judged is attached, whatever happens to the original. */
async function receive(
  { path: from, given, artifact }: GivenArtifact,
  { log, signal, temp }: Pick<World, 'log' | 'signal' | 'temp'>,
): Promise<Evidence> {
  const folder = path.join(temp, 'report')
  await mkdir(folder, { recursive: true })
  const fileOf = ({ path, bytes, kind }: ReceivedArchive): ReportFile => {
    return { given, path, ending: `.${kind}`, bytes, ...defined({ artifact }) }
  }
  try {
    const bytes = await reportBytes(from, path.join(folder, 'inner'))
    const received = await receiveReport(untilCancelled(bytes, signal), path.join(folder, 'report'))
    log.info(`${formatBytes(received.bytes)} as .${received.kind}`)
    return { file: fileOf(received), xml: received }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NoRoomError) return { file: fileOf(error.archive), fault: error }
    if (!(error instanceof ReportError) || error.message.startsWith(oneLine(from))) throw error
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
