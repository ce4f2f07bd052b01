import type { EarlierOutcome, EarlierOutcomes } from '../../baseline/baseline.js'
import { message } from '../../errors.js'
import type { ArtifactStore } from '../artifacts/store.js'
import { fewestForReds, mostForReds, passingReds } from '../../baseline/red-runs.js'
import type { LoadTestName } from '../../inputs/inputs.js'
import type { ParsedOutcome } from '../../outcome/outcome-file.js'
import { outcomeFileOf, OutcomeFault, parsedOutcome } from './run-outcome.js'
import { ownRuns, type Look, type RunSearch } from './runs.js'
import type { Octokit } from '../pull-request/pull-request.js'
import { statusOf } from '../status-of.js'

const look: Look = { most: 100, perPage: 30, purpose: 'baselines' }

/**
 * The outcomes of the latest successful runs of this workflow on the first branch that has any, and of red ones between
 * them. A run counts only if its own outcome says that the branch's code was measured, by the same template. One whose
 * outcome cannot be used is named, and the next counts.
 *
 * @throws Error if the runs cannot be listed, or if none is found and one could not be fetched
 */
export async function findBaselineOutcomes(
  octokit: Octokit,
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  search: RunSearch,
): Promise<Omit<EarlierOutcomes, 'own'>> {
  const unread: string[] = []
  let failure: Error | undefined
  for (const branch of search.branches) {
    const outcomes: EarlierOutcome[] = []
    const reds: EarlierOutcome[] = []
    const judged: { isGreen: boolean; run: RunOfBranch }[] = []
    const add = async (run: RunOfBranch, to: EarlierOutcome[], verdict?: string) => {
      try {
        const path = await baselineFile(octokit, store, search, { run, branch, verdict })
        if (path !== undefined) to.push({ path, url: run.html_url, branch, commit: run.head_sha })
      } catch (error) {
        // A permission that is missing for one run, or a limit, is so for all.
        if ([401, 403, 429].includes(statusOf(error) ?? 0)) throw error
        const isUnusable = error instanceof OutcomeFault
        if (!isUnusable && statusOf(error) !== 404) failure ??= asError(error)
        const what = isUnusable ? error.message : `could not be fetched (${message(error)})`
        unread.push(`Workflow run ${run.id} on ${branch} ${what}, so it is left out.`)
      }
    }
    for await (const run of ownRuns(octokit, search, branch, look)) {
      const isGreen = run.conclusion === 'success'
      if (isGreen || run.conclusion === 'failure') judged.push({ isGreen, run })
      if (isGreen && outcomes.length < search.count) await add(run, outcomes)
      if (outcomes.length >= search.count && (judged.length > mostForReds || search.count < fewestForReds))
        break
    }
    if (search.count >= fewestForReds) {
      for (const at of passingReds(judged.map(({ isGreen }) => isGreen))) {
        const red = judged[at]
        if (red) await add(red.run, reds, 'failed')
      }
    }
    if (outcomes.length > 0) return { outcomes, reds, unread }
    search.log.info(`No earlier successful run on ${branch} has the artifact ${search.artifact}.`)
  }
  // It may be a baseline: without it, nobody knows that there is none.
  if (failure) throw failure
  return { outcomes: [], reds: [], unread }
}

interface RunOfBranch {
  id: number
  run_attempt?: number
  html_url: string
  head_sha: string
}

/** The outcome file of a run if it has figures, and has measured the branch's code by the template that is wanted. */
async function baselineFile(
  octokit: Octokit,
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  search: RunSearch,
  { run, branch, verdict }: { run: RunOfBranch; branch: string; verdict?: string | undefined },
): Promise<string | undefined> {
  const file = await outcomeFileOf(octokit, store, search, run)
  const parsed = file === undefined ? undefined : parsedOutcome(file)
  if (verdict !== undefined && parsed?.verdict !== verdict) return undefined
  const why = parsed?.whyNotOfBranch(branch) ?? (parsed && whyOtherTemplate(search.template, parsed.template))
  if (why !== undefined) search.log.info(`Workflow run ${run.id} ${why}, so it is not a baseline.`)
  return parsed && why === undefined ? file : undefined
}

/** As the end of a sentence; where one of them is unknown, nothing says that they differ. */
export function whyOtherTemplate(
  wanted: LoadTestName | undefined,
  template: ParsedOutcome['template'],
): string | undefined {
  if (!wanted || !template) return undefined
  const isSame = 'number' in wanted ? wanted.number === template.number : wanted.name === template.name
  return isSame ? undefined : `is a run of load test ${template.number}`
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(message(error))
}
