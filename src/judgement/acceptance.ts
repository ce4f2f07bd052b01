import type { ReportJudgement } from './judgement.js'
import { message } from '../errors.js'
import { besideAccepted } from '../gates/gates.js'
import { areOfGates, mayBeAccepted } from '../gates/result.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Acceptance, Part, Step } from '../outcome/outcome.js'
import { defined } from '../text/fields.js'
import { isOfItsBranch, type Measured, measuredCommit } from '../outcome/code-origin.js'
import { oneLine } from '../text/foreign-text.js'
import { withoutSecrets } from '../text/redaction.js'
import { reasonsAbout } from '../text/reason.js'
import type { World } from '../world.js'

export interface AcceptanceWorld extends Pick<World, 'log'> {
  /** Where the step runs. */
  step: Omit<Step, 'seconds'>
  /**
   * What GitHub says about a label on the pull request that the step is for, or on each of a merge group; else on those
   * whose merge the commit is. @throws UserError if it cannot be read
   */
  labelRecords: (label: string, commit: string | undefined) => Promise<LabelRecord[]>
}

/**
 * The judgement, as `accepted` if only gates have failed, or names are gone or new, and a label on the pull request
 * accepts that. If something cannot be read, nothing is accepted, and the reasons say so. The run of a branch that has
 * just merged such a pull request is the new level, red or not.
 */
export async function withAcceptance(
  judgement: ReportJudgement,
  { accept: label, mode }: Pick<Inputs, 'accept'> & Pick<Measured, 'mode'>,
  world: AcceptanceWorld,
): Promise<Part> {
  if (label === undefined) return judgement
  const { log, step } = world
  const isForPull = step.pullRequest !== undefined || step.event === 'merge_group'
  const isMerge = !isForPull && isOfItsBranch({ step, ...defined({ mode, report: judgement.report }) })
  if (!isForPull && !isMerge) {
    log.info('accept has no effect here: this run is for no pull request, and does not count for a branch.')
    return judgement
  }
  const hasPassed = judgement.verdict === 'passed'
  if (!mayBeOnPurpose(judgement) && !(hasPassed && isMerge)) return judgement
  if (!hasPassed && !isAcceptable(judgement)) {
    const sentence = `The label "${oneLine(label, 60)}" accepts only failed gates and names that are missing or new, but this run has other problems, too.`
    return { ...judgement, notes: [...judgement.notes, sentence] }
  }
  const found = await log.group(`Look for the label ${oneLine(label, 60)}`, () =>
    lookFor(label, judgement, isMerge, world),
  )
  const part = ruled(judgement, found, label, world)
  const shown = hasPassed ? withRefusals(judgement, part) : part
  if (!isMerge || part.acceptance === undefined) return shown
  if (judgement.tooManyErrors) return { ...shown, notes: [...judgement.notes, noLevel] }
  return { ...shown, isNewLevel: true, notes: [...judgement.notes, newLevel] }
}

/** What passed needs no label, but without it later runs are compared with the level of before. */
function withRefusals(judgement: ReportJudgement, { reasons }: ReportJudgement): ReportJudgement {
  const refusals = reasons.filter(({ about }) => about === 'label').map(({ text }) => text)
  return { ...judgement, notes: [...judgement.notes, ...refusals] }
}

const newLevel =
  'New level: what was merged here was accepted. With baseline: artifact, later runs are compared with this one, and not with earlier ones.'

const noLevel =
  'No new level: far more of this run failed than usual, so later runs are not compared with it. If these errors are expected, write a gate about them.'

