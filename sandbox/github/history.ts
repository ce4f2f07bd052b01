/** Something that happened to a pull request, such as a label that was set. */
export interface PullEvent {
  id: number
  pull: number
  /** Such as `labeled`. */
  kind: string
  /** The label's name at that time: renaming a label does not change its events. */
  label?: string
  /** Null once the account is gone. */
  login: string | null
  at: Date
}

/** A change of a branch. */
export interface Push {
  id: number
  /** `owner/name`: a fork has its own branches. */
  repository: string
  branch: string
  before: string
  /** Zeros if the branch was deleted. */
  commit: string
  login: string
  at: Date
  kind: 'push' | 'force_push' | 'branch_creation' | 'branch_deletion' | 'pr_merge' | 'merge_queue_merge'
}

/** What a user may do in the repository. */
export interface Role {
  /** Such as `maintain`, or a name that the organization chose. */
  name: string
  /** The role that it is based on: one of GitHub's three basic roles. */
  base: 'admin' | 'write' | 'read' | 'none'
}

const bases: Readonly<Record<string, Role['base']>> = {
  admin: 'admin',
  maintain: 'write',
  write: 'write',
  triage: 'read',
  read: 'read',
  none: 'none',
}

/** @param base of a custom role; for GitHub's own roles it is known */
export function roleOf(name: string, base?: Role['base']): Role {
  const known = base ?? bases[name]
  if (known === undefined) throw new Error(`${name} is a custom role: name the role that it is based on.`)
  return { name, base: known }
}

export const noCommit = '0'.repeat(40)

/** GitHub gives these times in whole seconds. */
export function inSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
