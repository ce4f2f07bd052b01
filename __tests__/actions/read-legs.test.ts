import { truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import AdmZip from 'adm-zip'
import {
  mergeLegs,
  legArtifacts,
  missingLegs,
  worstOf,
  type MergeWorld,
} from '../../src/actions/merge/merge.js'
import { verdicts, type LoadTestOutcome, type Leg } from '../../src/outcome/outcome.js'
import { keptLog } from '../kept-log.js'
import { checked, green, merged, leg, missingLeg, regression } from '../publish/outcomes.js'
import { ownFolder } from '../own-folder.js'
import { distinction, testedName } from '../../src/text/attempt-name.js'

/* What the legs of a matrix have attached, which may be anything: read in process, as the action merge does. */

const folder = ownFolder()

const workflowRunUrl = 'https://github.com/o/r/actions/runs/100'
const merge = { name: 'o', legs: [], needs: {} }

interface Left {
  bytes: string | Buffer
  /** As GitHub lists it. */
  size?: number
  /** What it really has, zeros behind the bytes. */
  real?: number
  isLast?: boolean
}

async function read(left: Readonly<Record<string, Left>>) {
  const downloaded: string[] = []
  const world: MergeWorld = {
    ...{ log: keptLog().log, signal: new AbortController().signal, step: { workflowRunUrl } },
    runArtifacts: async () =>
      Object.entries(left).map(([leg, { bytes, size = bytes.length, isLast = true }], id) => ({
        ...{ id, name: `o-${leg}-outcome.json`, size, isLast: () => isLast },
      })),
    runArtifact: async ({ name }) => {
      const leg = name.slice(2, -'-outcome.json'.length)
      downloaded.push(leg)
      const file = path.join(folder, leg)
      const { bytes = '', real = bytes.length } = left[leg] ?? {}
      writeFileSync(file, bytes)
      if (real > bytes.length) truncateSync(file, real)
      return file
    },
  }
  const { legs = [], verdict, reasons = [] } = await mergeLegs(merge, world)
  return { downloaded, legs, verdict, reasons }
}

const zip = (files: Record<string, string>) => {
  const archive = new AdmZip()
  for (const [name, text] of Object.entries(files)) archive.addFile(name, Buffer.from(text))
  return archive.toBuffer()
}
const text = (outcome: object) => JSON.stringify(outcome)
const deep = `{"x":${'['.repeat(1e5)}${']'.repeat(1e5)},`

test.each<[string, string | Buffer, string]>([
  ['text', 'to do', 'is not JSON'],
  [
    'odd figures',
    text({ ...green(), figures: { timers: 1 } }),
    'does not conform to docs/outcome.schema.json',
  ],
  ['endless depth', text(green()).replace('{', deep), 'is nested more than 100 levels deep'],
  ['another merge', text(merged()), 'is the merged outcome of a matrix'],
  ['a check', text(checked()), 'is the outcome of a step that judges no load test: check'],
  ['a bomb', zip({ 'a.json': ' '.repeat(51_000_000) }), 'is a ZIP that is not read'],
])('%s in place of an outcome is an error with a sentence, and the others count', async (_, bytes, why) => {
  const { legs, verdict, reasons } = await read({
    bad: { bytes },
    good: { bytes: zip({ 'o.json': text(green()) }) },
  })
  expect(legs.map((one) => [one.name, one.verdict])).toEqual([
    ['bad', 'error'],
    ['good', 'passed'],
  ])
  expect([legs[0]?.outcome, legs[0]?.fault]).toEqual([undefined, expect.stringContaining(why)])
  expect([verdict, reasons[0]?.text]).toEqual(['error', expect.stringMatching(/^bad: Its outcome could not/)])
})

test('one of more than 50 MB is not even fetched, nor any beyond 100 MB of all', async () => {
  const bytes = text(green())
  const { downloaded, legs } = await read({
    a: { bytes, size: 50_000_001 },
    b: { bytes, size: 0, real: 99_999_900 },
    c: { bytes },
  })
  expect(downloaded).toEqual(['b'])
  expect(legs.map(({ fault }) => fault)).toEqual([
    expect.stringContaining('has 50.0 MB, and at most 50.0 MB are read'),
    expect.stringContaining('MB'),
    expect.stringContaining('is not read: all outcomes together have more than 100.0 MB'),
  ])
})

test('a leg whose job ran again and died is an error, though what it left before is green', async () => {
  const bytes = text(green())
  const { downloaded, legs, verdict } = await read({ login: { bytes, isLast: false }, search: { bytes } })
  expect(downloaded).toEqual(['search'])
  expect([verdict, ...legs.map((one) => one.verdict)]).toEqual(['error', 'error', 'passed'])
  expect(legs[0]?.fault).toContain('The outcome that is there is of an earlier attempt')
})

test('links lead to this GitHub, those to artifacts to this workflow run, and no other stays', async () => {
  const linked = (url: string, artifact: string): LoadTestOutcome => ({
    ...green(),
    digest: { name: 'd', id: 5, url: artifact },
    run: { number: 17, state: 'FINISHED', url },
    report: { path: 'r', bytes: 1, ending: '.zip', given: { name: 'g', url } },
  })
  const own = linked('https://github.com/o/r/x', `${workflowRunUrl}/artifacts/5`)
  const foreign = linked('https://elsewhere.example/run', 'https://github.com/o/other/runs/1/artifacts/5')
  const { legs } = await read({ foreign: { bytes: text(foreign) }, own: { bytes: text(own) } })
  expect(
    legs.map(({ outcome }) => [outcome?.digest?.url, outcome?.run?.url, outcome?.report?.given?.url]),
  ).toEqual([
    [undefined, undefined, undefined],
    [`${workflowRunUrl}/artifacts/5`, 'https://github.com/o/r/x', 'https://github.com/o/r/x'],
  ])
})

test('without any leg it is an error that says how they are named', async () => {
  const { verdict, reasons } = await read({})
  expect([verdict, reasons.map((one) => one.text)]).toEqual([
    'error',
    [expect.stringContaining('No artifact of this workflow run is named o-*-outcome')],
  ])
})

const legsOf = (...names: string[]) =>
  legArtifacts(
    names.map((name, id) => ({ id, name, size: 1 })),
    'o',
  ).map(({ leg, artifact }) => `${leg}=${artifact.id}`)

test('a leg is named by what stands between the name of the step and -outcome, with or without an extension', () => {
  expect(legsOf('o-search-outcome.json', 'o-search-report.tar.gz', 'o-login-outcome')).toEqual([
    'login=2',
    'search=0',
  ])
})

test('other artifacts are of no leg', () => {
  expect(legsOf('o-outcome.json', 'o--outcome', 'p-a-outcome', 'oo-a-outcome', 'o-a-outcomes')).toEqual([])
})

test('the newest artifact of a name counts, even that of a later attempt whose name was taken', () => {
  expect(legsOf('o-a-outcome', 'o-b-outcome', 'o-a-outcome')).toEqual(['a=2', 'b=1'])
  expect(legsOf('o-a-outcome.json', 'o-a-outcome-run-17-attempt-2.json')).toEqual(['a=1'])
  expect(
    legsOf('o-a-outcome', 'o-a-outcome-fast-outcome', 'o-a-outcome-fast-outcome-run-17-attempt-2'),
  ).toEqual(['a=0', 'a-outcome-fast=2'])
})

test.each([
  [17, undefined, 1],
  [undefined, undefined, 1],
  [undefined, 'load-test-report.tar.gz of workflow run 12', 1],
  [17, undefined, 256],
  [undefined, 'x'.repeat(70), 2],
])('a later attempt is what the step has named like that: run %s, report %s, try %s', (run, report, nth) => {
  const later = `o-a-outcome-${distinction(testedName(run, report), '12', nth)}.json`
  expect(legsOf('o-a-outcome.json', later)).toEqual(['a=1'])
})

test.each([
  ...['retry-attempt-2', 'attempt-2', 'run-attempt-2', 'run-17a-attempt-2', 'run-17-attempt-2a'],
  ...['run-17-attempt-0', 'rerun-17-attempt-2', 'merged-attempt-2'],
])('what only looks like a later attempt is none: o-a-outcome-%s', (rest) => {
  expect(legsOf('o-a-outcome.json', `o-a-outcome-${rest}.json`)).toEqual(['a=0'])
})

test('what this job attached, in this attempt or an earlier one, is not a leg', () => {
  expect(legsOf('o-a-outcome', 'o-outcome.json', 'o-outcome-merged-attempt-2.json')).toEqual(['a=0'])
})

test('an artifact whose name only a lost try has taken is that of its leg, unless several could be', () => {
  expect(legsOf('o-a-outcome-run-17-attempt-1.json', 'o-b-outcome')).toEqual(['a=0', 'b=1'])
  expect(legsOf('o-a-outcome-run-17-attempt-2.json', 'o-a-b-outcome')).toEqual(['a=0', 'a-b=1'])
  expect(legsOf('o-a-outcome-run-17-attempt-1', 'o-a-outcome-run-18-attempt-1')).toEqual([
    'a-run-17-attempt-1=0',
    'a-run-18-attempt-1=1',
  ])
})

test('a second and a third step of one name are legs of their own, whatever became of the first', () => {
  const report = 'run-of-report.json'
  expect(
    legsOf('o-a-outcome', `o-a-outcome-${report}-attempt-1`, `o-a-outcome-${report}-2-attempt-1.json`),
  ).toEqual(['a=0', `a-${report}-2-attempt-1=2`, `a-${report}-attempt-1=1`])
  expect(legsOf('o-outcome', `o-outcome-${report}-attempt-1`)).toEqual([])
})

const nothing = { legs: [], needs: {} }
const place = (index: number, total: number, job = 'load-test') => ({ job, index, total })
const names = (legs: Leg[]) => legs.map(({ name }) => name)

test('a listed leg without an outcome is an error with its name', () => {
  const found = [leg('search', green()), leg('extra', green())]
  expect(missingLegs(found, { legs: ['search', 'login'], needs: {} })).toEqual([
    { name: 'login', verdict: 'error', fault: expect.stringContaining('left no outcome') as string },
  ])
})

test('without a list, the outcomes say how many legs their matrix has', () => {
  const found = [
    leg('a', green(), place(0, 3)),
    leg('b', green(), place(2, 3)),
    leg('c', green(), place(0, 1, 'other')),
  ]
  expect(names(missingLegs(found, nothing))).toEqual(['load-test, leg 2 of 3'])
  expect(missingLegs(found, { legs: ['a', 'b', 'c'], needs: {} })).toEqual([])
})

test('an outcome cannot ask for more legs than a matrix has', () => {
  expect(missingLegs([leg('a', green(), place(0, 999))], nothing)).toHaveLength(255)
})

describe('a needed job that failed', () => {
  const failed = (found: Leg[]) =>
    names(missingLegs(found, { legs: [], needs: { 'load-test': 'failure', build: 'success' } }))

  test('is an error if all that was found of it is green', () => {
    expect(failed([leg('a', green())])).toEqual(['load-test'])
    expect(failed([])).toEqual(['load-test'])
    expect(failed([leg('a', green()), leg('b', regression(), place(0, 1, 'build'))])).toEqual(['load-test'])
  })

  test('is explained by a red leg, or by a missing one', () => {
    expect(failed([leg('a', regression())])).toEqual([])
    expect(failed([missingLeg('a')])).toEqual([])
    // Of a reusable workflow, whose own job has another name than the one that calls it.
    expect(failed([leg('a', regression(), place(0, 1, 'called'))])).toEqual([])
  })

  test('does not include a job that was skipped', () => {
    expect(missingLegs([leg('a', green())], { legs: [], needs: { 'load-test': 'skipped' } })).toEqual([])
  })
})

test('the worst verdict is the verdict of all, in any order', () => {
  const of = (...all: Leg['verdict'][]) => worstOf(all.map((verdict) => ({ name: 'x', verdict })))
  for (const [index, verdict] of verdicts.entries()) {
    for (const better of verdicts.slice(0, index)) {
      expect([of(verdict, better), of(better, verdict)]).toEqual([verdict, verdict])
    }
  }
  expect(of('invalid', 'failed', 'accepted')).toBe('failed')
  expect(of('started', 'passed')).toBe('started')
  expect(of()).toBe('error')
})