/** What was found, on failed gates. */
function ruled(
  judgement: ReportJudgement,
  found: ReturnType<typeof acceptanceOfAll>,
  label: string,
  { log, step }: AcceptanceWorld,
): ReportJudgement {
  const shown = oneLine(label, 60)
  const isForOne = step.pullRequest !== undefined
  if ('missing' in found) {
    const { missing } = found
    if (missing.length === 0) return judgement
    const on = `pull request${missing.length === 1 ? '' : 's'} ${missing.join(', ')}`
    const then = isForOne || step.event === 'merge_group' ? '' : ' Then run this job again.'
    const what = judgement.verdict === 'failed' ? 'the failed gates' : 'names that are missing or new'
    const sentence = `To accept ${what}, set the label "${shown}" on ${on}. You need write access for that.${then}`
    return { ...judgement, advice: [...judgement.advice, sentence] }
  }
  if ('refusal' in found) {
    const on = isForOne || found.pull === undefined ? '' : ` on pull request ${found.pull}`
    const sentence = `The label "${shown}"${on} does not count: ${found.refusal}`
    log.info(sentence)
    return { ...judgement, reasons: [...judgement.reasons, ...reasonsAbout('label', sentence)] }
  }
  log.info(`The label "${shown}" was set by ${oneLine(found.by, 60)} at ${oneLine(found.at, 40)}`)
  const named = { label: withoutSecrets(found.label), by: withoutSecrets(found.by) }
  return { ...judgement, verdict: 'accepted', acceptance: { ...found, ...named } }
}

function mayBeOnPurpose({ verdict, gates }: ReportJudgement): boolean {
  const others = gates.filter(({ result }) => result !== 'failed')
  return verdict === 'failed' || (verdict === 'invalid' && others.some(mayBeAccepted))
}

/** Without what the label accepts, the run would have passed. */
function isAcceptable({ figures, gates, reasons }: ReportJudgement): boolean {
  return (
    gates.some(mayBeAccepted) &&
    areOfGates(reasons) &&
    figures !== undefined &&
    besideAccepted(gates, figures).verdict === 'passed'
  )
}

async function lookFor(
  label: string,
  { report }: Pick<Part, 'report'>,
  isMerge: boolean,
  { labelRecords, step }: AcceptanceWorld,
): Promise<ReturnType<typeof acceptanceOfAll>> {
  try {
    const tested = measuredCommit({ step, ...defined({ report }) })
    const records = await labelRecords(label, tested)
    const rulings = records.map((record) => {
      // A queue tests what it would merge: a pull request that somebody pushes to leaves it.
      const isOfHead = isMerge || (step.event === 'merge_group' && tested === step.commit)
      return { pull: record.pull, ruling: acceptanceIn(record, label, isOfHead ? record.head : tested) }
    })
    return acceptanceOfAll(rulings)
  } catch (error) {
    return { refusal: message(error) }
  }
}

/**
 * What GitHub currently says about a pull request and its labels. Times are ISO 8601, as GitHub gives them; what it does
 * not say is absent.
 */
export interface LabelRecord {
  pull: number
  /** Its head commit. */
  head: string
  labels: readonly string[]
  /** Each time that a label was set or removed. */
  events: readonly LabelEvent[]
  /** The permission of the person who set the label last. */
  setter?: {
    /** The permission it is based on, such as `admin`, `write` or `read`, whatever the role is called. */
    permission?: string
    /** Such as `maintain`, `triage` or a role of the organization. */
    role?: string
  }
  /** The latest changes of the head branch. */
  pushes: readonly Push[]
}

export interface LabelEvent {
  kind: 'labeled' | 'unlabeled'
  label: string
  at?: string
  /** Absent if the account no longer exists. */
  by?: { login: string; isBot: boolean }
}

/** A change of a branch. */
export interface Push {
  commit: string
  at?: string
}

/** `maintain` is mapped to `write` by GitHub, and `triage` to `read`. */
const writing = ['admin', 'maintain', 'write']

/**
 * Whether the label accepts what was tested: a person who may write must have set it after this very commit was
 * pushed.
 *
 * @param tested the commit
 * @returns undefined if the label is not set; `refusal` says why a label that is set does not count
 */
