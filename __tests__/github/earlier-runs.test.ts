import { rmSync } from 'node:fs'
import path from 'node:path'
import AdmZip from 'adm-zip'
import type { WorkflowRun } from '../../sandbox/github/store.js'
import type { ArtifactStore } from '../../src/github/artifacts/store.js'
import { findBaselineOutcomes, findBranchOutcomes, whyOtherTemplate } from '../../src/github/runs/earlier.js'
import { parsedOutcome } from '../../src/github/runs/runs.js'
import { loadBaseline } from '../../src/baseline/baseline.js'
import { connect } from '../../src/github/api/octokit.js'
import type { Step } from '../../src/outcome/outcome.js'
import { regression } from '../publish/outcomes.js'
import { copiedArtifacts } from './copied-artifacts.js'
import { withoutFigures } from '../told.js'
import { privateGithub } from './private-github.js'

/* Which runs are earlier runs of a branch, and what happens to those whose outcome cannot be used. */

const at = await privateGithub('earlier-runs')
const { log, lines } = at

const main = 'a'.repeat(40)
const other = 'b'.repeat(40)
const onMain = { event: 'push', ref: 'refs/heads/main', sha: main, head: main }

const { actionVersion, startedAt, seconds } = regression().step
const outcome = (step: Partial<Step> = onMain) =>
  JSON.stringify({ ...regression(), step: { actionVersion, startedAt, seconds, ...step } })

/** A run of main that left something under the name of an outcome. */
async function run(
  id: number,
  left: string | Uint8Array | null = outcome(),
  more: Partial<WorkflowRun> & { name?: string } = {},
) {
  const { name: _, ...run } = more
  at.github.seed.run({ id, commit: main, createdAt: new Date(id * 1000), ...run })
  if (left === null) return
  const isZip = typeof left !== 'string'
  const name = isZip ? 'outcome' : (more.name ?? 'outcome.json')
  const mimeType = isZip ? 'application/zip' : 'application/json'
  await at.github.seed.artifact({ runId: id, name, bytes: left, mimeType })
}

const token = () => at.github.token({ actions: 'read', contents: 'read' })
const search = (count: number, branches: readonly string[]) => ({
  ...{ owner: 'sandbox', repo: 'project', workflow: 'load-test.yml', artifact: 'outcome' },
  ...{ branches, count, currentRun: 900, token: '', folder: at.folder, log },
  ...{ octokit: () => connect(token(), { baseUrl: at.github.url }), store: copiedArtifacts(at.github) },
})
const idOf = ({ url }: { url: string }) => Number(url.split('/').at(-1))

async function baseline(count = 5, branches = ['main'], store = copiedArtifacts(at.github)) {
  const { outcomes, unread } = await findBaselineOutcomes({ ...search(count, branches), store })
  return { runs: outcomes.map(idOf), unread }
}

test.each([
  ['that only a lost try has taken', 'outcome-run-17-attempt-1.json', true],
  ['of another leg', 'outcome-west-run-17-attempt-1.json', false],
])('an outcome beside a name %s', async (_, name, counts) => {
  await run(1, outcome(), { name })
  expect((await baseline()).runs).toEqual(counts ? [1] : [])
})

const judged = (verdict: string, more: object = {}) =>
  JSON.stringify({
    ...regression(),
    verdict,
    step: { actionVersion, startedAt, seconds, ...onMain },
    ...more,
  })
const ofTemplate = (number: number) => ({ run: { ...regression().run, template: { number } } })

test.each<[string, { left?: string; more?: Partial<WorkflowRun>; count?: number }, number[]]>([
  ['counts', {}, [3]],
  ['of another template', { left: judged('failed', ofTemplate(18)) }, []],
  ['whose verdict is another: the job failed elsewhere', { left: judged('passed') }, []],
  ['that was cancelled', { more: { conclusion: 'cancelled' } }, []],
  [
    'whose step was green: fail-on is error',
    { left: judged('failed'), more: { conclusion: 'success' } },
    [3],
  ],
  ['with two runs wanted, from which nothing is learned', { count: 2 }, []],
  ['that two more red ones followed', { more: {}, left: 'streak' }, []],
])('a red run that a green one followed, %s', async (_, { left, more, count = 3 }, reds) => {
  const isStreak = left === 'streak'
  await run(1, judged('passed'))
  await run(2, judged('passed'))
  await run(3, isStreak || left === undefined ? judged('failed') : left, { conclusion: 'failure', ...more })
  if (isStreak) for (const id of [4, 5]) await run(id, judged('failed'), { conclusion: 'failure' })
  await run(6, judged('passed'))
  const asked = { ...search(count, ['main']), template: { number: 17 } }
  const found = await findBaselineOutcomes(asked)
  expect(found.reds.map(idOf)).toEqual(reds)
  expect(found.outcomes.map(idOf)).toEqual([6, 2, 1].slice(0, count))
  expect(found.unread).toEqual([])
})

