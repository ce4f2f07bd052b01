import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A Git repository with these files on main, and the branches `code` and `words`, which change one file each. */
export function makeRepository(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' })
  const commit = (changed: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(changed)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      writeFileSync(path.join(folder, name), text)
    }
    git('add', '.')
    git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-qm', 'Change')
  }
  git('init', '-q', '-b', 'main')
  commit(files)
  git('checkout', '-q', '-b', 'code', 'main')
  commit({ 'src/b.ts': 'export const changed = 1\n' })
  git('checkout', '-q', '-b', 'words', 'main')
  commit({ 'docs/a.md': 'B\n' })
}
