import { deepStrictEqual } from 'node:assert'
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeRepository } from '../__tests__/repository.js'
import { startSandbox, type Sandbox } from '../__tests__/step/sandbox.js'
import type { Trial } from './trial.js'
import { nodeOnWindows, onWindows } from './wine.js'

/** The step on Node for Windows, under Wine. */
export async function windows(): Promise<Trial[]> {
  const node = await nodeOnWindows()
  // One after the other: several Wines at a time wait for each other.
  let turn = Promise.resolve()
  const trial = (what: string, use: (sandbox: Sandbox, node: string) => Promise<void>): Trial => ({
    what,
    try: () => (turn = turn.catch(() => undefined).then(() => inSandbox(use))),
  })
  const inSandbox = async (use: (sandbox: Sandbox, node: string) => Promise<void>): Promise<void> => {
    const sandbox = await startSandbox()
    await use(sandbox, node).finally(() => sandbox.close())
  }
  return [
    trial('a report is judged, by gates with CRLF, at a path with backslashes or a drive letter', judged),
    trial('a whole run, with its post step, from a checkout without links and exec bits', wholeRun),
  ]
}

const golden = '__tests__/engine/golden/10.0.0-beta-1/normal'

async function judged(sandbox: Sandbox, node: string): Promise<void> {
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
      job: { node },
      withPost: true,
    })
    deepStrictEqual(
      [conclusion, outputs['verdict'], post.map((one) => one.conclusion)],
      ['success', 'passed', ['success']],
    )
    deepStrictEqual(outputs['outcome']?.slice(0, 3), 'Z:\\')
  }
}

const long = `${'deep-folder-with-a-name/'.repeat(10)}${'long-'.repeat(40)}.txt`

const programs = ['mvnw', 'tools/run.sh']

/** Devices to older programs, a dot that Windows drops, and two names that are one to it. */
const awkward = ['aux', 'nul.txt', 'con.properties', 'com1', 'trailing.', 'Read.me', 'read.me']

/**
 * A suite in a Git repository: a wrapper that runs, a link, CRLF, names in many letters and awkward ones, a path longer
 * than 260. @returns its commit
 */
function commitSuite(folder: string): string {
  const commit = makeRepository(folder, {
    'pom.xml': '<project/>\n',
    mvnw: '#!/bin/sh\n',
    'tools/run.sh': '#!/bin/sh\r\n',
    'config/project.properties': 'loadtests = TBrowse\r\nkept = CRLF\r\n',
    'src/Größe/文 Ünïcode.txt': 'ä\n',
    [long]: 'far down\n',
    ...Object.fromEntries(awkward.map((name) => [name, `${name}\n`])),
  })
  for (const name of programs) chmodSync(path.join(folder, name), 0o755)
  symlinkSync('../config/project.properties', path.join(folder, 'src/linked.properties'))
  commit('main', {})
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim()
}

async function wholeRun(sandbox: Sandbox, node: string): Promise<void> {
  const suite = path.join(sandbox.workspace, 'linux/suite')
  const checkout = path.join(sandbox.workspace, 'windows/suite')
  const sha = commitSuite(suite)
  // What Git for Windows checks out of it: no links, no exec bits.
  const settings = ['-c', 'core.symlinks=false', '-c', 'core.filemode=false']
  execFileSync('git', ['clone', '-q', ...settings, suite, checkout])
  for (const name of programs) chmodSync(path.join(checkout, name), 0o644)
  const inputs = {
    gates: 'transactions error-rate <= 100 %\r\n',
    properties: 'webshop.url = https://pr-7.example.com\r\nsecond = 2',
  }
  const onLinux = await sandbox.run(inputs, { job: { workspace: suite, github: { sha } } })
  const here = { workspace: checkout, node, github: { sha } }
  const { conclusion, outputs, post, summary, log } = await sandbox.run(inputs, { job: here, withPost: true })
  if (conclusion !== 'success') throw new Error(log)
  deepStrictEqual(
    [onLinux.conclusion, outputs['verdict'], post.map((one) => one.conclusion)],
    ['success', 'passed', ['success']],
  )
  deepStrictEqual(Object.keys(outputs).toSorted(), Object.keys(onLinux.outputs).toSorted())
  deepStrictEqual([...summary.matchAll(/\r/g)].length, 0)
  const [fromLinux, fromWindows] = sandbox.uploads().map(({ sha512 }) => sha512)
  deepStrictEqual(fromWindows, fromLinux)
  const attached = sandbox.github.store.artifacts.map(({ name }) => name)
  deepStrictEqual(attached.filter((name) => name === 'load-test-outcome.json').length, 2)
}
