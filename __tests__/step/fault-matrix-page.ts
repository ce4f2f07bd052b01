import { plural } from '../../src/text/plural.js'
import { phases, type Seen } from './fault-matrix-table.js'

const marks = ['<!-- results -->', '<!-- end of results -->'] as const

interface Shown {
  fault: string
  phase: string
  /** Absent: the row was not run. */
  seen?: Seen
}

/** @param page the content of docs/internals/faults.md @returns the same with the number of rows of each result */
export function withResults(page: string, shown: readonly Shown[]): string {
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
export function allResults(shown: readonly Shown[]): string {
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
