import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { equal, type Trial } from './trial.js'
import { onWindows, programsForWine, startWindows, type Windows } from './wine.js'
import { startSandbox, type Sandbox } from '../__tests__/step/sandbox.js'

/** The step on Node for Windows, under Wine. */
export async function windows(): Promise<Trial[]> {
  const programs = await programsForWine()
  // One after the other: several Wines at a time wait for each other.
  let turn = Promise.resolve()
  const trial = (what: string, use: (world: World) => Promise<void>): Trial => ({
    what,
    try: () => (turn = turn.catch(() => undefined).then(() => inWorld(use))),
  })
  const inWorld = async (use: (world: World) => Promise<void>): Promise<void> => {
    const machine = await startWindows(programs)
    const sandbox = await startSandbox()
    const folder = mkdtempSync(path.join(tmpdir(), 'windows-'))
    try {
      await use({ machine, sandbox, folder })
    } finally {
      machine.close()
      await sandbox.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return [
    trial('a report is judged, by gates with CRLF, at a path with backslashes or a drive letter', judged),
    trial('a whole run, with its post step, from a checkout without links and exec bits', wholeRun),
  ]
}

interface World {
  machine: Windows
  sandbox: Sandbox
  /** Of this trial alone. */
  folder: string
}

const golden = '__tests__/engine/golden/10.0.0-beta-1/normal'

async function judged({ machine, sandbox }: World): Promise<void> {
  const report = path.join(sandbox.workspace, 'results/20261121-1200')
  for (const name of ['testreport.xml', 'scorecard.xml'])
    cpSync(path.join(golden, name), path.join(report, name))
  writeFileSync(path.join(report, 'index.html'), '<!doctype html>\n')
  writeFileSync(path.join(sandbox.workspace, 'gates.yml'), 'gates:\r\n  - requests p95 <= 10 s\r\n')
  const lines = '# all of it\r\ntransactions error-rate <= 1 %\r\n'
  for (const [given, gates] of [
    ['results\\20261121-1200', lines],
    ['results/20261121-1200', 'gates.yml'],
    [onWindows(report), '.\\gates.yml'],
  ] as const) {
    const inputs = { report: given, gates }
    const { conclusion, outputs, post } = await sandbox.runOwn('judge', inputs, {
      job: { node: machine.node },
      withPost: true,
    })
    equal(
      [conclusion, outputs['verdict'], post.map((one) => one.conclusion)],
      ['success', 'passed', ['success']],
    )
    equal(outputs['outcome']?.slice(0, 3), 'Z:\\')
  }
}

const long = `${'deep-folder-with-a-name/'.repeat(10)}${'long-'.repeat(40)}.txt`

/** Devices to older programs, a dot that Windows drops, and two names that are one to it. */
const awkward = ['aux', 'nul.txt', 'con.properties', 'com1', 'trailing.', 'Read.me', 'read.me']

/**
 * A suite in a Git repository: a wrapper that runs, a link, CRLF, names in many letters and awkward ones, a path longer
 * than 260.
 */
function commitSuite(folder: string): void {
  const files: Record<string, string> = {
    'pom.xml': '<project/>\n',
    mvnw: '#!/bin/sh\n',
    'tools/run.sh': '#!/bin/sh\r\n',
    'config/project.properties': 'loadtests = TBrowse\r\nkept = CRLF\r\n',
    'src/Größe/文 Ünïcode.txt': 'ä\n',
    [long]: 'far down\n',
    ...Object.fromEntries(awkward.map((name) => [name, `${name}\n`])),
  }
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  chmodSync(path.join(folder, 'mvnw'), 0o755)
  chmodSync(path.join(folder, 'tools/run.sh'), 0o755)
  symlinkSync('../config/project.properties', path.join(folder, 'src/linked.properties'))
  git(folder, 'init', '-q', '-b', 'main')
  git(folder, 'add', '.')
  git(folder, '-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-qm', 'suite')
}

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'core.autocrlf=false', ...args], { cwd: folder, encoding: 'utf8' }).trim()
}

/** What Git for Windows checks out of it: no links, no exec bits. */
function checkOut(origin: string, folder: string): void {
  git(origin, 'clone', '-q', '-c', 'core.symlinks=false', '-c', 'core.filemode=false', origin, folder)
  for (const name of ['mvnw', 'tools/run.sh']) chmodSync(path.join(folder, name), 0o644)
}

async function wholeRun({ machine, sandbox, folder }: World): Promise<void> {
  const suite = path.join(folder, 'suite')
  const checkout = path.join(folder, 'windows', 'suite')
  commitSuite(suite)
  checkOut(suite, checkout)
  const sha = git(suite, 'rev-parse', 'HEAD')
  const inputs = {
    gates: 'transactions error-rate <= 100 %\r\n',
    properties: 'webshop.url = https://pr-7.example.com\r\nsecond = 2',
  }
  const onLinux = await sandbox.run(inputs, { job: { workspace: suite, github: { sha } } })
  const here = { workspace: checkout, node: machine.node, github: { sha } }
  const { conclusion, outputs, post, summary, log } = await sandbox.run(inputs, { job: here, withPost: true })
  if (conclusion !== 'success') throw new Error(log)
  equal(
    [onLinux.conclusion, outputs['verdict'], post.map((one) => one.conclusion)],
    ['success', 'passed', ['success']],
  )
  equal(Object.keys(outputs).toSorted(), Object.keys(onLinux.outputs).toSorted())
  equal([...summary.matchAll(/\r/g)].length, 0)
  const [fromLinux, fromWindows] = sandbox.uploads().map(({ sha512 }) => sha512)
  equal(fromWindows, fromLinux)
  const attached = sandbox.github.store.artifacts.map(({ name }) => name)
  equal(attached.filter((name) => name === 'load-test-outcome.json').length, 2)
}
