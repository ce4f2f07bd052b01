import type { Unfit } from '../noise/baseline.js'
import { oneLine } from '../text/foreign-text.js'

/** What is known about this run where `baseline: artifact` looks for earlier ones. */
export interface OwnPlace {
  /** The branch whose runs would be the baseline. */
  branch: string
  /**
   * `branch`: later runs are compared with this one. `pull-request`: it adds the workflow, so that its base cannot have
   * run it.
   */
  first?: 'branch' | 'pull-request'
  /** It is a pull request, and whether its base has the workflow could not be read: why. */
  unknown?: string
  /** The file of the workflow whose runs would be the baseline, if that is another one. */
  workflow?: string
  /** If there are no earlier runs: the file of another workflow that has tested the branch. */
  otherWorkflow?: string
}

/** Why gates that compare have nothing to compare with, if nobody is to blame for that. */
export function whyFirst({ branch, first }: OwnPlace, hasEarlier: boolean): Unfit | undefined {
  if (first === undefined) return undefined
  const name = oneLine(branch, 60)
  if (first === 'branch') {
    if (!hasEarlier)
      return { unfit: 'first-run', reason: 'First run: if it is green, it is the baseline of later runs.' }
    const reason = `New baseline: no earlier run of ${name} can be compared with this one, which is the baseline from now on.`
    return { unfit: 'new-baseline', reason }
  }
  // Runs of a pull request are nobody's baseline.
  if (hasEarlier) return undefined
  const reason = `First run: this pull request adds the workflow. Once it is merged, the first run on ${name} is the baseline.`
  return { unfit: 'first-run', reason }
}

/** What to do if gates that compare are not measured because there is nothing to compare with. */
export function absenceAdvice(place: OwnPlace, hasEarlier: boolean): string[] {
  const name = oneLine(place.branch, 60)
  if (hasEarlier)
    return [
      `Read in the notes why. If this change gives the load test another load or engine, that is expected: once it is merged, the next run on ${name} is the new baseline. If the earlier runs were faulty, such as by overloaded load generators, mend that, let ${name} run again, then this job.`,
    ]
  const { otherWorkflow, unknown, workflow = 'this workflow' } = place
  return [
    otherWorkflow === undefined
      ? `Let ${oneLine(workflow, 100)} run on ${name} first, on push or by hand: its first green run there is the baseline. Then run this job again.`
      : `${name} is tested by ${oneLine(otherWorkflow, 100)}, but a baseline is a run of the same workflow, unless an input names another: write baseline-workflow: ${oneLine(otherWorkflow, 100)}. Or let one workflow test both ${name} and the pull requests, then run it on ${name} once.`,
    ...(unknown === undefined
      ? []
      : [
          `If this pull request adds the workflow, give the job the permission contents: read, so that the step can see that (${oneLine(unknown, 200)}).`,
        ]),
  ]
}

export interface EarlierRuns {
  /** At most that many. */
  runs: number
  /** Absent = the branch that this run is compared with by default. */
  branch?: string
  /** File name of the workflow; absent = that of this run. */
  workflow?: string
}

/** Where a baseline comes from. */
export type BaselineSource =
  | { kind: 'load-test'; number: number }
  | ({ kind: 'artifact' } & EarlierRuns)
  | { kind: 'path'; path: string }

/** At most that many runs are the baseline. */
export const baselineRuns = 5

const mostSources = 20

/**
 * Reads `load-test:17`, `artifact`, or else a path of the workspace, one per line.
 *
 * @param earlier the runs that `artifact` stands for
 */
export function readBaselineSources(
  text: string,
  earlier: EarlierRuns,
  resolve: (path: string) => string | undefined,
): BaselineSource[] | { fault: string } {
  const lines = text
    .split(/\r\n|[\n\r]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length > mostSources)
    return { fault: `baseline names more than ${mostSources} sources. Leave some out.` }
  const sources: BaselineSource[] = []
  for (const line of new Set(lines)) {
    const source = readSource(line, earlier, resolve)
    if (source && 'fault' in source) return source
    if (source) sources.push(source)
  }
  return sources
}

/** What may be meant by a path that does not exist. */
export function baselineHint(given: string): string {
  const number = /^(?:load[-_ ]?tests?|run)?[ :=#]*(\d{1,9})$/i.exec(given)?.[1]
  if (number !== undefined) return `Did you mean load-test:${number}?`
  if (/^(?:none|no|false|off|never)$/i.test(given)) return 'To compare with nothing, leave baseline empty.'
  if (/^(?:latest|last|previous|art[ei]facts?|true|yes|on|auto|base)\b[^./\\]*$/i.test(given))
    return 'Did you mean artifact?'
  if (/^https?:/i.test(given)) return 'Download it in an earlier step, and write its path.'
  const name = oneLine(given.replace(/^origin\//, ''), 60)
  return /^[^.\\]+$/.test(given)
    ? `Put it there in an earlier step. If it is a branch, write baseline: artifact and baseline-branch: ${name}`
    : 'Put it there in an earlier step.'
}

function readSource(
  line: string,
  earlier: EarlierRuns,
  resolve: (path: string) => string | undefined,
): BaselineSource | { fault: string } | undefined {
  if (line === 'artifact') return { kind: 'artifact', ...earlier }
  const [prefix, rest = ''] = line.split(':', 2)
  if (prefix !== 'load-test') {
    const found = resolve(line)
    return found === undefined ? undefined : { kind: 'path', path: found }
  }
  if (!/^\d{1,9}$/.test(rest.trim()) || line.split(':').length > 2)
    return { fault: 'baseline names a load test without its number: write load-test:17.' }
  return { kind: 'load-test', number: Number(rest) }
}

/** Red runs among this many latest ones say something about noise. */
export const mostForReds = 20
/** Noise is learned from that many runs on: who wants fewer gets no red ones. */
export const fewestForReds = 3
/** More bad runs one after the other are no accident. */
const longestStreak = 2
/** A green run this many percent slower than its own baseline, with a red one this near, may be what that one is red for. */
const [slow, near] = [8, 3]

export interface BranchRun {
  isRed: boolean
  /** By how many percent all its timers together were slower than in its own baseline, where that is known. */
  slowerBy?: number
}

/**
 * What the runs of a branch are good for. A run sets the level unless it is red, or green beside a red one and so slow
 * that it may have the same regression. How much whole runs differ is also said by such runs if noise alone may have made
 * them so: by one for each streak of at most two that a better run followed. A change that stands is in more; without
 * that limit, one that was mended would become the level.
 *
 * @param runs the latest first
 * @returns their indexes
 */
export function useOfRuns(runs: readonly BranchRun[]): { level: number[]; spread: number[] } {
  const isRed = runs.map((run) => run.isRed)
  const isNear = (at: number) => isRed.slice(Math.max(0, at - near), at + near + 1).includes(true)
  const isBad = runs.map(
    (run, at) => run.isRed || (at < mostForReds && isNear(at) && (run.slowerBy ?? 0) > slow),
  )
  const level: number[] = []
  const spread: number[] = []
  for (const [at, bad] of isBad.entries()) {
    if (!bad) level.push(at)
    else if (at < mostForReds && isBad[at - 1] === false) {
      const next = isBad.indexOf(false, at)
      if (next !== -1 && next - at <= longestStreak) spread.push(at)
    }
  }
  return { level, spread }
}
