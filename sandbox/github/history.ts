/** Something that happened to a pull request, such as a label that was set. */
export interface PullEvent {
  id: number
  pull: number
  /** Such as `labeled`. */
  kind: string
  /** The label's name at that time: renaming a label changes no event. */
  label?: string
  /** Null once the account is gone. */
  login: string | null
  at: Date
}

/** A change of a branch. */
export interface Push {
  id: number
  /** `owner/name`: a fork has branches of its own. */
  repository: string
  branch: string
  before: string
  /** Zeros where the branch was deleted. */
  commit: string
  login: string
  at: Date
  kind: 'push' | 'force_push' | 'branch_creation' | 'branch_deletion' | 'pr_merge' | 'merge_queue_merge'
}

/** What a user may do in the repository. */
export interface Role {
  /** Such as `maintain`, or a name that the organization has given. */
  name: string
  /** What it is derived from, in the words of GitHub's first three roles. */
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

/** @param base of a custom role; of GitHub's own it is known */
export function roleOf(name: string, base?: Role['base']): Role {
  const known = base ?? bases[name]
  if (known === undefined) throw new Error(`${name} is a custom role: say what it is derived from.`)
  return { name, base: known }
}

export const noCommit = '0'.repeat(40)

/** GitHub writes these times in whole seconds. */
export function inSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
