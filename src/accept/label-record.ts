import type { Acceptance } from '../outcome.js'
import { oneLine } from '../text/foreign-text.js'

/** What GitHub currently says about a pull request and its labels. Times are ISO 8601, as GitHub gives them. */
export interface LabelRecord {
  pull: number
  /** Its head commit. */
  head: string
  /** The labels that it has. */
  labels: readonly string[]
  /** Each time that a label was set or removed, the oldest first. */
  events: readonly LabelEvent[]
  /** The permission of the person who set the label last. */
  setter?: {
    /** The permission it is based on, such as `admin`, `write` or `read`, whatever the role is called. */
    permission: string
    /** Such as `maintain`, `triage` or a role of the organization. */
    role: string
  }
  /** The latest change of the head branch. */
  latestPush?: { commit: string; at: string }
}

export interface LabelEvent {
  kind: 'labeled' | 'unlabeled'
  label: string
  at: string
  /** Absent if the account no longer exists. */
  by?: { login: string; isBot: boolean }
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
  const { head, labels, latestPush, pull, setter } = record
  if (!labels.some((name) => isSame(name, label))) return undefined
  if (head !== tested) {
    return {
      refusal: `pull request ${pull} is at commit ${commitName(head)} by now, but the tested commit is ${commitName(tested ?? 'unknown')}.`,
    }
  }
  const set = latestEvent(record.events, label)
  if (set?.kind !== 'labeled') {
    return {
      refusal: `GitHub does not say who set it, as for a label that was renamed. Remove it and set it again.`,
    }
  }
  const { at, by } = set
  if (!by || by.isBot) {
    const who = by ? `${oneLine(by.login, 60)}, a bot,` : 'an account that no longer exists'
    return { refusal: `${who} set it. A person with write access must set it.` }
  }
  if (!setter || !writing.includes(setter.permission)) {
    const role = setter ? `the role ${oneLine(setter.role, 40)}` : 'a role that is unknown'
    return {
      refusal: `${oneLine(by.login, 60)} set it, with ${role} in this repository. A person with write access must set it.`,
    }
  }
  if (latestPush?.commit !== head) {
    return {
      refusal: `GitHub does not say when commit ${commitName(head)} was pushed. Run the job again in a minute.`,
    }
  }
  if (!(Date.parse(at) > Date.parse(latestPush.at))) {
    return {
      refusal: `it was set at ${oneLine(at, 40)}, which is not after the push of commit ${commitName(head)} at ${oneLine(latestPush.at, 40)}. Remove it and set it again.`,
    }
  }
  return { label, by: by.login, role: setter.role, at, commit: head, pushedAt: latestPush.at }
}

/** The last event of a label; to GitHub, names that differ only in case are the same. */
export function latestEvent(events: readonly LabelEvent[], label: string): LabelEvent | undefined {
  return events.findLast((one) => isSame(one.label, label))
}

export function isSame(name: string, label: string): boolean {
  return name.toLowerCase() === label.toLowerCase()
}

function commitName(commit: string): string {
  return oneLine(commit, 60).slice(0, 12)
}
