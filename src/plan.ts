import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import * as core from '@actions/core'
import type { ActionInputs, Inputs } from './inputs/inputs.js'
import type { Log } from './log.js'
import { judgedVerdicts, type Outcome, type Run, type Step } from './outcome/outcome.js'
import { renderStartedComment } from './publish/markdown/comment.js'
import { saveState, setOutput, tellRunner } from './runner.js'
import type { Scope } from './service/project.js'
import type { Keep, StartNote, Uploaded } from './run/run.js'
import { message, UserError } from './errors.js'
import { flawOf } from './outcome/outcome-file.js'
import { defined, fieldsOf, parsedJson, textOf } from './text/fields.js'
import { oneLine } from './text/foreign-text.js'
import type { Reporting } from './github/github.js'
import schema from './plan.schema.json' with { type: 'json' }

/**
 * What the post step does if the main step could not, decided by the main step alone. The runner keeps it for this step:
 * two steps of one job and the legs of a matrix never see each other's.
 */
export interface Plan {
  mode: ActionInputs['mode']
  step: Omit<Step, 'seconds'>
  /** The main step has reported everything. */
  published?: boolean
  start?: StartNote
  /** The service has refused that start, or was not reached. */
  refused?: boolean
  /** Starts whose runs are known. */
  tells?: readonly StartNote[]
  run?: Pick<Run, 'number' | 'url'>
  /** The run that it is to confirm, which has ended. */
  confirms?: number
  archive?: Uploaded
  /** The service that it asks; absent in actions that use none. */
  service?: Pick<Inputs, 'baseUrl' | 'project' | 'runPage'> & {
    scopes: readonly Scope[]
    deletesArchive: boolean
  }
  /** A later attempt of the job finds the run by its note. */
  noted?: boolean
  /** The run has ended, and the list showed what belongs to this step. */
  settled?: boolean
  comment?: Parameters<Reporting['comment']>[0]
  status?: Parameters<Reporting['status']>[0]
  notes: Parameters<Reporting['notes']>[0]
}

export interface KeptPlan {
  /** Replaces what was known. */
  learn(more: { [Name in keyof Plan]?: Plan[Name] | undefined }): void
  /** @param more that of the service is valid for an hour at most */
  seal(more: { accessToken?: string; githubToken?: string }): void
}

const algorithm = 'aes-256-gcm'
const [ivBytes, tagBytes] = [12, 16]

/**
 * Saves a plan, and again whenever the step learns more. The runner gives the state to the post step as variables of the
 * environment, one of which may have 128 KiB: nothing in a plan grows with the project.
 *
 * The state is a file on the runner: secrets are sealed in it with a token that only the actions of this job have, and
 * left out without one.
 */
export function keptPlan(begun: Plan, { ACTIONS_RUNTIME_TOKEN: key }: NodeJS.ProcessEnv): KeptPlan {
  let plan: object = begun
  let secrets = {}
  saveState('plan', plan)
  return {
    learn(more) {
      plan = { ...plan, ...more }
      saveState('plan', plan)
    },
    seal(more) {
      secrets = { ...secrets, ...more }
      if (key) saveState('sealed', sealed(JSON.stringify(secrets), key))
    },
  }
}

/** @returns undefined if the main step never began its work @throws UserError if what it left cannot be read */
export function readPlan(): Plan | undefined {
  const text = core.getState('plan')
  if (text === '') return undefined
  const plan = parsedJson(text)
  if (isPlan(plan)) return plan
  const flaw = plan === undefined ? 'it is not JSON' : oneLine(flawOf(plan, schema) ?? '', 120)
  throw new UserError(
    `What became of this step is not known, because the state that it has left cannot be read: ${flaw}. Look at its log, and on the service whether a load test that it started still runs.`,
  )
}

function isPlan(value: unknown): value is Plan {
  return flawOf(value, schema) === undefined
}

