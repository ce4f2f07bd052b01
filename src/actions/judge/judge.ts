import { lstat, mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { findBaseline, type BaselineWorld } from '../../baseline/baseline.js'
import { ReportError, UserError } from '../../errors.js'
import { askedPercentiles } from '../../language/gate.js'
import type { ActionInputs, ReportRun } from '../../inputs/inputs.js'
import { knownCommit } from '../../outcome/code-origin.js'
import type { GivenArtifact, ReportFile, Tell } from '../../outcome/outcome.js'
import { readReport, takeReport, type ReceivedReport } from '../../report/reading/report-reader.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { withoutSecrets } from '../../text/redaction.js'
import type { Keep } from '../../run/run.js'
import { hasWildcard, matcher, patternOf } from '../../text/name-pattern.js'
import { isBelow, isFileOrFolder, isOfGit, nameIn } from '../../text/regular-file.js'
import { namedSecrets } from '../../text/secret-name.js'
import { formatBytes } from '../../text/size.js'
import type { Log } from '../../log.js'
import type { World } from '../../world.js'
import { withAcceptance, type AcceptanceWorld } from '../../judgement/acceptance.js'
import { judgeReport } from '../../judgement/judgement.js'

export interface JudgeWorld extends World, AcceptanceWorld, Pick<BaselineWorld, 'earlierOutcomes'> {
  /** An artifact of a workflow run, of this one where none is named. */
  reportArtifact(name: string, run: ReportRun | undefined): Promise<GivenArtifact>
  keep: Pick<Keep, 'measured'>
}

/** Judges an existing report, without the service. */
export async function judgeGiven(
  inputs: Extract<ActionInputs, { mode: 'judge' }>,
  world: JudgeWorld,
  tell: Tell,
): Promise<void> {
  const { log, signal, xpathWorker } = world
  const percentiles = askedPercentiles(inputs.gates)
  const given = await log.group('Find the report', () => find(inputs.report, world))
  const measured = { mode: inputs.mode, step: world.step, report: { given: given.given } }
  const baseline = await findBaseline(inputs.baseline, { ...world, measured, percentiles, timeout: 0 })
  const received = await log.group('Read the report', () => receive(given, world))
  const { path: copy, bytes, kind, files, fault } = received
  const named = { ...given.given, name: withoutSecrets(given.given.name) }
  const more = defined({ artifact: given.artifact })
  const file: ReportFile = { given: named, path: copy, ending: `.${kind}`, bytes, ...more }
  tell({ report: file })
  const commit = knownCommit({ mode: inputs.mode, step: world.step, report: file })
  world.keep.measured(defined({ commit }))
  if (!files) throw fault ?? new ReportError('The report could not be read.')
  const judged = await log.group('Judge the report', async () => {
    const read = await readReport(files, { percentiles, given: given.given.name })
    return judgeReport({ read, gates: inputs.gates, xpathWorker, signal, ...defined({ baseline }) })
  })
  tell(await withAcceptance({ ...judged, report: file }, inputs, world))
}

/** What is judged: a path, or several files that a pattern names. */
type GivenReport = Omit<GivenArtifact, 'path'> & { paths: string[] }

async function find(
  source: Extract<ActionInputs, { mode: 'judge' }>['report'],
  { log, reportArtifact, workspace }: Pick<JudgeWorld, 'log' | 'reportArtifact' | 'workspace'>,
): Promise<GivenReport> {
  if (source.kind === 'path') return await atPath(source.path, workspace, log)
  const { path: file, ...found } = await reportArtifact(source.name, source.run)
  log.info(`The report is ${oneLine(found.given.name)}`)
  return { paths: [file], ...found }
}

async function atPath(pattern: string, workspace: string, log: Log): Promise<GivenReport> {
  const shown = (found: string) => oneLine(nameIn(workspace, found), 120)
  const paths = (await pathsMatching(pattern)).filter(isFileOrFolder)
  const [found, ...others] = paths
  // Before others are named: what lies behind a link is not told either.
  for (const one of paths) await checkWay(one, workspace)
  if (found === undefined) {
    throw new UserError(
      `report is "${shown(pattern)}", but there is no such file or folder. Put it there in an earlier step.`,
    )
  }
  const names = paths.slice(0, 5).map(shown).join(', ')
  const stats = await Promise.all(paths.map((one) => lstat(one)))
  if (others.length > 0 && !stats.every((one) => one.isFile())) {
    throw new UserError(
      `report is "${shown(pattern)}", which ${paths.length} files and folders match, such as ${names}. Change it so that only one does.`,
    )
  }
  log.info(others.length > 0 ? `The report is in ${paths.length} files: ${names}` : `The report is ${names}`)
  return { paths, given: { name: nameIn(workspace, others.length > 0 ? pattern : found) } }
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

/** A separate copy, so that what is attached stays as it was. */
async function receive(
  { paths, given }: GivenReport,
  { log, signal, temp }: Pick<World, 'log' | 'signal' | 'temp'>,
): Promise<ReceivedReport> {
  const folder = path.join(temp, 'report')
  await mkdir(folder, { recursive: true })
  try {
    const received = await takeReport(paths, path.join(folder, 'report'), signal)
    log.info(`${formatBytes(received.bytes)} as .${received.kind}`)
    if (received.suspicious.length > 0) {
      log.warning(
        `The report contains files that look like secrets: ${namedSecrets(received.suspicious)}. ` +
          'They are attached with it. Remove them in an earlier step if you do not need them there.',
      )
    }
    return received
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ReportError)) throw error
    throw new ReportError(`${oneLine(given.name)}: ${error.message}`, { cause: error })
  }
}

const mostFolders = 10_000

/**
 * The files and folders that an absolute path names: the path itself if it exists, else all that match its wildcards.
 * `*` stands for any characters of a name and `?` for one, at its beginning for no dot; `**` for any folders. A
 * wildcard does not follow links.
 *
 * @throws ReportError if too many folders would have to be searched
 */
export async function pathsMatching(pattern: string): Promise<string[]> {
  if (await isThere(pattern)) return [pattern]
  let looked = 0
  const entriesOf = async (folder: string) => {
    looked++
    if (looked > mostFolders) {
      throw new ReportError(
        `report is "${oneLine(pattern, 120)}": more than ${mostFolders} folders may match. Name the folder more precisely.`,
      )
    }
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    return entries.filter((entry) => entry.isDirectory() || entry.isFile())
  }
  const step = async (folder: string, part: string): Promise<string[]> => {
    const next = path.join(folder, part)
    if (!hasWildcard(patternOf(part))) return (await isThere(next)) ? [next] : []
    if (part !== '**') {
      const names = (await entriesOf(folder)).map(({ name }) => name).filter(nameLike(part))
      return names.map((name) => path.join(folder, name))
    }
    const all = [folder]
    for (const one of all) {
      const folders = (await entriesOf(one)).filter((entry) => entry.isDirectory())
      all.push(...folders.flatMap(({ name }) => (name.startsWith('.') ? [] : [path.join(one, name)])))
    }
    return all
  }
  const { root } = path.parse(pattern)
  let found = new Set([root])
  for (const part of pattern.slice(root.length).split(path.sep)) {
    const next = new Set<string>()
    for (const folder of found) for (const one of await step(folder, part)) next.add(one)
    found = next
  }
  return [...found].sort()
}

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  )
}

/** At the beginning of a name, a wildcard stands for no dot. */
function nameLike(part: string): (name: string) => boolean {
  const matches = matcher(patternOf(part))
  const isOpen = hasWildcard(patternOf(part.slice(0, 1)))
  return (name) => !(isOpen && name.startsWith('.')) && matches(name)
}