const slower = (percent: number) => {
  const { comparison } = regression()
  const about = { kind: 'requests', noise: 5, timers: 20, shown: 20, metric: 'p95', isSignificant: false }
  return { comparison: { ...comparison, noise: { ...about, percent } } }
}

test.each<[string, (string | object)[], number, number[], number[]]>([
  ['a slow green one beside a red one', ['passed', 'failed', slower(9)], 3, [3, 4, 7], [6]],
  ['a slow green one near a red one', ['passed', 'failed', 'passed', slower(9)], 3, [3, 5, 7], [4, 6]],
  ['one that was accepted', ['passed', 'failed', { ...slower(9), isNewLevel: true }], 3, [4, 5, 7], [6]],
  ['one that is not that slow', ['passed', 'failed', slower(8)], 3, [4, 5, 7], [6]],
  ['a slow one, with two wanted', ['passed', 'failed', slower(9)], 2, [5, 7], []],
])('%s', async (_, latest, count, levels, spread) => {
  for (const id of [1, 2, 3, 4]) await run(id, judged('passed'))
  for (const [at, one] of latest.toReversed().entries()) {
    const [verdict, more] = typeof one === 'string' ? [one, {}] : ['passed', one]
    const conclusion = verdict === 'failed' ? 'failure' : 'success'
    await run(7 - latest.length + 1 + at, judged(verdict, more), { conclusion })
  }
  const { outcomes, reds } = await findBaselineOutcomes(search(count, ['main']))
  expect([outcomes.map(idOf).sort(), reds.map(idOf).sort()]).toEqual([levels, spread])
})

test('a run knows how much whole runs differ', async () => {
  const { comparison } = regression()
  const runNoise = { 'requests mean': 4 }
  await run(1, judged('passed'))
  await run(2, judged('passed', { comparison: { ...comparison, runNoise } }))
  const wanted = { kind: 'artifact' as const, runs: 3 }
  const earlierOutcomes = async () => ({
    ...(await findBaselineOutcomes(search(3, ['main']))),
    own: { branch: 'main' },
  })
  const { signal } = new AbortController()
  const world = { ...{ earlierOutcomes, log, signal, timeout: 1000 }, temp: at.folder, workspace: at.folder }
  const { runs } = await loadBaseline([wanted], world)
  expect(runs?.origins.map((origin) => origin.runNoise)).toEqual([runNoise, undefined])
})

test.each<[string, number, number[], number[]]>([
  ['fewer than wanted', 4, [], [1]],
  ['as many as wanted', 3, [], [4, 3, 2]],
  ['as many as wanted, and green ones since', 3, [5, 6], [6, 5]],
  ['fewer than wanted, and green ones since', 4, [5, 6], [6, 5, 1]],
])('red runs that fail-on left green, %s in a row', async (_, count, since, levels) => {
  await run(1, judged('passed'))
  for (const id of [2, 3, 4]) await run(id, judged('failed'))
  for (const id of since) await run(id, judged('passed'))
  const asked = search(count, ['main'])
  const found = await findBaselineOutcomes(asked)
  expect(found.outcomes.map(idOf)).toEqual(levels)
})

test.each([
  ...(['passed', 'accepted', 'invalid', 'failed'] as const).map((verdict) => [verdict, [1]] as const),
  ...(['load-test-failed', 'timed-out', 'cancelled', 'error'] as const).map(
    (verdict) => [verdict, []] as const,
  ),
])('a run that fail-on left green, with the verdict %s', async (verdict, levels) => {
  await run(1, judged(verdict))
  const found = await findBaselineOutcomes(search(3, ['main']))
  expect(found.outcomes.map(idOf)).toEqual(levels)
})

async function history(branches = ['main'], own?: { branch: string; url: string; commit: string }) {
  const asked = { ...search(5, branches), ...(own && { own }) }
  const runs: number[] = []
  const store = copiedArtifacts(at.github)
  const { unread } = await findBranchOutcomes({ ...asked, store }, (outcome) => {
    const why = whyNot(outcome)
    if (why === undefined) runs.push(idOf(outcome))
    return why
  })
  return { runs, unread }
}

/** What cannot be read is named by the history, and counts. */
function whyNot({ path: file, branch }: { path: string; branch: string }): string | undefined {
  try {
    return parsedOutcome(file)?.whyNotOfBranch(branch)
  } catch {
    return undefined
  }
}

