import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import AdmZip from 'adm-zip'
import type { EngineSettings } from '../../sandbox/engine/engine.js'
import { EngineWork } from '../../sandbox/engine/work.js'

/** What a run does before the engine starts: real builds with the suite's own wrapper. */
let folder: string
let closing: AbortController
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'work-'))
  closing = new AbortController()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const lines: string[] = []
const settings: EngineSettings = {
  javaHome: '/nowhere/jdk',
  maven: '/nowhere/mvn',
  releases: {},
  agentControllers: [],
  charts: false,
  onLine: (line) => lines.push(line),
}

/** Builds a suite with this wrapper; empty = without one. */
function work(wrapper: string, before = Promise.resolve(), tool = maven): EngineWork {
  const zip = new AdmZip()
  zip.addFile(`suite/${tool.file}`, Buffer.from('<project/>'))
  if (wrapper !== '') zip.addFile(`suite/${tool.wrapper}`, Buffer.from(`#!/bin/sh\n${wrapper}\n`))
  const codeArchive = path.join(folder, 'suite.zip')
  writeFileSync(codeArchive, zip.toBuffer())
  const release = { version: '9.9.9', home: '/nowhere/engine' }
  const order = {
    settings,
    release,
    codeArchive,
    folder: path.join(folder, 'run'),
    properties: {},
    now: () => 1000,
  }
  return new EngineWork(order, before, closing.signal)
}

const maven = { file: 'pom.xml', wrapper: 'mvnw' }

async function ended(run: EngineWork) {
  await run.done
  return run.state()
}

test('a build that fails ends the run in ERROR, with its last lines as the reason', async () => {
  const run = work('echo "[ERROR] Shop.java:[7,3] cannot find symbol" >&2; echo "BUILD FAILURE"; exit 1')
  expect(await ended(run)).toEqual({
    state: 'ERROR',
    startTime: 1000,
    endTime: 1000,
    message: expect.stringMatching(
      /^The test suite could not be built\. The last lines of the build:\n(?=.*BUILD FAILURE)(?=.*cannot find symbol)/s,
    ) as string,
  })
  expect(run.report).toBeUndefined()
  expect(lines).toContain('build | BUILD FAILURE')
})

test('the build gets the goals of the service, and no secret of the environment', async () => {
  process.env['SANDBOX_TEST_SECRET'] = 'do-not-tell'
  try {
    await ended(work(`echo "$@" > '${folder}/goals'; env > '${folder}/env'; exit 1`))
  } finally {
    delete process.env['SANDBOX_TEST_SECRET']
  }
  expect(readFileSync(path.join(folder, 'goals'), 'utf8').trim()).toBe(
    '--batch-mode -Dstyle.color=never --no-transfer-progress process-classes process-test-classes dependency:copy-dependencies -DexcludeScope=provided',
  )
  const environment = readFileSync(path.join(folder, 'env'), 'utf8')
  expect(environment).toContain('JAVA_HOME=/nowhere/jdk\n')
  expect(environment).not.toContain('do-not-tell')
})

test('when the sandbox ends, the whole process tree of the build is ended', async () => {
  const pids = path.join(folder, 'pids')
  const run = work(`sleep 600 & echo "$! $$" > '${pids}.new'; mv '${pids}.new' '${pids}'; wait`)
  while (!existsSync(pids)) await pause(10)
  const started = readFileSync(pids, 'utf8').trim().split(' ').map(Number)
  expect(started).toHaveLength(2)
  expect(run.state().state).toBe('STARTING')
  closing.abort()
  expect(await ended(run)).toMatchObject({ state: 'ERROR' })
  while (started.some(isAlive)) await pause(10)
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A process that has ended and was not waited for yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
