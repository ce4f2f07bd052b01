import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import type { Row } from './row.js'
import { markdown, type Results } from './table.js'

const page = fileURLToPath(new URL('../docs/internals/performance.md', import.meta.url))
const figures = fileURLToPath(new URL('../docs/internals/performance.json', import.meta.url))
const begin = '<!-- figures: npm run bench -->'
const end = '<!-- end of figures -->'

/**
 * Writes docs/internals/performance.json, and its table into docs/internals/performance.md.
 *
 * @param isPart the figures of only some paths: the rows of the others do not change
 */
export async function writePage(measured: Results, isPart: boolean): Promise<void> {
  const before: unknown = isPart ? JSON.parse(await readFile(figures, 'utf8')) : undefined
  const results = isResults(before) ? { ...measured, rows: replaced(before.rows, measured.rows) } : measured
  await writeFile(figures, `${JSON.stringify(results, null, 2)}\n`)
  await writeFile(page, await withFigures(await readFile(page, 'utf8'), results))
}

function isResults(value: unknown): value is Results {
  return typeof value === 'object' && value !== null && 'rows' in value && Array.isArray(value.rows)
}

/** The rows, with those measured again in place, and what was never measured before at the end. */
export function replaced(rows: readonly Row[], by: readonly Row[]): Row[] {
  const isOf = (one: Row) => (other: Row) => one.path === other.path && one.input === other.input
  const known = rows.map((row) => by.find(isOf(row)) ?? row)
  return [...known, ...by.filter((row) => !rows.some(isOf(row)))]
}

/** @param text the page, with markers around its figures @returns the page with these figures */
export async function withFigures(text: string, results: Results): Promise<string> {
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from)
    throw new Error(`docs/internals/performance.md has no markers ${begin} and ${end}`)
  const filled = `${text.slice(0, from)}${begin}\n\n${markdown(results)}\n\n${text.slice(to)}`
  return format(filled, { ...(await resolveConfig(page)), parser: 'markdown' })
}
