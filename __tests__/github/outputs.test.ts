import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import * as core from '@actions/core'
import { fileCommandPairs } from '../../sandbox/runner/file-command.js'
import { outputsOf as valuesOf } from '../../src/publish/publication.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { accepted, hostileAcceptance, huge } from '../publish/outcomes.js'
import { ownFolder } from '../own-folder.js'

const folder = ownFolder()
const file = path.join(folder, 'output')
const before = process.env['GITHUB_OUTPUT']
afterAll(() => {
  process.env['GITHUB_OUTPUT'] = before
})

function outputsOf(outcome: LoadTestOutcome): Map<string, string> {
  writeFileSync(file, '')
  process.env['GITHUB_OUTPUT'] = file
  for (const [name, value] of Object.entries(valuesOf(outcome, '/tmp/outcome.json')))
    core.setOutput(name, value)
  return new Map([...fileCommandPairs(readFileSync(file, 'utf8'))].map(({ name, value }) => [name, value]))
}

const long = 'x'.repeat(1_000_000)

test('what is longer than any real address or id is not set, and of a state only the beginning', () => {
  const { run, report } = accepted()
  if (!run || !report) throw new Error('the example has no run')
  const artifact = { name: long, url: `https://github.com/${long}`, id: 7 }
  const outputs = outputsOf({
    ...accepted(),
    run: { ...run, state: long, url: `https://loadtest.example.com/${long}` },
    report: { ...report, path: `/tmp/${long}`, artifact },
    archive: { id: long, sha512: long, bytes: 1, files: 1, name: 'suite.zip' },
  })
  const kept =
    'run-number state verdict headline report-artifact-id duration-seconds gates metrics acceptance outcome'
  expect([...outputs.keys()].sort()).toEqual([...kept.split(' '), 'report-number'].sort())
})

test('a state that looks like a command of the runner is broken up', () => {
  const { run } = accepted()
  if (!run) throw new Error('the example has no run')
  expect(outputsOf({ ...accepted(), run: { ...run, state: '::add-mask::x' } }).get('state')).toBe(
    ': :add-mask: :x',
  )
})

test('all outputs together are far from the 1 MiB that a job may have', () => {
  const { acceptance, comparison } = accepted()
  if (!acceptance || !comparison) throw new Error('the example was not accepted')
  const baseline = Object.fromEntries(Array.from({ length: 9999 }, (_, index) => [`p1.${index}`, 2]))
  const outcome: LoadTestOutcome = {
    ...huge(),
    verdict: 'accepted',
    acceptance: { ...acceptance, label: long, by: `"${long}`, role: '\u202e'.repeat(100_000), at: long },
    comparison: { ...comparison, rows: [{ kind: 'requests', presence: 'both', baseline }] },
  }
  const outputs = outputsOf(outcome)
  const json = ['acceptance', 'gates', 'metrics'].map((name) => outputs.get(name) ?? '')
  for (const text of json) {
    expect(text.length).toBeGreaterThan(2)
    expect(text.length).toBeLessThanOrEqual(100_000)
    expect(() => JSON.parse(text) as unknown).not.toThrow()
  }
  expect(readFileSync(file).length).toBeLessThan(300_000)
})

test('an acceptance that fits is as it was', () => {
  const outputs = outputsOf(hostileAcceptance())
  expect(Object.keys(JSON.parse(outputs.get('acceptance') ?? '') as object)).toHaveLength(6)
  const { acceptance } = accepted()
  expect(JSON.parse(outputsOf(accepted()).get('acceptance') ?? '')).toEqual(acceptance)
})

test('a run has an output for each of its facts, and none for what is unknown', () => {
  const { run, report, digest } = accepted()
  if (!run || !report) throw new Error('the example has no run')
  const artifact = { name: 'a', url: 'https://x.test/a', id: 7 }
  const outcome: LoadTestOutcome = {
    ...accepted(),
    run: { ...run, number: 5, url: 'https://x.test/5', state: 'FINISHED', durationSeconds: 60 },
    report: { ...report, number: 2, path: '/tmp/report', artifact },
    digest: { name: 'd', id: 8, ...digest, url: 'https://x.test/d' },
    archive: { id: 'ca-1', sha512: '5a', bytes: 1, files: 1, name: 'suite.zip' },
  }
  const texts = {
    ...{ 'run-number': '5', 'run-url': 'https://x.test/5', state: 'FINISHED', 'duration-seconds': '60' },
    ...{ 'report-number': '2', 'report-path': '/tmp/report' },
    ...{ 'report-artifact-id': '7', 'report-artifact-url': 'https://x.test/a' },
    ...{ 'digest-url': 'https://x.test/d', 'archive-id': 'ca-1', 'archive-sha512': '5a' },
    ...{ verdict: 'accepted', outcome: '/tmp/outcome.json' },
  }
  expect(Object.fromEntries(outputsOf(outcome))).toMatchObject(texts)
  const { figures, run: _run, report: _report, digest: _digest, archive: _archive, ...bare } = outcome
  const known = outputsOf(figures ? { ...bare, figures } : bare)
  expect(known.get('duration-seconds')).toBe(String(figures?.general.duration))
  for (const name of Object.keys(texts)) {
    expect([name, known.has(name)]).toEqual([name, ['verdict', 'outcome', 'duration-seconds'].includes(name)])
  }
})
