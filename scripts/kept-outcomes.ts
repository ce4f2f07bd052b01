import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Outcome } from '../src/outcome/outcome.js'

/** The outcomes of real steps that are kept beside the pictures made of them. */

export const pictures = fileURLToPath(new URL('../docs/pictures/', import.meta.url))

/** An outcome file without the addresses and folders of this machine, which do not belong in the repository. */
export function withoutMachine(written: string): string {
  return written
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://loadtest.example.com')
    .replaceAll(/"path": ?"[^"]*\/([^"/]+)"/g, '"path":"/home/runner/work/_temp/$1"')
}

/** What a first week of steps is kept of: its days, as docs/gates.md tells them. */
export type Day = 'monday' | 'thursday' | 'tried' | 'friday' | 'guarded'
export type Week = Record<Day, Outcome>

export async function keptWeek(): Promise<Week> {
  const parsed: unknown = JSON.parse(await readFile(path.join(pictures, 'week.json'), 'utf8'))
  if (!isWeek(parsed)) throw new Error('docs/pictures/week.json has no week.')
  return parsed
}

const days = ['monday', 'thursday', 'tried', 'friday', 'guarded'] as const satisfies readonly Day[]

export function isWeek(value: unknown): value is Week {
  return typeof value === 'object' && value !== null && days.every((day) => day in value)
}
