import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Bench, Path } from '../bench.js'
import { built } from '../built.js'
import { cached } from '../corpora/cached.js'
import { pastOutcomes } from '../corpora/past.js'
import { step } from '../measure.js'
import { memoryOf } from '../pair.js'
import { rounds } from '../rounds.js'
import type { Row } from '../row.js'

const mostMilliseconds = 5000
const mostBytes = 300_000_000

/** The outcomes of many runs, read, searched for steps and written as one page. */
export const history: Path = {
  name: 'history',
  async measure(bench) {
    const { scratch, sizes } = bench
    const program = await built('bench/programs/history.ts', bench.folder)
    const folder = await pastRuns(bench)
    const { ours } = await rounds(bench, 'history', {
      ours: () => step(program, [folder, path.join(scratch, 'history.html')]),
    })
    const input = `${sizes.history.runs} runs, ${sizes.history.timers} timers each`
    const shared = { input, runs: ours.runs, memory: memoryOf(ours) }
    const { milliseconds, peakBytes } = ours
    return [
      row({ ...shared, path: 'write a history', unit: 'ms', value: milliseconds, most: mostMilliseconds }),
      ...(peakBytes === undefined
        ? []
        : [row({ ...shared, path: 'history, memory', unit: 'bytes', value: peakBytes, most: mostBytes })]),
    ]
  },
}

function row({
  value,
  most,
  ...about
}: Pick<Row, 'path' | 'input' | 'unit' | 'runs' | 'memory'> & { value: number; most: number }): Row {
  return {
    ...about,
    ours: value,
    compared: { kind: 'value', value, goal: { bound: 'at most', value: most } },
  }
}

/** A third of the timers has a step in between, and all have one before. */
async function pastRuns(bench: Bench): Promise<string> {
  const { runs, timers: all } = bench.sizes.history
  const [actions, transactions] = [Math.round(all / 5), Math.round(all / 10)]
  const timers = { requests: all - actions - transactions, actions, transactions }
  return cached(bench, `past-${runs}-${all}`, async (target) => {
    await mkdir(target)
    const slower = (run: number, timer: number) =>
      (run > runs / 3 ? 1.3 : 1) * (run > runs / 2 && timer % 3 === 0 ? 1.4 : 1)
    let at = 0
    for (const text of pastOutcomes({ runs, timers, seed: 15, slower })) {
      await writeFile(path.join(target, `${String(++at).padStart(4, '0')}.json`), text)
    }
  })
}
