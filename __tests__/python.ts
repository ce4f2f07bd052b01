import { execFileSync } from 'node:child_process'

let program: string | undefined

/**
 * Path of Python 3, the judge that is independent of this project. The name itself may be a script of a version
 * manager, which takes eight times as long as the program that it finds.
 */
export function python3(): string {
  program ??= execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).trim()
  return program
}
