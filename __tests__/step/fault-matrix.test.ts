import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { mounting } from '../../sandbox/runner/small-disk.js'
import { plural } from '../../src/text/plural.js'
import { isWhole } from '../daily.js'
import { phases, places, rows, type Row, type Seen } from './fault-matrix-table.js'

/*
 * Rows of the fault matrix, all of them in npm run test:whole. They run in a separate process, several at once.
 * UPDATE_DOCS=1 writes the results to docs/internals/faults.md and fault-matrix.txt.
 */

const page = 'docs/internals/faults.md'
const list = 'docs/internals/fault-matrix.txt'
/** Steps with faults; some wait for the service as patiently as they would for a real one. */
const minutes20 = 20 * 60_000
const which = isWhole ? 'whole' : 'daily'
const space = mounting()
const wanted = rows.flatMap((row, place) => (places[which].includes(place) ? [{ row, place }] : []))
const chosen = wanted.filter(({ row }) => space || row.left === undefined)
const seen: unknown[] = []

beforeAll(async () => {
  const tsx = path.resolve('node_modules/tsx/dist/cli.mjs')
  const [command, ...given] = [...(space ?? []), process.execPath, tsx, 'scripts/fault-matrix.ts', which]
  const child = spawn(command, given, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    const told: unknown = JSON.parse(line)
    if (typeof told !== 'object' || told === null || !('place' in told)) throw new Error(line)
    seen[Number(told.place)] = 'seen' in told ? told.seen : 'error' in told ? told.error : undefined
  }
}, minutes20)

test.each(chosen.map(({ row, place }): [string, string, Row, number] => [row.fault, row.phase, row, place]))(
  '%s: %s',
  (_fault, _phase, row, place) => {
    expect(seen[place]).toEqual(row.expected)
  },
)

if (chosen.length < wanted.length) {
  test.skip('with a full disk: this machine lets nobody mount a file system', () => undefined)
}

test('every named row exists', () => expect(places[which]).not.toContain(-1))

test('nothing starts twice, no run is lost, and every started run is reported', () => {
  const all = seen.filter(isSeen)
  expect(all).toHaveLength(chosen.length)
  // The list lags longer than the step looks: then the result names both.
  expect(all.filter(({ starts, told }) => starts > 1 && told !== 'own run, and the second')).toEqual([])
  expect(all.filter(({ lost }) => lost === 'the run')).toEqual([])
  const named: Seen['told'][] = ['own run', 'listed', 'may run']
  expect(all.filter(({ starts, told }) => starts === 1 && !named.includes(told))).toEqual([])
})

test('the documents show what was seen', () => {
  const shown = rows.map(({ fault, phase, expected }, place) => {
    const found = chosen.some((one) => one.place === place) ? seen[place] : expected
    return { fault, phase, ...(isSeen(found) ? { seen: found } : {}) }
  })
  const fresh = { [page]: withResults(readFileSync(page, 'utf8'), shown), [list]: allResults(shown) }
  for (const [file, text] of Object.entries(fresh)) {
    process.stdout.write(text)
    if (process.env['UPDATE_DOCS']) writeFileSync(file, text)
    expect(readFileSync(file, 'utf8')).toBe(text)
  }
})

function isSeen(value: unknown): value is Seen {
  return typeof value === 'object' && value !== null && 'starts' in value
}

const marks = ['<!-- results -->', '<!-- end of results -->'] as const

interface Shown {
  fault: string
  phase: string
  /** Absent: the row was not run. */
  seen?: Seen
}

/** @param page the content of docs/internals/faults.md @returns the same with the number of rows of each result */
function withResults(page: string, shown: readonly Shown[]): string {
  const [before = '', rest = ''] = page.split(marks[0])
  const [, after = ''] = rest.split(marks[1])
  const results = [...by(shown, ({ seen }) => resultOf(seen))].map(([result, alike]) => [
    result,
    String(alike.length),
  ])
  const cells = [['result', 'rows'], ...results]
  const [left = 0, right = 0] = [0, 1].map((at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  const lines = cells.map(
    ([result = '', count = '']) => `| ${result.padEnd(left)} | ${count.padEnd(right)} |`,
  )
  lines.splice(1, 0, `| ${'-'.repeat(left)} | ${'-'.repeat(right)} |`)
  return `${before}${marks[0]}\n\n${lines.join('\n')}\n\n${marks[1]}${after}`
}

/** The content of docs/internals/fault-matrix.txt: for each result the calls that were hit, and for these the faults. */
function allResults(shown: readonly Shown[]): string {
  const results = [...by(shown, ({ seen }) => resultOf(seen))].map(([result, alike]) => {
    const hit = [...by(alike, ({ fault }) => fault)].map(([fault, rows]) => ({
      fault,
      calls: callsOf(rows),
    }))
    const lines = [...by(hit, ({ calls }) => calls)].map(
      ([calls, those]) => `- ${calls}: ${those.map(({ fault }) => fault).join('; ')}`,
    )
    return `${result} (${plural(alike.length, 'row')})\n${lines.join('\n')}\n`
  })
  return results.join('\n')
}

function callsOf(rows: readonly Shown[]): string {
  const hit = rows.map(({ phase }) => phase)
  const spared = phases.filter((phase) => !hit.includes(phase))
  if (spared.length === 0) return 'every call'
  return spared.length <= 2 ? `every call but ${spared.join(' and ')}` : hit.join(', ')
}

function by<T>(all: readonly T[], key: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) groups.set(key(one), [...(groups.get(key(one)) ?? []), one])
  return groups
}

function resultOf(seen?: Seen): string {
  if (!seen) return 'not measured'
  const { verdict, starts, uploads, told, lost } = seen
  return [
    verdict,
    `${plural(starts, 'run')} started`,
    plural(uploads, 'upload'),
    ...(told === 'nothing' ? [] : [told]),
    ...(lost === 'nothing' ? [] : [`lost: ${lost}`]),
  ].join(', ')
}
