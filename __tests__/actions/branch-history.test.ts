import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { EarlierOutcome } from '../../src/baseline/baseline.js'
import { historyOfBranch } from '../../src/actions/history/history.js'
import type { HistoryOutcome, Part } from '../../src/outcome/outcome.js'
import type { Timer } from '../../src/report/report.js'
import { report, timer } from '../gates/example-report.js'
import { regression } from '../publish/outcomes.js'
import { daily, thorough } from '../daily.js'
import { keptLog } from '../kept-log.js'
import { ownFolder } from '../own-folder.js'

const folder = ownFolder()

/** A fetched outcome file on disk. */
function fetched(name: string, text: string): EarlierOutcome {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  const url = `https://github.com/o/r/actions/runs/${name}`
  return { path: file, url, branch: 'main', commit }
}

const empty = report()
const commit = 'c'.repeat(40)
const onMain = { event: 'push', ref: 'refs/heads/main', sha: commit, head: commit }
const outcome = { ...regression(), step: { ...regression().step, ...onMain } }

function withTimers(timers: Pick<Timer, 'name' | 'percentiles'>[]): string {
  return JSON.stringify({
    ...outcome,
    figures: { ...empty, timers: { ...empty.timers, requests: { timers } } },
  })
}

/** @param outcomes the latest first */
async function history(outcomes: EarlierOutcome[], unread: string[] = []): Promise<Part<HistoryOutcome>> {
  const world = {
    branchOutcomes: async (_: number, read: (outcome: EarlierOutcome) => string | undefined) => {
      outcomes.forEach(read)
      return { branch: 'main', unread }
    },
    ...keptLog(),
    signal: new AbortController().signal,
  }
  return historyOfBranch({ runs: 100, gates: [], name: 'load-test' }, world)
}

thorough('up to 200,000 timers are shown; older runs are left out and counted', async () => {
  // One name and one figure for all of them: only their number matters here.
  const small = { name: 'Login', percentiles: { p95: 400 } }
  const half = withTimers(Array<typeof small>(100_000).fill(small))
  const one = withTimers([timer('Login')])
  const [latest, second, third, oldest] = [half, half, one, one].map((text, at) => fetched(`${at}`, text))
  if (!latest || !second || !third || !oldest) throw new Error('Four outcomes were written.')
  const fit = await history([latest, second])
  expect([fit.history?.runs.length, fit.notes]).toEqual([2, []])
  const cut = await history([latest, second, third, oldest])
  expect(cut.history?.runs.map(({ url }) => url)).toEqual([second.url, latest.url])
  expect(cut.notes).toEqual([
    'The oldest runs are left out, since all runs together have more than 200,000 timers: 2.',
  ])
})

thorough('an outcome with more timers than half of all leaves the place to the others', async () => {
  const small = { name: 'Login', percentiles: { p95: 400 } }
  const huge = fetched('huge', withTimers(Array<typeof small>(100_001).fill(small)))
  const one = fetched('one', withTimers([timer('Login')]))
  const { history: found, notes } = await history([huge, one])
  expect(found?.runs.map(({ url }) => url)).toEqual([one.url])
  expect(notes).toEqual([`The outcome of ${huge.url} has more than 100,000 timers and is left out.`])
})

test('a run leads to its own digest, and nowhere else', async () => {
  const of = (url: string) => JSON.stringify({ ...outcome, digest: { url, name: 'digest.html', id: 7 } })
  const own = 'https://github.com/o/r/actions/runs/own/artifacts/7'
  const { history: found } = await history([
    fetched('own', of(own)),
    fetched('other', of(own)),
    fetched('none', of('javascript:x')),
  ])
  expect(found?.runs.map(({ digest }) => digest)).toEqual([undefined, undefined, own])
})

daily('ten outcomes that cannot be read are named, the rest are counted', async () => {
  const unread = Array.from({ length: 7 }, (_, at) => `The outcome of run ${at} could not be fetched.`)
  const broken = Array.from({ length: 5 }, (_, at) => fetched(`broken-${at}`, '{'))
  const { notes, history: found } = await history(
    [...broken, fetched('good', withTimers([timer('A')]))],
    unread,
  )
  expect(found?.runs).toHaveLength(1)
  expect(notes?.slice(0, 7)).toEqual(unread)
  expect(notes?.slice(7)).toEqual([
    ...broken.slice(0, 3).map(({ url }) => `The outcome of ${url} is not JSON and is left out.`),
    '2 more outcomes could not be read and are left out.',
  ])
})

daily('exactly ten are all named', async () => {
  const broken = Array.from({ length: 10 }, (_, at) => fetched(`ten-${at}`, '{'))
  const { notes } = await history(broken)
  expect(notes).toHaveLength(10)
  expect(notes?.at(-1)).toContain('actions/runs/ten-9 is not JSON')
})