const zip = (files: Record<string, string | Buffer>) => {
  const archive = new AdmZip()
  for (const [name, bytes] of Object.entries(files)) archive.addFile(name, Buffer.from(bytes))
  return archive.toBuffer()
}
const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`

test.each<[string, () => string | Uint8Array, RegExp]>([
  ['not JSON', () => '{"format": 1, "verdict": ', /has an outcome that is not JSON/],
  ['another file', () => '{"verdict": 7}', /has an outcome that is an outcome file in another format/],
  ['nested too deeply', () => `{"format": 1, "verdict": ${deep}}`, /is nested more than 100 levels deep/],
  [
    'nested too deeply beside its figures',
    () => outcome().replace('"errors":[', `"errors":[{"message":"x","count":1,"places":[],"x":${deep}},`),
    /is nested more than 100 levels deep/,
  ],
  [
    'without the figures',
    () => withoutFigures.replace('"gates"', '"figures":[],"gates"'),
    /does not conform to docs\/outcome.schema.json: \/figures /,
  ],
  [
    'a ZIP of a folder named a.json',
    () => zip({ 'a.json/': '' }),
    /is a ZIP with something other than one JSON file/,
  ],
])('an outcome that is %s is left out with a sentence, and the next counts', async (_, left, sentence) => {
  await run(1)
  await run(2, left())
  const found = await baseline()
  expect(found.runs).toEqual([1])
  expect(found.unread).toEqual([expect.stringMatching(/^Workflow run 2 on main .*, so it is left out\.$/)])
  expect(found.unread[0]).toMatch(sentence)
  rmSync(path.join(at.folder, '1'), { recursive: true })
  rmSync(path.join(at.folder, '2'), { recursive: true, force: true })
  const past = await history()
  // What can be fetched is read, and named, by the history itself.
  expect(past.runs.filter((id) => id !== 2)).toEqual([1])
})

test('a sound ZIP counts, and runs without an outcome or without figures are skipped without a word', async () => {
  await run(1, zip({ 'outcome.json': outcome() }))
  await run(2, null)
  await run(3, withoutFigures)
  expect(await baseline()).toEqual({ runs: [1], unread: [] })
})

test('one that cannot be fetched is left out if another is found; else nobody knows whether there is a baseline', async () => {
  await run(1)
  await run(2)
  const store: Pick<ArtifactStore, 'downloadArtifact'> = {
    downloadArtifact: (artifact, options) =>
      options.path.endsWith('2')
        ? Promise.reject(new TypeError('no name'))
        : copiedArtifacts(at.github).downloadArtifact(artifact, options),
  }
  expect(await baseline(5, ['main'], store)).toEqual({
    runs: [1],
    unread: [
      'Workflow run 2 on main could not be fetched (its answer has another form than that of GitHub), so it is left out.',
    ],
  })
  at.github.store.runs.splice(0, 1)
  await expect(baseline(5, ['main'], store)).rejects.toThrow('no name')
})

test('a missing permission ends the search', async () => {
  await run(1)
  await run(2)
  at.github.fail({ kind: 'server-error', status: 403, on: /runs\/2\/artifacts/, times: 1 })
  await expect(baseline()).rejects.toThrow()
})

test('what measured another commit than that of main is no earlier run of it', async () => {
  await run(1)
  await run(2, outcome({ ...onMain, head: other }))
  expect((await baseline()).runs).toEqual([1])
  rmSync(at.folder, { recursive: true })
  expect((await history()).runs).toEqual([1])
})

test('an earlier job of this run is part of the history only if it measured the branch', async () => {
  await run(900, outcome({ ...onMain, head: other }), { conclusion: null })
  const own = { branch: 'main', url: 'https://github.com/runs/900', commit: main }
  expect((await history(['main'], own)).runs).toEqual([])
  expect(lines).toContain('Workflow run 900 measured another commit than that of main, and is left out.')
})

test.each([
  [{ number: 7 }, { number: 7 }, undefined],
  [{ number: 7 }, { number: 8 }, 'is a run of load test 8'],
  [{ name: 'Shop' }, { number: 7, name: 'Shop' }, undefined],
  [{ name: 'Shop' }, { number: 8, name: 'Smoke' }, 'is a run of load test 8'],
  [{ name: 'Shop' }, { number: 7 }, 'is a run of load test 7'],
  [undefined, { number: 8 }, undefined],
  [{ number: 7 }, undefined, undefined],
])('%j is wanted, and the run is of %j', (wanted, template, why) => {
  expect(whyOtherTemplate(wanted, template)).toBe(why)
})
