import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  findBaseline,
  lacksBaseline,
  loadBaseline,
  unmeasurable,
  type BaselineCandidate,
  type BaselineWorld,
  type EarlierOutcomes,
} from '../../src/baseline/baseline.js'
import { parseGates } from '../../src/language/language.js'
import { earlierRun, parseOutcome } from '../../src/outcome/outcome-file.js'
import type { Client } from '../../src/service/service.js'
import { answered, calls, fakeService } from '../fake-service.js'
import { keptLog } from '../kept-log.js'
import { regression, report } from '../publish/outcomes.js'
import { withoutFigures } from '../told.js'
import { tarGzOf } from '../unpack/archives.js'
import { arrived } from '../service/arrived.js'
import { ownFolder } from '../own-folder.js'
import { readBaselineSources, useOfRuns } from '../../src/baseline/source.js'

const { log, lines } = keptLog()
const folder = ownFolder()
beforeEach(() => void (lines.length = 0))

const world = (more: Partial<BaselineWorld> = {}): BaselineWorld => ({
  earlierOutcomes: () => Promise.resolve(found([])),
  ...{ log, signal: new AbortController().signal, timeout: 60_000, temp: folder, workspace: folder },
  ...more,
})

/** An earlier run of main that left this outcome. */
function candidate(number: number, more: object = {}): BaselineCandidate {
  const outcome = earlierRun(parseOutcome(JSON.stringify({ ...regression(), ...more })))
  if (!outcome) throw new Error('It has no figures.')
  return { ...{ outcome, branch: 'main', commit: `${number}`.repeat(40) }, url: `https://x.test/${number}` }
}

function found(numbers: readonly number[], more: Partial<EarlierOutcomes> = {}): EarlierOutcomes {
  const outcomes = numbers.map((number) => candidate(number))
  return { outcomes, reds: [], unread: [], own: { branch: 'main', first: 'branch' }, ...more }
}

const faults = (count: number) => Array.from({ length: count }, (_, at) => `Run ${at} is left out.`)

const [latest, isNew] = ['the latest run of main', 'new-baseline']
const readWhy = /^Read in the notes why\. If this change/
const tooFew = ['1 of 3 baseline runs']

const own = { branch: 'main' }

test.each<[string, EarlierOutcomes, (string | undefined)[], number, RegExp | undefined, string[]]>([
  ['none', found([]), [undefined, 'first-run'], 0, undefined, []],
  ['none, elsewhere', found([], { own }), [], 0, /^Let this workflow run on main first/, []],
  ['one', found([1]), [latest, isNew], 0, undefined, tooFew],
  ['one, elsewhere', found([1], { own }), [latest], 0, readWhy, tooFew],
  ['as many as wanted', found([1, 2, 3]), ['3 runs of main', isNew], 0, undefined, []],
  ['none that can be read', found([], { unread: faults(1) }), [], 1, /none that can be used/, []],
  ['one, and ten that cannot be', found([1], { unread: faults(10) }), [latest, isNew], 10, undefined, tooFew],
])('artifact: %s', async (_, earlier, [name, first], notes, advice, said) => {
  const earlierOutcomes = () => Promise.resolve(earlier)
  const { runs, ...told } = await loadBaseline([{ kind: 'artifact', runs: 3 }], world({ earlierOutcomes }))
  expect([runs?.info.name, told.first?.unfit]).toEqual([name, first])
  expect(told.notes).toHaveLength(notes)
  expect(told.advice).toEqual(advice ? [expect.stringMatching(advice)] : [])
  expect(lines).toEqual(said.map((line): unknown => expect.stringContaining(line)))
})

test.each([
  ['requests p95 <= baseline + 10%', {}, true],
  ['requests p95 <= baseline + 10%', { first: { unfit: 'first-run', reason: '' } as const }, false],
  ['warn: requests p95 <= baseline + 10%', {}, false],
  ['requests p95 <= 1 s', {}, false],
])('%s can be measured without earlier runs: %j', (text, about, lacks) => {
  const { gates } = parseGates(text)
  expect(lacksBaseline({ gates }, about)).toBe(lacks)
  const runs = { reports: [], origins: [], info: { name: 'main', runs: 1 } }
  expect(lacksBaseline({ gates }, { ...about, runs })).toBe(false)
})

