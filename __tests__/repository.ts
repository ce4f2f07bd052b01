import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Adds files to a branch in one commit. */
export type Commit = (branch: string, files: Readonly<Record<string, string>>) => void

/**
 * Makes a Git repository with these files, and those already in the folder, on main. The first commit to a branch
 * creates it from main.
 */
export function makeRepository(folder: string, files: Readonly<Record<string, string>>): Commit {
  mkdirSync(folder, { recursive: true })
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  const put = (changed: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(changed)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      writeFileSync(path.join(folder, name), text)
    }
    git('add', '.')
    git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-qm', 'Change')
  }
  git('init', '-q', '-b', 'main')
  put(files)
  return (branch, changed) => {
    const known = git('branch', '--list', branch) !== ''
    git('checkout', '-q', ...(known ? [branch] : ['-b', branch, 'main']))
    put(changed)
  }
}