export function acceptanceIn(
  record: LabelRecord,
  label: string,
  tested: string | undefined,
): Acceptance | { refusal: string } | undefined {
  const { head, labels, pull, pushes, setter } = record
  const refused = (refusal: string) => ({ refusal })
  if (!labels.some((name) => isSame(name, label))) return undefined
  const commit = commitName(head)
  if (head !== tested)
    return refused(
      `pull request ${pull} is at commit ${commit} by now, but the tested commit is ${commitName(tested ?? 'unknown')}.`,
    )
  const set = latestEvent(record.events, label)
  if (set?.kind !== 'labeled')
    return refused(
      'GitHub does not say clearly who set it last, and when, as for a label that was renamed. Remove it and set it again.',
    )
  const { at } = set
  const person = personWhoMayWrite(set.by, setter)
  if ('who' in person)
    return refused(`${person.who} set it${person.as}. A person with write access must set it.`)
  const push = pushOf(head, pushes)
  if (!push)
    return refused(`GitHub does not say when commit ${commit} was pushed. Run the job again in a minute.`)
  if (set.time <= push.time)
    return refused(
      `it was set at ${oneLine(at, 40)}, which is not after the push of commit ${commit} at ${oneLine(push.at, 40)}. Remove it and set it again.`,
    )
  return { label, ...person, at, commit: head, pushedAt: push.at }
}

/** What was found on each pull request: the latest label if it counts on all of them. */
export function acceptanceOfAll(
  found: readonly { pull: number; ruling: ReturnType<typeof acceptanceIn> }[],
): Acceptance | { refusal: string; pull?: number } | { missing: number[] } {
  const missing: number[] = []
  let latest: Acceptance | undefined
  for (const { pull, ruling } of found) {
    if (!ruling) missing.push(pull)
    else if (!('refusal' in ruling)) latest = latest && latest.at > ruling.at ? latest : ruling
    else return { ...ruling, pull }
  }
  return missing.length > 0 || !latest ? { missing } : latest
}

/**
 * Who did something that takes a person with write access, and with which role.
 *
 * @returns of anybody else, who that is and as what, as the subject of a sentence and what follows its verb
 */
export function personWhoMayWrite(
  by: LabelEvent['by'],
  { permission, role }: NonNullable<LabelRecord['setter']> = {},
): Pick<Acceptance, 'by' | 'role'> | { who: string; as: string } {
  if (!by) return { who: 'an account that no longer exists', as: '' }
  if (by.isBot) return { who: `${oneLine(by.login, 60)}, a bot,`, as: '' }
  if (role === undefined || !writing.some((one) => one === permission)) {
    const what = role === undefined ? 'a role that is unknown' : `the role ${oneLine(role, 40)}`
    return { who: oneLine(by.login, 60), as: `, with ${what} in this repository` }
  }
  return { by: by.login, role }
}

/** The latest push of a branch, if that is where it got this commit. */
export function pushOf(commit: string, pushes: readonly Push[]): Timed<Push> | undefined {
  return latestOf(pushes).find((push) => push.commit === commit)
}

/**
 * The latest event of a label by its time; to GitHub, names that differ only in case are the same. Undefined if there is
 * none, if one of them has no readable time, or if two people changed the label in the same second.
 */
export function latestEvent(events: readonly LabelEvent[], label: string): Timed<LabelEvent> | undefined {
  const latest = latestOf(events.filter((one) => isSame(one.label, label)))
  const people = new Set(latest.map(({ by }) => by?.login))
  return people.size === 1 ? latest.at(-1) : undefined
}

type Timed<T> = T & { at: string; time: number }

/** All with the latest time; none if one has no readable time, since that may be the latest. */
function latestOf<T extends { at?: string }>(all: readonly T[]): Timed<T>[] {
  const timed = all.map((one) => ({ ...one, at: one.at ?? '', time: timeOf(one.at) }))
  const latest = Math.max(...timed.map(({ time }) => time))
  return timed.filter(({ time }) => time === latest)
}

/** Milliseconds of a time as GitHub writes it; not a number if it is none, or a zero that stands for none. */
export function timeOf(at = ''): number {
  const time = /^\d{4}-\d\d-\d\dT/.test(at) ? Date.parse(at) : NaN
  return time > 0 ? time : NaN
}

export function isSame(name: string, label: string): boolean {
  return name.toLowerCase() === label.toLowerCase()
}

/** A commit as people write it. */
export function commitName(commit: string): string {
  return oneLine(commit, 60).slice(0, 12)
}
