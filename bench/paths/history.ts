import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Bench, Path } from '../bench.js'
import { built } from '../built.js'
import { cached } from '../corpora/cached.js'
import { pastOutcomes } from '../corpora/past.js'
import { step } from '../measure.js'
import { rowOf } from '../pair.js'
import { rounds } from '../rounds.js'
import type { Row } from '../row.js'

interface Variant {
  name: string
  /** Tried on the runs. */
  gates: readonly string[]
  most: { milliseconds: number; bytes: number }
}

const variants: readonly Variant[] = [
  { name: 'history', gates: [], most: { milliseconds: 5000, bytes: 300_000_000 } },
  { name: 'history with gates', gates: manyGates(), most: { milliseconds: 15_000, bytes: 400_000_000 } },
]

/** Twenty gates: on all timers and on all together, most of them comparing. */
function manyGates(): string[] {
  const every = ['request "*"', 'action "*"', 'transaction "*"', 'requests', 'transactions']
  const limits = [
    'mean <= baseline + 10%',
    'p95 <= baseline + 20%',
    'p95 <= 900 ms',
    'error-rate <= baseline + 1 pp',
  ]
  return every.flatMap((subject) => limits.map((limit) => `${subject} ${limit}`))
}

/** The outcomes of many runs, read, searched for steps, judged by gates, and written as one page. */
export const history: Path = {
  name: 'history',
  async measure(bench) {
    const program = await built('bench/programs/history.ts', bench.folder)
    const folder = await pastRuns(bench)
    const rows: Row[] = []
    for (const variant of variants) rows.push(...(await measured(bench, variant, program, folder)))
    return rows
  },
}

async function measured(
  bench: Bench,
  { name, gates, most }: Variant,
  program: string,
  folder: string,
): Promise<Row[]> {
  const { scratch, sizes } = bench
  const gatesFile = path.join(scratch, 'gates.txt')
  await writeFile(gatesFile, gates.join('\n'))
  const { ours } = await rounds(bench, name, {
    ours: () => step(program, [folder, path.join(scratch, 'history.html'), gatesFile]),
  })
  const { runs, timers } = sizes.history
  const input = `${runs} runs, ${timers} timers each${gates.length === 0 ? '' : `, ${gates.length} gates`}`
  const shared = { input, ours, kind: 'value' } as const
  return [
    ...rowOf({ ...shared, path: `write a ${name}`, atMost: most.milliseconds }),
    ...rowOf({ ...shared, path: `${name}, memory`, unit: 'bytes', atMost: most.bytes }),
  ]
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
