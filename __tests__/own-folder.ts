import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A folder for the tests of a file, gone after the last. */
export function ownFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tests-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
