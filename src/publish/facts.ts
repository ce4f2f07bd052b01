import { formatBytes } from '../text/size.js'
import { webAddress } from '../text/foreign-text.js'
import type { BaselineInfo } from '../gates/comparison.js'
import type { Outcome, ReportFile, Step } from '../outcome.js'
import { durationText, plural } from './figure-text.js'

/** One thing to know about the run; text and address may be foreign. */
export interface Fact {
  label: string
  text: string
  href?: string
}

/** What a reader can open: the run, its digest and report, the workflow run. */
export function links({ run, digest, report, results, step, confirmation }: Outcome): Fact[] {
  const page = webAddress(step.workflowRunUrl) === undefined ? undefined : step.workflowRunUrl
  return known(
    run && { label: 'Load test', text: runText(run), href: run.url },
    digest && { label: 'Digest', text: digest.name, href: digest.url },
    attached('Report', report),
    attached('Results', results),
    confirmation?.run && {
      label: 'Second run',
      text: runText(confirmation.run),
      href: confirmation.run.url,
    },
    attached('Its report', confirmation?.report),
    attached('Its results', confirmation?.results),
    page === undefined ? undefined : { label: 'Workflow run', text: workflowRunText(page), href: page },
  )
}

/** What was tested, and how. */
export function factList(outcome: Outcome): Fact[] {
  const { run, step, figures, comparison } = outcome
  const { commit } = step
  const duration = run?.durationSeconds ?? figures?.general.duration
  const template = run?.template
  const start = run?.startTime
  return known(
    commit === undefined
      ? undefined
      : linked({ label: 'Commit', text: shortHash(commit) }, commitUrl(step, commit)),
    comparison && baselineFact(comparison.baseline, step),
    template && { label: 'Template', text: [template.number, template.name].filter(Boolean).join(' ') },
    run?.revision === undefined ? undefined : { label: 'Built from', text: shortHash(run.revision) },
    duration === undefined ? undefined : { label: 'Duration', text: durationText(duration) },
    run && { label: 'State', text: run.state },
    start === undefined ? undefined : { label: 'Start', text: timeText(start) },
    figures?.engineVersion === undefined ? undefined : { label: 'Engine', text: figures.engineVersion },
  )
}

function known(...facts: (Fact | undefined)[]): Fact[] {
  return facts.filter((fact) => fact !== undefined)
}

function attached(label: string, file: ReportFile | undefined): Fact | undefined {
  return (
    file?.artifact && {
      label,
      text: `${file.artifact.name} (${formatBytes(file.bytes)})`,
      href: file.artifact.url,
    }
  )
}

/** `load test 17, 3 runs, def5678` */
export function baselineFact({ name, runs, leftOut, commit, url }: BaselineInfo, step: Step): Fact {
  const counted = runs > 1 && !leftOut && !name.startsWith(`${runs} runs`) ? plural(runs, 'run') : undefined
  const without = leftOut ? `${leftOut} left out` : undefined
  const parts = [name, counted, without, commit && shortHash(commit)].filter((part) => part !== undefined)
  const address = url ?? (commit === undefined ? undefined : commitUrl(step, commit))
  return linked({ label: 'Baseline', text: parts.join(', ') }, address)
}

/** The first seven characters of a hash, such as a commit's; anything else as it is. */
export function shortHash(hash: string): string {
  return /^[0-9a-f]{40,128}$/.test(hash) ? hash.slice(0, 7) : hash
}

/** The page of a commit, where the step knows its repository and the server. */
export function commitUrl(
  { repository, workflowRunUrl }: Pick<Step, 'repository' | 'workflowRunUrl'>,
  commit: string,
): string | undefined {
  const server = webAddress(workflowRunUrl)
  if (server === undefined || repository === undefined) return undefined
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository) || !/^[0-9a-f]{7,64}$/.test(commit)) return undefined
  return `${new URL(server).origin}/${repository}/commit/${commit}`
}

/** `2026-03-01 14:35 UTC`; a text that is no time as it is. */
export function timeText(time: string): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function runText({ number, name }: { number: number; name?: string }): string {
  return name === undefined || name === '' ? `${number}` : `${number} ${name}`
}

function workflowRunText(url: string): string {
  return /\/runs\/(\d+)/.exec(url)?.[1] ?? 'open'
}

function linked(fact: Fact, href: string | undefined): Fact {
  return href === undefined ? fact : { ...fact, href }
}
