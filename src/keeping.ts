import { message } from './errors.js'
import { setOutput, tellRunner } from './runner.js'
import type { KeptPlan } from './plan.js'
import type { GitHub } from './github/github.js'
import type { Log } from './log.js'
import type { Outcome } from './outcome/outcome.js'
import { renderStartedComment } from './publish/markdown/comment.js'
import { defined } from './text/fields.js'
import type { StartNote } from './start/run.js'
import type { Keep } from './start/start.js'

interface Keeping {
  log: Log
  step: Omit<Outcome['step'], 'seconds'>
  plan: KeptPlan
  notes: ReturnType<GitHub['notes']>
  comment: Awaited<ReturnType<GitHub['comment']>> | undefined
  /** Where the status of a measured commit is. */
  statusOf: (commit: string | undefined) => ReturnType<GitHub['statusPlace']>
  /** @throws UserError if there is no room on the disk */
  checkRoom: () => void
}

/** Milliseconds: whoever waits longer for a verdict wants to know when it comes. */
const longWait = 15 * 60_000

/** Whether a run, as far as is known, ends so late that people should hear of its start. */
export function takesLong(expectedEnd: string | undefined, now: number): boolean {
  return expectedEnd !== undefined && Date.parse(expectedEnd) - now > longWait
}

/** Whether all runs of a step were judged to their end, so that a later attempt of the job could only repeat that. */
export function isJudged(outcome: Outcome): boolean {
  if (outcome.kind !== 'load-test' || outcome.confirmation?.result === 'open') return false
  return ['passed', 'accepted', 'invalid', 'failed'].includes(outcome.verdict)
}

/**
 * Keeps what must outlive the step: the start before it is requested, the rest in its plan and outputs at once, and on
 * GitHub while the run is followed.
 *
 * @returns with it, what waits until GitHub has learned all of that, and what records that the step has told all
 */
export function keeping({ log, step, plan, notes, comment, statusOf, checkRoom }: Keeping): {
  keep: Keep
  hasToldGitHub: () => Promise<void>
  hasToldAll: (outcome: Outcome) => Promise<void>
} {
  let telling = Promise.resolve()
  const toTell: StartNote[] = []
  const tellGitHub = (tell: () => Promise<unknown>) => {
    telling = telling.then(tell).then(
      () => undefined,
      (error: unknown) => log.warning(message(error)),
    )
  }
  const learn = (...more: Parameters<KeptPlan['learn']>) => tellRunner(log, () => plan.learn(...more))
  const keep: Keep = {
    async starting(start) {
      checkRoom()
      await notes.keep(start)
      const { confirms } = start
      plan.learn({ start, confirms, run: undefined, noted: undefined, settled: undefined })
    },
    notStarted: (start) => tellGitHub(() => notes.keep({ ...start, run: null })),
    tellsOf: (start) => void toTell.push(start),
    run(run, { note, expectedEnd, confirms }) {
      const { number, url } = run
      learn({ run: { number, ...defined({ url }) }, ...defined({ confirms }) })
      if (confirms === undefined) {
        tellRunner(log, () => {
          setOutput('run-number', number)
          setOutput('run-url', url)
        })
      }
      const started = { run: { ...run }, step, ...defined({ expectedEnd, confirms }) }
      tellGitHub(async () => {
        if (note && (await notes.keep(note))) plan.learn({ noted: true })
        if (!comment) return
        const body = renderStartedComment(started, comment.key)
        await comment.put({ body, isPassing: !takesLong(expectedEnd, Date.now()) })
      })
    },
    archive({ sha512, id }) {
      learn({ archive: { sha512, ...defined({ id }) } })
      tellRunner(log, () => {
        setOutput('archive-sha512', sha512)
        setOutput('archive-id', id)
      })
    },
    measured(code) {
      const { commit: _, ...where } = step
      learn({ step: { ...where, ...code }, status: statusOf(code.commit) })
    },
    settled: () => learn({ settled: true }),
  }
  const hasToldAll = async (outcome: Outcome) => {
    const judged = isJudged(outcome)
    for (const start of toTell) await notes.keep({ ...start, run: null, judged }, 20_000)
  }
  return { keep, hasToldGitHub: () => telling, hasToldAll }
}
