import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { keptLog } from '../kept-log.js'
import { ownGithub } from './own-github.js'

/** A GitHub for the tests of a file, with a folder and a log; it forgets its runs before each. */
export async function privateGithub(name: string) {
  const { log, lines } = keptLog()
  const github = await ownGithub({ settings: { private: true } })
  let folder: string
  beforeEach(() => {
    github.store.runs.length = 0
    github.store.artifacts.length = 0
    github.store.missing.clear()
    folder = mkdtempSync(path.join(tmpdir(), `${name}-`))
    lines.length = 0
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  return {
    ...{ github, log, lines },
    get folder() {
      return folder
    },
  }
}
