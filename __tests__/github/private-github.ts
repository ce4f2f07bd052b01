import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { keptLog } from '../kept-log.js'

/** A GitHub for the tests of a file, with a folder and a log; it forgets its runs before each. */
export function privateGithub(name: string) {
  const { log, lines } = keptLog()
  let github: Github
  let folder: string
  beforeAll(async () => {
    github = await startGithub({ settings: { private: true } })
  })
  beforeEach(() => {
    github.store.runs.length = 0
    github.store.artifacts.length = 0
    github.store.missing.clear()
    folder = mkdtempSync(path.join(tmpdir(), `${name}-`))
    lines.length = 0
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  afterAll(() => github.close())
  return {
    log,
    lines,
    get github() {
      return github
    },
    get folder() {
      return folder
    },
  }
}
