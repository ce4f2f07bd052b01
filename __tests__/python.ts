import { execFileSync } from 'node:child_process'

let program: string | undefined

/**
 * Path of Python 3, a judge independent of this project. The command may be a version manager's script, which takes
 * eight times as long as the real program.
 */
export function python3(): string {
  program ??= execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).trim()
  return program
}