/**
 * The token for GitHub as the runner gives it, and what was sealed: the runner empties the inputs of a post step whose
 * action is part of a composite action inside another one.
 */
export function readSecrets(env: NodeJS.ProcessEnv): Parameters<KeptPlan['seal']>[0] {
  const key = env.ACTIONS_RUNTIME_TOKEN
  const hidden = fieldsOf(parsedJson(key ? unsealed(core.getState('sealed'), key) : ''))
  return defined({
    accessToken: textOf(hidden.accessToken),
    githubToken: textOf(core.getInput('github-token')) ?? textOf(hidden.githubToken),
  })
}

const keyOf = (token: string) => createHash('sha256').update(token).digest()

function sealed(text: string, token: string): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, keyOf(token), iv)
  const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), content]).toString('base64')
}

/** Empty if it was sealed with another token. */
function unsealed(text: string, token: string): string {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length < ivBytes + tagBytes) return ''
  const decipher = createDecipheriv(algorithm, keyOf(token), bytes.subarray(0, ivBytes))
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return ''
  }
}

interface Keeping {
  log: Log
  step: Plan['step']
  plan: KeptPlan
  notes: Pick<ReturnType<Reporting['notes']>, 'keep'>
  comment: Awaited<ReturnType<Reporting['comment']>> | undefined
  statusOf: (commit: string | undefined) => Plan['status']
  /** @throws UserError if there is no room on the disk */
  checkRoom: () => void
  signal: AbortSignal
}

/** Of a start that is about to be requested. */
const nothingKnown = { run: undefined, noted: undefined, settled: undefined, refused: undefined }

/** Milliseconds: whoever waits longer for a verdict wants to know when it comes. */
const longWait = 15 * 60_000

/** Whether a run, as far as is known, ends so late that people should hear of its start. */
export function takesLong(expectedEnd: string | undefined, now: number): boolean {
  return expectedEnd !== undefined && Date.parse(expectedEnd) - now > longWait
}

/** Whether all runs of a step were judged to their end, so that a later attempt of the job could only repeat that. */
export function isJudged(outcome: Outcome): boolean {
  if (outcome.kind !== 'load-test') return false
  const { verdict, confirmation = { verdict } } = outcome
  return [verdict, confirmation.verdict].every((one) => judgedVerdicts.includes(one))
}

/**
 * Keeps what must outlive the step: the start before it is requested, the rest in its plan and outputs at once, and on
 * GitHub while the run is followed.
 *
 * @returns with it, what waits until GitHub has learned all of that, and what records that the step has told all
 */
export function keeping({ log, step, plan, notes, comment, statusOf, checkRoom, signal }: Keeping) {
  let telling: Promise<unknown> = Promise.resolve()
  let toTell: readonly StartNote[] = []
  const tellGitHub = (tell: () => Promise<unknown>) => {
    telling = telling.then(tell).catch((error: unknown) => log.warning(message(error)))
  }
  const learn = (...more: Parameters<KeptPlan['learn']>) => tellRunner(log, () => plan.learn(...more))
  const keep: Keep = {
    async starting(start) {
      checkRoom()
      await notes.keep(start)
      // The job was cancelled meanwhile: nothing is requested, and no later attempt has to look for it.
      if (signal.aborted) keep.tellsOf(start)
      signal.throwIfAborted()
      plan.learn({ start, confirms: start.confirms, ...nothingKnown })
    },
    notStarted(start) {
      learn({ refused: true })
      tellGitHub(() => notes.keep({ ...start, run: null }))
    },
    tellsOf: (start) => learn({ tells: (toTell = [...toTell, start]) }),
    run(run, { note, expectedEnd, confirms }) {
      const { number, url } = run
      learn({ run: { number, ...defined({ url }) }, ...defined({ confirms }) })
      if (confirms === undefined)
        tellRunner(log, () => {
          setOutput('run-number', number)
          setOutput('run-url', url)
        })
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
