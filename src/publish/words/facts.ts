import { formatBytes } from '../../text/size.js'
import { webAddress } from '../../text/foreign-text.js'
import type { BaselineInfo } from '../../comparison/comparison.js'
import type { LoadTestOutcome, Outcome, ReportFile, Run, Step } from '../../outcome/outcome.js'
import type { Link } from './table.js'
import { durationText } from './figure-text.js'
import type { LoadProfileEntry } from '../../report/report.js'
import { plainNumber } from '../../figures/numbers.js'
import { plural } from '../../text/plural.js'

/** One thing to know about the run; text and address may be foreign. */
export interface Fact {
  label: string
  text: string
  href?: string | undefined
}

/** The run or the report that was given, its digest and report, the workflow run. */
export function links(outcome: Outcome): Link[] {
  return [...ownLinks(outcome), ...toWorkflowRun(outcome)]
}

export function toWorkflowRun({ step }: { step: Pick<Step, 'workflowRunUrl'> }): Link[] {
  return linkTo('Workflow run', webAddress(step.workflowRunUrl))
}

/** Nothing without an address. */
export function linkTo(text: string, href: string | undefined): Link[] {
  return href === undefined ? [] : [{ text, href }]
}

function ownLinks(outcome: Outcome): Link[] {
  if (outcome.kind === 'load-test') return linksOfRun(outcome)
  if (outcome.kind === 'merge') return linkTo('Digest (one page)', outcome.digest?.url)
  return outcome.kind === 'history' ? linkTo('Page with all timers', outcome.historyPage?.artifact?.url) : []
}

function linksOfRun(outcome: LoadTestOutcome): Link[] {
  const { run, digest, report, results, confirmation, step } = outcome
  const given = report?.given
  return [
    ...(run ? [linkOfRun(run, step)] : []),
    ...(given ? [{ text: `Judged: ${given.name}`, href: given.url }] : []),
    ...linkTo('Digest (one page)', digest?.url),
    ...attached(reportTitle(outcome), report),
    ...attached('Results', results),
    ...(confirmation?.run ? [linkOfRun(confirmation.run, step, 'Second run')] : []),
    ...attached('Second report', confirmation?.report),
    ...attached('Second results', confirmation?.results),
  ]
}

/** Where whoever may change them finds the secrets that a step most often has its credentials from. */
export function toSecrets({ step }: Outcome): Link[] {
  return linkTo('Secrets of the repository', repositoryPage(step, 'settings/secrets/actions'))
}

/** What has changed between the baseline's commit and this one, where both are known. */
export function codeChanges({ comparison, step }: LoadTestOutcome): Link[] {
  const [before, now] = [comparison?.baseline.commit, step.commit]
  if (before === undefined || now === undefined || before === now) return []
  return linkTo('Code changes', repositoryPage(step, 'compare', before, now))
}

const home = 'https://github.com/load-test-action/load-test-action/blob/main'

export const documents = {
  verdicts: { text: 'What this means', href: `${home}/README.md#verdicts` },
  limits: { text: 'How to choose a limit', href: `${home}/docs/gates.md#choose-a-limit` },
  accepting: { text: 'How to accept it', href: `${home}/docs/accepting.md` },
} as const satisfies Record<string, Link>

/** The addresses of all links of an outcome: the only ones that a sentence may link to. */
export function pagesOf(outcome: Outcome): string[] {
  return links(outcome).flatMap(({ href }) => href ?? [])
}

export function loadFacts({ verdict, run, figures }: LoadTestOutcome): Fact[] {
  const template = run?.template
  const { users, duration: measured } = figures?.general ?? {}
  const most = users === undefined ? undefined : `${plural(users, 'user')} at most`
  const load = loadText(figures?.loadProfile ?? []) ?? most
  const start = run ? run.startTime : startOf(figures)
  return [
    ...fact('Load', load),
    ...fact('Measured', measured === undefined ? undefined : durationText(measured)),
    ...fact('Template', template && [template.number, template.name].filter(Boolean).join(' ')),
    ...fact('State', verdict === 'started' ? undefined : run?.state),
    ...fact('Start', start === undefined ? undefined : timeText(start)),
    ...fact('Engine', figures?.engineVersion),
  ]
}

function fact(label: string, text: string | undefined): Fact[] {
  return text === undefined ? [] : [{ label, text }]
}

export function codeFacts(outcome: Pick<LoadTestOutcome, 'step' | 'run' | 'comparison'>): Fact[] {
  const { step, run, comparison } = outcome
  const { commit } = step
  return [
    ...(commit === undefined ? [] : [{ label: 'Commit', ...linkOfCommit(step, commit) }]),
    ...(comparison ? [baselineFact(comparison.baseline, step)] : []),
    ...fact('Built from', run?.revision && shortHash(run.revision)),
  ]
}

