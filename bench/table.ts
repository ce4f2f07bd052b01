import { isReached, type Comparison, type Row, type Unit } from './row.js'

/** Everything that a bench has measured. */
export interface Results {
  machine: { cores: number; node: string; platform: string }
  rows: Row[]
}

const head = [
  'path',
  'input',
  'ours',
  'instead',
  'that',
  'compared',
  'goal',
  'reached',
  'memory',
  'its memory',
  'runs',
]

/** As aligned columns, for a terminal. @param judged whether the goals count for runs of this size */
export function textTable(rows: readonly Row[], judged: boolean): string {
  const lines = [head, ...rows.map((row) => cells(row, judged))]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** As Markdown, with the machine and the contents of dist. */
export function markdown({ machine, rows }: Results): string {
  const lines = [pageHead, pageHead.map(() => '---'), ...rows.map(pageCells)]
  const table = lines.map((line) => `| ${line.join(' | ')} |`).join('\n')
  const parts = rows.flatMap(({ parts = [] }) => largest(parts))
  const { cores, node, platform } = machine
  return [
    `Measured on ${cores} cores, Node ${node}, ${platform}.`,
    table,
    `The largest parts of dist, minified: ${parts.map(({ name, bytes }) => `${name} ${show(bytes, 'bytes')}`).join(', ')}.`,
  ].join('\n\n')
}

function cells(row: Row, judged: boolean): string[] {
  const { path, input, unit, ours, rival, compared, memory, runs } = row
  return [
    path,
    input,
    show(ours, unit),
    rival?.name ?? '',
    rival ? show(rival.value, unit) : '',
    showCompared(compared.value, compared, unit),
    compared.goal ? `${compared.goal.bound} ${showCompared(compared.goal.value, compared, unit)}` : '',
    judged ? verdictOf(isReached(compared)) : '',
    memory.ours === undefined ? '' : show(memory.ours, 'bytes'),
    memory.rival === undefined ? '' : show(memory.rival, 'bytes'),
    String(runs),
  ]
}

const pageHead = ['path', 'input', 'ours', 'instead', 'compared', 'goal', 'memory']

/** The same in fewer columns: what a figure is compared with stands beside it. */
function pageCells(row: Row): string[] {
  const [path = '', input = '', ours = '', rival, value, compared = '', goal = '', reached, memory, its] =
    cells(row, true)
  const beside = (one = '', more = '', between = ', ') =>
    [one, more].filter((text) => text !== '').join(between)
  const missed = reached === verdictOf(false) ? '**missed**' : ''
  return [path, input, ours, beside(rival, value), compared, beside(goal, missed), beside(memory, its, ' / ')]
}

function verdictOf(reached: boolean | undefined): string {
  if (reached === undefined) return ''
  return reached ? 'yes' : '**no**'
}

function showCompared(value: number, { kind }: Comparison, unit: Unit): string {
  if (kind === 'ratio') return value.toFixed(2)
  return kind === 'difference' ? `${value < 0 ? '' : '+'}${show(value, unit)}` : show(value, unit)
}

function show(value: number, unit: Unit): string {
  switch (unit) {
    case 'ms':
      return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(2)} s`
    case 'bytes':
      return Math.abs(value) < 1e6 ? `${Math.round(value / 1e3)} kB` : `${(value / 1e6).toFixed(1)} MB`
  }
}

const namedParts = 12

/** The largest by name, the others as one. */
function largest(parts: readonly { name: string; bytes: number }[]): { name: string; bytes: number }[] {
  const rest = parts.slice(namedParts)
  const bytes = rest.reduce((sum, part) => sum + part.bytes, 0)
  return [...parts.slice(0, namedParts), ...(bytes > 0 ? [{ name: `${rest.length} others`, bytes }] : [])]
}
