import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Bench, Path } from '../bench.js'
import { built } from '../built.js'
import { cached } from '../corpora/cached.js'
import { pastOutcomes } from '../corpora/past.js'
import { step } from '../measure.js'
import { rounds } from '../rounds.js'
import { rowOf } from '../row.js'

const subjects = ['request "*"', 'action "*"', 'transaction "*"', 'requests', 'transactions']
const limits = [
  'mean <= baseline + 10%',
  'p95 <= baseline + 20%',
  'p95 <= 900 ms',
  'error-rate <= baseline + 1 pp',
]
/** On all timers and on all together, most of them comparing. */
const gates = subjects.flatMap((subject) => limits.map((limit) => `${subject} ${limit}`))

/** The outcomes of many runs, read, searched for steps, judged by gates, and written as one page. */
export const history: Path = {
  name: 'history',
  async measure(bench) {
    const { scratch, sizes } = bench
    const program = await built('bench/programs/history.ts', bench.folder)
    const folder = await pastRuns(bench)
    const gatesFile = path.join(scratch, 'gates.txt')
    await writeFile(gatesFile, gates.join('\n'))
    const { ours } = await rounds(bench, 'history', {
      ours: () => step(program, [folder, path.join(scratch, 'history.html'), gatesFile]),
    })
    const { runs, timers } = sizes.history
    const input = `${runs} runs, ${timers} timers each, ${gates.length} gates`
    const shared = { input, ours, kind: 'value' } as const
    return [
      ...rowOf({ ...shared, path: 'write a history with gates', atMost: 15_000 }),
      ...rowOf({ ...shared, path: 'history with gates, memory', unit: 'bytes', atMost: 400_000_000 }),
    ]
  },
}

/** A third of the timers has a step in between, and all have one before. */
async function pastRuns(bench: Bench): Promise<string> {
  const { runs, timers: all } = bench.sizes.history
  const [actions, transactions] = [Math.round(all / 5), Math.round(all / 10)]
  const timers = { requests: all - actions - transactions, actions, transactions }
  return cached(bench, `history-${runs}-${all}`, async (target) => {
    await mkdir(target)
    const slower = (run: number, timer: number) =>
      (run > runs / 3 ? 1.3 : 1) * (run > runs / 2 && timer % 3 === 0 ? 1.4 : 1)
    let at = 0
    for (const text of pastOutcomes({ runs, timers, seed: 15, slower })) {
      await writeFile(path.join(target, `${String(++at).padStart(4, '0')}.json`), text)
    }
  })
}