test('artifact: of more than ten that cannot be read the others are counted', async () => {
  const earlierOutcomes = () => Promise.resolve(found([1], { unread: faults(12) }))
  const { notes } = await loadBaseline([{ kind: 'artifact', runs: 1 }], world({ earlierOutcomes }))
  expect(notes).toEqual([...faults(10), '2 more outcomes could not be read and are left out.'])
})

test.each([
  [['main'], 'Did you mean main?'],
  [['trunk'], 'Correct its name.'],
])('artifact: a branch that is not there, beside %j', async (branches, hint) => {
  const earlierOutcomes = () => Promise.resolve(found([], { branches, own: { branch: 'mian' } }))
  await expect(loadBaseline([{ kind: 'artifact', runs: 1 }], world({ earlierOutcomes }))).rejects.toThrow(
    `baseline-branch is "mian", but this repository has no such branch. ${hint}`,
  )
})

const golden = '__tests__/engine/golden/10.0.0-beta-1/normal/testreport.xml'
const put = (name: string, text: string) => {
  writeFileSync(path.join(folder, name), text)
  return { kind: 'path' as const, path: path.join(folder, name) }
}
const shopRun = (more: object = {}) => JSON.stringify({ ...regression(), ...more })

test('a path: a report by its name, an outcome with what is known of it, and that of this workflow run as the base', async () => {
  cpSync(golden, path.join(folder, 'testreport.xml'))
  const ofReport = await loadBaseline([{ kind: 'path', path: path.join(folder, 'testreport.xml') }], world())
  expect(ofReport).toMatchObject({ notes: [], advice: [], runs: { origins: [{ name: 'testreport.xml' }] } })
  expect(ofReport.runs?.origins[0]).not.toHaveProperty('template')
  const { step } = regression()
  const outcome = put('outcome.json', shopRun({ run: undefined }))
  const own = { step: { workflowRunUrl: step.workflowRunUrl ?? '' } }
  for (const [more, info] of [
    [{}, { name: 'outcome.json', runs: 1 }],
    [{ step: { workflowRunUrl: 'https://x.test/other' } }, { name: 'outcome.json', runs: 1 }],
    [own, { name: 'the base', runs: 1, commit: step.commit }],
  ] as const) {
    const { runs } = await loadBaseline([outcome], world(more))
    expect(runs?.info).toEqual(info)
    expect(runs?.origins).toMatchObject([{ verdict: 'failed', template: 'unknown' }])
  }
  const elsewhere = put('elsewhere.json', shopRun({ step: { ...step, workflowRunUrl: undefined } }))
  expect((await loadBaseline([elsewhere], world({ step: {} }))).runs?.info.name).toBe('elsewhere.json')
})

test.each([
  ['no figures', withoutFigures, /"a\.json".* The baseline a\.json contains no figures\. Name the outcome/],
  ['another verdict', shopRun({ verdict: 'error' }), /a\.json has the verdict error\. Name the outcome/],
  ['another format', '{"format": 2, "verdict": "passed"}', /is an outcome file in another format\. Name/],
  ['something else', 'words', /^baseline is "a\.json", which cannot be used\. /],
])('a path to a file with %s', async (_, text, sentence) => {
  await expect(loadBaseline([put('a.json', text)], world())).rejects.toThrow(sentence)
})

test('several sources: their runs have the same weight, and one that has none yet is skipped', async () => {
  const sources = [put('a.json', shopRun()), { kind: 'artifact' as const, runs: 1 }]
  const alone = await loadBaseline(sources, world())
  expect(alone.runs?.info.name).toBe('a.json')
  expect([alone.first?.unfit, alone.advice]).toEqual(['first-run', []])
  const known = { isNewLevel: true, runNoise: { 'requests p95': 4 }, template: 'nightly' } as const
  const knowing = ({ outcome, ...one }: BaselineCandidate, more: object) => ({
    ...one,
    outcome: { ...outcome, ...more },
  })
  const reds = [candidate(2), knowing(candidate(3), { tooManyErrors: true })]
  const outcomes = [knowing(candidate(1), known), knowing(candidate(4), { template: undefined })]
  const earlierOutcomes = () => Promise.resolve({ ...found([]), outcomes, reds, unread: faults(1) })
  const both = await loadBaseline(sources, world({ earlierOutcomes }))
  expect(both.runs?.info).toEqual({ name: '3 runs: a.json, 2 runs of main', runs: 3 })
  const { report } = candidate(1).outcome
  expect(both.runs).toMatchObject({ reports: [report, report, report], reds: [report] })
  const [commit, page] = ['1'.repeat(40), 'https://x.test/1']
  expect(both.runs?.origins).toMatchObject([
    { name: 'a.json' },
    { ...known, verdict: 'failed', name: '1111111', page, commit },
    { template: 'unknown', name: '4444444' },
  ])
  expect(both.notes).toEqual(faults(1))
  expect((await loadBaseline(sources.slice(1), world())).runs).toBeUndefined()
})

