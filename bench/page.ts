import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { between, formatted } from '../scripts/readme-tables.js'
import { tableOf, type Row } from './row.js'

/** Everything that a bench has measured. */
export interface Results {
  machine: { cores: number; node: string; platform: string }
  rows: Row[]
}

const page = fileURLToPath(new URL('../docs/internals/performance.md', import.meta.url))
const figures = fileURLToPath(new URL('../docs/internals/performance.json', import.meta.url))

/**
 * Writes docs/internals/performance.json, and its table into docs/internals/performance.md.
 *
 * @param isPart the figures of only some paths: the rows of the others do not change
 */
export async function writePage(measured: Results, isPart: boolean): Promise<void> {
  const before = isPart ? (JSON.parse(await readFile(figures, 'utf8')) as Results).rows : []
  const results = { ...measured, rows: replaced(before, measured.rows) }
  await writeFile(figures, `${JSON.stringify(results, null, 2)}\n`)
  await writeFile(page, await withFigures(await readFile(page, 'utf8'), results))
}

/** The rows, with those measured again in place, and what was never measured before at the end. */
function replaced(rows: readonly Row[], by: readonly Row[]): Row[] {
  const isOf = (one: Row) => (other: Row) => one.path === other.path && one.input === other.input
  const known = rows.map((row) => by.find(isOf(row)) ?? row)
  return [...known, ...by.filter((row) => !rows.some(isOf(row)))]
}

/** @param text the page, with markers around its figures @returns the page with these figures */
export async function withFigures(text: string, { machine, rows }: Results): Promise<string> {
  const { cores, node, platform } = machine
  const content = `Measured on ${cores} cores, Node ${node}, ${platform}.\n\n${tableOf(rows, true)}`
  return formatted(between(text, 'figures', content))
}
