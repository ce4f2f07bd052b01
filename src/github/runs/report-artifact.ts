import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { message, UserError } from '../../errors.js'
import { defined } from '../../text/fields.js'
import { type ReportRun, sameCommit } from '../../inputs/inputs.js'
import { isOfItsCommit } from '../../outcome/code-origin.js'
import { oneLine } from '../../text/foreign-text.js'
import { attached, type GivenArtifact } from '../../outcome/outcome.js'
import type { GitHubAccess } from '../job/job.js'
import {
  type ApiArtifact,
  artifactsOfRun,
  type ArtifactStore,
  type StoredArtifact,
  storedFiles,
  type WorkflowRun,
} from '../artifacts/store.js'
import { lastJobs, latestFirst, OutcomeFault, outcomeFileOf, parsedOutcome, type RunSearch } from './runs.js'
import { isOwn } from '../pull-request/pull-reading.js'
import { headOfGroup } from '../pull-request/labels.js'
import { asked, type Octokit, onceAccepted } from '../api/octokit.js'
import { within } from '../../clock.js'

/** What identifies the artifact of a report and its run, by that of the outcome. */
interface ArtifactSearch extends Omit<RunSearch, 'branches' | 'count'> {
  store: Pick<ArtifactStore, 'downloadArtifact' | 'listArtifacts'>
  /** As the user wrote it, with or without the file extension. */
  name: string
}

/** Fetches the report's artifact from a run: by its number, the newest one of this commit, or this one. @throws UserError */
export async function reportArtifact(
  access: GitHubAccess,
  name: string,
  wanted: ReportRun | undefined,
): Promise<GivenArtifact> {
  const { inputs, job, octokit, artifactStore, log, temp } = access
  const { owner, repo, workflow, workflowRun: currentRun, step, mergeGroup } = job
  const token = inputs.githubToken
  const artifact = `${inputs.name}-outcome`
  const folder = path.join(temp, 'artifact')
  const of = { owner, repo, name, token, workflow, currentRun, artifact, folder }
  const search = { ...of, octokit, store: await artifactStore(), log }
  const outcomes = { ...search, folder: `${folder}-outcomes` }
  // What a queue would merge has not been measured, but the head of its pull request has.
  const ofCommit = async () => (mergeGroup ? headOfGroup(access, mergeGroup) : (step.commit ?? ''))
  const sought = wanted === sameCommit ? await ofCommit() : undefined
  const run =
    wanted === sameCommit ? await runOfCommit({ ...outcomes, commit: sought ?? '' }) : (wanted ?? currentRun)
  const url = (step.workflowRunUrl ?? '').replace(/\d+$/, String(run))
  const isOwn = run === currentRun
  const fetched = await fetchReportArtifact(search, { run, url })
  if (isOwn) return fetched
  const commit = sought ?? (await readable(commitOf(outcomes, run), { run, isOwn }))
  return { ...fetched, given: { ...fetched.given, ...defined({ commit }) } }
}

/** Milliseconds to download a report, which may be large. */
const reportLimit = 60 * 60_000

const endings = ['', '.tar.gz', '.zip', '.xml']

