import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs, promisify } from 'node:util'
import { limit } from '../../__tests__/step/limit.js'
import { between, formatted, table } from '../../scripts/readme-tables.js'
import { engine } from './engine-runs.js'
import { comebacks, sequences } from './sequences.js'
import { suggested } from './suggestions.js'
import { tables, type Table } from './tables.js'
import { percents, redShare, usual } from './trial.js'

// npm run noise [-- repetitions] [--only NAME,NAME]: measures how reliable gates that compare are, and writes the
// tables of these names, or all, into docs/internals/noise.md and docs/baseline.md.

/** A table of a page. */
interface Measured {
  columns: readonly string[]
  /** How many of them are measured beside each other, each in a process of its own. */
  rows: number
  /** The lines of a row. */
  linesOf: (row: number, repetitions: number) => Promise<string[][]>
  /** The page, if not noise.md, and which part of the repetitions its figures take. */
  page?: string
  part?: number
}

const users = 'docs/baseline.md'
const measured: Readonly<Record<string, Measured>> = {
  ...Object.fromEntries(tables.map((table) => [table.name, ofTrials(table)])),
  engine,
  suggested,
  sequences: { ...sequences, page: users, part: 1 / 25 },
  comebacks: { ...comebacks, page: users, part: 2 / 5 },
}

function ofTrials({ title, columns, rows }: Table): Measured {
  return {
    columns: [title, ...columns.map(([column]) => column)],
    rows: rows.length,
    async linesOf(row, repetitions) {
      const [name, part] = rows[row] ?? ['', {}]
      const shares: number[] = []
      for (const [, change] of columns) {
        const trial = { ...usual, ...part, ...change }
        const half = Math.ceil(repetitions / 2)
        const [first, second] = [await redShare(trial, half, 17), await redShare(trial, half, 18)]
        shares.push(100 * ((first + second) / 2))
      }
      return [[name, ...percents(shares)]]
    },
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, row: { type: 'string' } },
})
const [given = '1000'] = positionals
if (!(Number(given) > 0)) throw new Error(`${given} is no number of repetitions.`)
const only = values.only?.split(',') ?? Object.keys(measured)
const chosen = only.map((name) => {
  const table = measured[name]
  if (!table) throw new Error(`There is no table ${name}, only ${Object.keys(measured).join(', ')}.`)
  return { name, table, repetitions: Math.ceil(Number(given) * (table.part ?? 1)) }
})
const oneEachCore = limit(availableParallelism())
if (values.row === undefined) await write()
else
  for (const { table: one, repetitions } of chosen)
    process.stdout.write(JSON.stringify(await one.linesOf(Number(values.row), repetitions)))

async function write(): Promise<void> {
  const lines = chosen.map(({ name, table: { rows } }) =>
    Promise.all(Array.from({ length: rows }, (_, row) => oneEachCore(() => measuredApart(name, row)))),
  )
  for (const [at, { name, table: one, repetitions }] of chosen.entries()) {
    const { columns, page = 'docs/internals/noise.md' } = one
    const content = table(columns, (await lines[at])?.flat() ?? [])
    const count = new RegExp(`(?<=<!-- ${name}-count -->).*?(?=<!-- / -->)`)
    const counted = readFileSync(page, 'utf8').replace(count, String(repetitions))
    writeFileSync(page, await formatted(between(counted, name, content)))
  }
}

/** What another process of this program prints. */
async function measuredApart(name: string, row: number): Promise<string[][]> {
  const args = [import.meta.filename, given, '--only', name, '--row', String(row)]
  const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, ...args])
  console.error(`${name}: ${stdout}`)
  return JSON.parse(stdout) as string[][]
}