type Open = Client['open']

/** A service whose downloads are these; a status is a refusal. */
function service(answers: Partial<Record<Parameters<Open>[0]['kind'], Buffer | number>>) {
  const open: Open = async ({ kind }) => {
    const answer = answers[kind] ?? 404
    if (typeof answer === 'number') throw answered(answer)
    const body = arrived(answer)
    const bytes = async function* () {
      yield answer
    }
    return { ...{ operation: calls.report(17, 1), body, from: 0, close: () => undefined }, bytes }
  }
  const reports = [{ number: 2, label: 'nightly' }]
  const details = () => Promise.resolve({ number: 17, page: 'https://x.test/17', startTime: 1000, reports })
  return fakeService({ open, details })
}

const xml = '<testreport><general><duration>60</duration></general></testreport>'
const info = { name: 'load test 17', runs: 1, label: 'nightly', url: 'https://x.test/17' }

test('load-test:NUMBER: its latest report', async () => {
  const { client, asked } = service({ report: await tarGzOf([['r/testreport.xml', xml]]) })
  const { runs } = await loadBaseline([{ kind: 'load-test', number: 17 }], world({ client }))
  expect(runs?.info).toEqual({ ...info, startTime: '1970-01-01T00:00:01.000Z' })
  expect(runs?.reports).toMatchObject([{ general: { duration: 60 } }])
  expect(asked).toEqual(['details 17', 'open'])
})

test('load-test:NUMBER without a token, without a report, and one that takes too long', async () => {
  const source = { kind: 'load-test', number: 17 } as const
  await expect(loadBaseline([source], world())).rejects.toThrow(
    'load test 17, cannot be read without a token',
  )
  const { client } = service({ report: Buffer.from('no archive') })
  await expect(loadBaseline([source], world({ client }))).rejects.toThrow('neither a .tar.gz nor a .zip')
  const details: Client['details'] = async (_, signal) => {
    signal?.throwIfAborted()
    return new Promise((__, no) => signal?.addEventListener('abort', () => no(new Error('ended'))))
  }
  const { client: slow } = fakeService({ details })
  await expect(loadBaseline([source], world({ client: slow, timeout: 20 }))).rejects.toThrow(
    'The report of load test 17, the baseline, was not completely downloaded within',
  )
  const signal = AbortSignal.abort(new Error('cancelled'))
  await expect(loadBaseline([source], world({ client: slow, signal, timeout: 20 }))).rejects.toThrow(
    'cancelled',
  )
})

test('the log names the baseline, or says that there is none', async () => {
  expect(await findBaseline(undefined, world())).toBeUndefined()
  await findBaseline([put('a.json', shopRun())], world())
  await findBaseline([{ kind: 'artifact', runs: 1 }], world())
  expect(lines).toEqual(['The baseline is a.json', 'There is no baseline yet'])
})

const askedFor = (percentile: string) => ({ all: [percentile], isUsual: false })
const usually = (percentile: string) => ({ all: [percentile], isUsual: true })

test.each([
  ['the baseline has p95 only', 'requests p99 <= 1 s', true, undefined, 1],
  ['the baseline has it', 'requests p95 <= 1 s', true, undefined, 0],
  ['only a warning', 'warn: requests p98 <= 1 s', true, undefined, 0],
  ['the engine has it, but the baseline not', 'requests p99 <= 1 s', true, usually('p99'), 1],
  ['the suite asks for it', 'requests p98 <= 1 s', true, askedFor('p98'), 0],
  ['no baseline, and the suite does not', 'requests p98 <= 1 s', false, askedFor('p95'), 1],
  ['no baseline and no suite', 'requests p98 <= 1 s', false, undefined, 0],
])('a percentile that no report will have: %s', (_, gate, isCompared, percentiles, count) => {
  const all = report()
  for (const { summary, timers } of Object.values(all.timers))
    for (const timer of summary ? [summary, ...timers] : timers) timer.percentiles = { p95: 1 }
  const asked = { ...parseGates(gate), ...(percentiles ? { percentiles } : {}) }
  const sentences = unmeasurable(asked, isCompared ? { runs: { reports: [all] } } : undefined)
  expect(sentences).toEqual(
    Array.from(
      { length: count },
      () => expect.stringMatching(/^gates, line 1: The report will have no p9/) as string,
    ),
  )
})