/** Fetches an artifact as it is stored. @throws UserError if it is missing, has expired or cannot be read */
async function fetchReportArtifact(
  search: ArtifactSearch,
  { run, url }: { run: number; url: string },
): Promise<GivenArtifact> {
  const { name, folder, owner, repo, store, token } = search
  const isOwn = run === search.currentRun
  const where = isOwn ? 'this workflow run' : `workflow run ${run}`
  const listed: ApiArtifact[] = isOwn
    ? (await readable(store.listArtifacts({ latest: true }), { run, isOwn })).artifacts
    : await readable(listOf(search, run), { run, isOwn })
  const found = newestNamed(name, listed)
  if (!found) {
    const names = [...new Set(listed.map((one) => oneLine(one.name, 80)))].slice(0, 10)
    const has = names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`
    throw new UserError(
      `report names an artifact that ${where} does not have: ${oneLine(name, 120)}. ${has} Correct the name, or the ID in report-run.`,
    )
  }
  if (found.expired) {
    throw new UserError(
      `The artifact ${oneLine(found.name, 120)} of ${where} has expired, and GitHub has deleted it. Judge a newer one; retention-days says how long they are kept.`,
    )
  }
  const findBy = { token, workflowRunId: run, repositoryOwner: owner, repositoryName: repo }
  const download = storedFiles(store, found, { path: folder, ...(isOwn ? {} : { findBy }) }, reportLimit)
  const [file, other] = await readable(download, { run, isOwn })
  if (file === undefined) {
    throw new UserError(`The artifact ${oneLine(found.name, 120)} of ${where} contains no file.`)
  }
  // Several files are a report folder.
  const from = { path: other === undefined ? file : folder }
  if (!isOwn) return { ...from, given: { name: `${found.name} of workflow run ${run}`, url } }
  return { ...from, given: { name: found.name }, artifact: attached(found.id, found.name, url) }
}

/** If several attempts of the run have one with this name, the newest. */
function newestNamed(name: string, listed: readonly ApiArtifact[]): ApiArtifact | undefined {
  const all = endings.flatMap((ending) => listed.filter((one) => one.name === `${name}${ending}`))
  return all.toSorted((a, b) => (b.id ?? 0) - (a.id ?? 0))[0]
}

/**
 * The newest run of a workflow that has measured a commit, and has the report as an artifact which has not expired: a
 * run of this repository that went to its end, by its own outcome where it has one.
 *
 * @throws UserError if there is none, or the runs cannot be read
 */
export async function runOfCommit(search: ArtifactSearch & { commit: string }): Promise<number> {
  const { owner, repo, name, workflow, commit, currentRun, log } = search
  const what = `The workflow runs of commit ${oneLine(commit, 60)} could not be read`
  const found = await asked(what, 'The job needs the permission actions: read.', async () => {
    const { rest } = await search.octokit()
    const at = { owner, repo, workflow_id: workflow, head_sha: commit, per_page: 100 }
    const { data } = await rest.actions.listWorkflowRuns({ ...at, status: 'completed' })
    for (const run of latestFirst(data.workflow_runs)) {
      const { id, conclusion } = run
      const hasEnded = conclusion === 'success' || conclusion === 'failure'
      if (id === currentRun || !hasEnded || !isOwn(run, search)) continue
      const found = newestNamed(name, await listOf(search, id))
      if (!found || found.expired) continue
      const measured = await measuredBy(search, run)
      if (!('why' in measured) && measured.commit === commit) return id
      const why = 'why' in measured ? measured.why : 'measured another commit'
      log.info(`Workflow run ${id} ${why}, so its report is not judged.`)
    }
    return undefined
  })
  if (found !== undefined) return found
  throw new UserError(
    `No other completed run of this workflow has measured commit ${oneLine(commit.slice(0, 7))} and has the artifact ${oneLine(name, 120)} that report names. Wait until its load test has ended.`,
  )
}

/** The commit that another run has measured, as far as that is known. */
async function commitOf(search: ArtifactSearch, run: number): Promise<string | undefined> {
  const { owner, repo, log } = search
  const { data } = await (await search.octokit()).rest.actions.getWorkflowRun({ owner, repo, run_id: run })
  // What a fork has attached may say anything.
  const measured = isOwn(data, search) ? await measuredBy(search, data) : listedCommit(data)
  if (!('why' in measured)) return measured.commit
  log.info(`Workflow run ${run} ${measured.why}.`)
  return undefined
}

/** By its outcome, else most runs are about the commit that they are listed under. @returns it, or why it is not known */
async function measuredBy(
  search: ArtifactSearch,
  run: { id: number; run_attempt?: number; event: string; head_sha: string },
): Promise<{ commit?: string } | { why: string }> {
  try {
    const file = await outcomeFileOf(search, run)
    const parsed = file === undefined ? undefined : parsedOutcome(file)
    if (parsed) return defined({ commit: parsed.commit })
  } catch (error) {
    if (error instanceof OutcomeFault) return { why: message(error) }
    throw error
  }
  return listedCommit(run)
}

function listedCommit({ event, head_sha: commit }: { event: string; head_sha: string }) {
  return isOfItsCommit(event)
    ? { commit }
    : { why: `does not say which commit it measured (${oneLine(event, 60)})` }
}

async function listOf({ octokit, owner, repo }: ArtifactSearch, run: number): Promise<ApiArtifact[]> {
  return artifactsOfRun(await octokit(), { owner, repo, run })
}

/** @throws UserError that says which permission is missing */
function readable<T>(read: Promise<T>, { run, isOwn }: { run: number; isOwn: boolean }): Promise<T> {
  const which = isOwn ? 'this workflow run' : `workflow run ${run}`
  const todo = isOwn
    ? 'Run the job again.'
    : 'It must be a run of this repository, and the job needs the permission actions: read.'
  return asked(`The artifacts of ${which} could not be read`, todo, () => read)
}

/** Milliseconds. */
const listLimit = 60_000

/**
 * The artifacts of this workflow run. In its first attempt the artifact service has them all, without a permission; in
 * a later one it may not have those of earlier attempts, which GitHub's API lists.
 */
export function runArtifacts(
  store: () => Promise<Pick<ArtifactStore, 'downloadArtifact' | 'listArtifacts'>>,
  octokit: () => Promise<Octokit>,
  run: WorkflowRun,
  isFirstAttempt: boolean,
) {
  const from = isFirstAttempt ? {} : { findBy: run }
  return {
    /** @throws UserError */
    list() {
      const what = 'The artifacts of this workflow run could not be read'
      const todo =
        'When jobs run again, reading those of the attempt before needs the permission actions: read.'
      return asked(what, todo, async () => {
        if (!isFirstAttempt && run.token === '') throw new Error('github-token is empty')
        const all = await store()
        const { artifacts } = await onceAccepted(() => within(listLimit, all.listArtifacts(from)))
        const { repositoryOwner: owner, repositoryName: repo, workflowRunId } = run
        const isOfLast =
          isFirstAttempt || (await lastJobs(await octokit(), { owner, repo, run: workflowRunId }))
        return artifacts.map(({ name, id, size, createdAt }) => ({
          ...{ name, ...defined({ id, size }) },
          ...(isOfLast === true ? {} : { isLast: (leg: string) => isOfLast(createdAt, leg) }),
        }))
      })
    },
    /** @returns its path, as it is stored */
    async fetch(artifact: StoredArtifact, folder: string): Promise<string> {
      const own = await mkdtemp(path.join(folder, 'outcome-'))
      const [file] = await storedFiles(await store(), artifact, { path: own, ...from })
      if (file === undefined) throw new Error('it contains no file')
      return file
    },
  }
}