export function startOf(figures: LoadTestOutcome['figures']): string | undefined {
  return dateOf(figures?.general.startTime)?.toISOString()
}

function dateOf(time: string | number | undefined): Date | undefined {
  const date = new Date(time ?? NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

function attached(name: string, file: ReportFile | undefined): Link[] {
  return file ? linkTo(`${name} (${formatBytes(file.bytes)})`, file.artifact?.url) : []
}

/** `3 runs of main, 1 left out, def5678` */
export function baselineFact({ name, leftOut, commit, url }: BaselineInfo, step: Step): Fact {
  const parts = [name, leftOut ? `${leftOut} left out` : '', shortHash(commit ?? '')].filter(Boolean)
  const href = url ?? (commit === undefined ? undefined : repositoryPage(step, 'commit', commit))
  return { label: 'Baseline', text: parts.join(', '), href }
}

/** The first seven characters of a hash, such as a commit's; anything else unchanged. */
export function shortHash(hash: string): string {
  return /^[0-9a-f]{40,128}$/.test(hash) ? hash.slice(0, 7) : hash
}

export function linkOfCommit(step: Parameters<typeof repositoryPage>[0], commit: string): Link {
  return { text: shortHash(commit), href: repositoryPage(step, 'commit', commit) }
}

/** @param commits one, or two to compare: the page shows all commits after the first, up to the second */
export function repositoryPage(
  { repository, workflowRunUrl }: Pick<Step, 'repository' | 'workflowRunUrl'>,
  kind: 'commit' | 'compare' | 'settings/secrets/actions',
  ...commits: readonly string[]
): string | undefined {
  const server = webAddress(workflowRunUrl)
  if (server === undefined || repository === undefined) return undefined
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) return undefined
  if (!commits.every((commit) => /^[0-9a-f]{7,64}$/.test(commit))) return undefined
  return [new URL(server).origin, repository, kind, commits.join('...')].filter(Boolean).join('/')
}

/** The day of a time, such as `28 Sept`, or what the format says, in UTC; undefined if it is not known. */
export function dateText(
  time: string | undefined,
  format: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' },
): string | undefined {
  return dateOf(time)?.toLocaleString('en-GB', { ...format, timeZone: 'UTC' })
}

/** `2026-03-01 14:35 UTC`; a text that is not a time, unchanged. */
export function timeText(time: string): string {
  const iso = dateOf(time)?.toISOString()
  return iso === undefined ? time : `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

/** A run has no page where neither the service nor an input names one. */
export function linkOfRun(
  { number, url }: Pick<Run, 'number' | 'url'>,
  { service }: Pick<Step, 'service'>,
  what = 'Load test',
): Link {
  return url === undefined
    ? { text: `${what} ${number} (in the list of the service)`, href: service }
    : { text: `${what} ${number} on the service`, href: url }
}

export function reportTitle({ verdict, reasons }: LoadTestOutcome): string {
  const isCut = verdict === 'load-test-failed' || reasons.some(({ about }) => about === 'run')
  return isCut ? 'Incomplete report' : 'Full report'
}

/**
 * The load of all test cases together: `28 users, ramp-up 30 s`. The engine writes numbers as `1,021`, and a number
 * that changes over time as `1...9`: then the largest counts. Undefined if the profile has neither users nor
 * arrivals.
 */
export function loadText(profile: readonly LoadProfileEntry[]): string | undefined {
  const all = (setting: string) => profile.flatMap(({ settings }) => largest(settings[setting]) ?? [])
  const sum = (figures: readonly number[]) => figures.reduce((total, one) => total + one, 0)
  const users = sum(all('numberOfUsers'))
  const arrivals = sum(all('arrivalRate'))
  if (users === 0 && arrivals === 0) return undefined
  const rampUp = Math.max(0, ...all('rampUpPeriod'))
  return [
    ...(users > 0 ? [plural(users, 'user')] : []),
    ...(arrivals > 0 ? [`${plainNumber(arrivals)} arrivals/h`] : []),
    ...(rampUp > 0 ? [`ramp-up ${durationText(rampUp)}`] : []),
  ].join(', ')
}

function largest(text: string | undefined): number | undefined {
  const numbers = (text ?? '').split('...').map((part) => Number(part.replaceAll(',', '') || NaN))
  return numbers.every(Number.isFinite) ? Math.max(...numbers) : undefined
}
