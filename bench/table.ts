import { isReached, type Comparison, type Row, type Unit } from './row.js'

/** Everything that a bench has measured. */
export interface Results {
  machine: { cores: number; node: string; platform: string }
  rows: Row[]
}

/** As Markdown, with the machine. */
export function markdown({ machine: { cores, node, platform }, rows }: Results): string {
  return `Measured on ${cores} cores, Node ${node}, ${platform}.\n\n${tableOf(rows, true)}`
}

const head = ['path', 'input', 'ours', 'instead', 'compared', 'goal', 'memory']

/** @param judged whether the goals count for runs of this size */
export function tableOf(rows: readonly Row[], judged: boolean): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => cells(row, judged))]
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

/** What a figure is compared with stands beside it. */
function cells(row: Row, judged: boolean): string[] {
  const { path, input, unit, ours, rival, compared, memory } = row
  const { goal } = compared
  const missed = judged && isReached(compared) === false ? ', **missed**' : ''
  const peaks = [memory.ours, memory.rival].filter((bytes) => bytes !== undefined)
  return [
    path,
    input,
    show(ours, unit),
    rival ? `${rival.name}, ${show(rival.value, unit)}` : '',
    showCompared(compared.value, compared, unit),
    goal ? `${goal.bound} ${showCompared(goal.value, compared, unit)}${missed}` : '',
    peaks.map((bytes) => show(bytes, 'bytes')).join(' / '),
  ]
}

function showCompared(value: number, { kind }: Comparison, unit: Unit): string {
  if (kind === 'ratio') return value.toFixed(2)
  return kind === 'difference' ? `${value < 0 ? '' : '+'}${show(value, unit)}` : show(value, unit)
}

function show(value: number, unit: Unit): string {
  if (unit === 'ms') return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(2)} s`
  return Math.abs(value) < 1e6 ? `${Math.round(value / 1e3)} kB` : `${(value / 1e6).toFixed(1)} MB`
}
