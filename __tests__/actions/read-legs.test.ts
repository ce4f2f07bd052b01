import { truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import AdmZip from 'adm-zip'
import { mergeLegs, type MergeWorld } from '../../src/actions/merge/merge.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { keptLog } from '../kept-log.js'
import { checked, green, merged } from '../publish/outcomes.js'
import { ownFolder } from '../own-folder.js'

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