const read = (text: string, runs = 1) => readBaselineSources(text, { runs }, (path) => `/w/${path}`)

test.each([
  ['', undefined],
  ['artifact', { kind: 'artifact', runs: 1 }],
  ['load-test:17', { kind: 'load-test', number: 17 }],
  ['load-test: 17', { kind: 'load-test', number: 17 }],
  ['perf/testreport.xml', { kind: 'path', path: '/w/perf/testreport.xml' }],
  ['perf/a:b', { kind: 'path', path: '/w/perf/a:b' }],
])('"%s"', (text, source) => {
  expect(read(text)).toEqual(source ? [source] : [])
})

test.each(['load-test:', 'load-test:x', 'load-test:1:2', 'load-test:-1'])('%s has no number', (text) => {
  expect(read(text)).toHaveProperty('fault', expect.stringContaining('write load-test:17'))
})

test('each of several lines is a source, and is read once', () => {
  expect(read('\n perf/a.xml \r\nartifact\n\nload-test: 17\nartifact', 3)).toEqual([
    { kind: 'path', path: '/w/perf/a.xml' },
    { kind: 'artifact', runs: 3 },
    { kind: 'load-test', number: 17 },
  ])
  expect(read('artifact\nartifact')).toEqual([{ kind: 'artifact', runs: 1 }])
  const many = Array.from({ length: 21 }, (_, index) => `perf/${index}.xml`).join('\n')
  expect(read(many)).toEqual({ fault: 'baseline names more than 20 sources. Leave some out.' })
})

/**
 * The latest first: `g` is a green run, `r` a red one, `s` a green one 8.1% slower than its baseline, `x` such a one that
 * sets no level; what says how much runs differ is upper case.
 */
test.each([
  ['gRg', 'one'],
  ['gRrg', 'two in a row: the latest'],
  ['grrrg', 'three in a row: a change that stood'],
  ['rgg', 'the latest, which no green one has followed yet'],
  ['rrgRg', 'a regression that is back'],
  ['gr', 'the first of all'],
  ['gggggggggggggggggggRg', 'the last of twenty'],
  ['ggggggggggggggggggggrg', 'the one before twenty'],
  ['gsgg', 'a slow green one alone'],
  ['rxgg', 'a slow one before a red one, which no better one has followed yet'],
  ['gXrg', 'a slow one after a red one: the latest of two in a row'],
  ['gRxg', 'a slow one before a red one: the same'],
  ['gxrxg', 'two slow ones and a red one: three in a row'],
  ['grxrg', 'a slow one among red ones: a change that stood'],
  ['rggXg', 'a slow one three before a red one'],
  ['rgggsg', 'a slow one four before a red one'],
  ['gXggrrr', 'a slow one three after a red one'],
  ['gsgggrrr', 'a slow one four after a red one'],
  ['gggggggggggggggggggXgrrr', 'a slow one, the last of twenty'],
  ['gggggggggggggggggrrrsg', 'a slow one that is not among twenty'],
])('%s: %s', (runs) => {
  const given = [...runs.toLowerCase().replaceAll('x', 's')]
  const { level, spread } = useOfRuns(
    given.map((run) => ({
      isRed: run === 'r',
      ...(run === 'g' ? {} : { slowerBy: run === 's' ? 8.1 : 20 }),
    })),
  )
  const shown = given.map((run, at) => (run === 's' && !level.includes(at) ? 'x' : run))
  expect(shown.map((run, at) => (spread.includes(at) ? run.toUpperCase() : run)).join('')).toBe(runs)
  expect(level).toEqual([...runs].flatMap((run, at) => (/[gs]/.test(run) ? [at] : [])))
})

test.each([
  [8, [0, 2]],
  [8.01, [2]],
])('a green run beside a red one that is %d%% slower', (slowerBy, level) => {
  expect(useOfRuns([{ isRed: false, slowerBy }, { isRed: true }, { isRed: false }]).level).toEqual(level)
})
