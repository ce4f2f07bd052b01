import { table } from '../scripts/readme-tables.js'
import type { Medians } from './rounds.js'

type Unit = 'ms' | 'bytes'
/** The ratio of ours to the rival's, the difference between them, or ours itself. */
type Kind = 'ratio' | 'difference' | 'value'

/** One line of the table. Figures are medians. */
export interface Row {
  path: string
  /** What went in. */
  input: string
  unit: Unit
  ours: number
  /** What people would use instead: ours is compared with it. */
  rival?: { name: string; value: number }
  kind: Kind
  value: number
  /** The goal. */
  atMost: number
  /** Peak bytes of the processes, if the machine reports them. */
  memory: { ours?: number; rival?: number }
  runs: number
}

interface About extends Pick<Row, 'path' | 'input' | 'kind' | 'atMost'> {
  /** Times, or peak memory. By default times. */
  unit?: Unit
  ours: Medians
  rival?: Medians & { name: string }
}

/** A row that compares ours with the rival's; none where the machine does not tell the memory of both. */
export function rowOf({ path, input, unit = 'ms', ours, rival, kind, atMost }: About): Row[] {
  const figureOf = (one: Medians) => (unit === 'ms' ? one.milliseconds : one.peakBytes)
  const figure = figureOf(ours)
  const other = rival ? figureOf(rival) : 0
  if (figure === undefined || other === undefined) return []
  const value = kind === 'ratio' ? figure / other : kind === 'difference' ? figure - other : figure
  return [
    {
      ...{ path, input, unit, ours: figure },
      ...(rival ? { rival: { name: rival.name, value: other } } : {}),
      ...{ kind, value, atMost },
      memory: {
        ...(ours.peakBytes === undefined ? {} : { ours: ours.peakBytes }),
        ...(rival?.peakBytes === undefined ? {} : { rival: rival.peakBytes }),
      },
      runs: ours.runs,
    },
  ]
}

export function inputOf({ files, bytes }: { files: number; bytes: number }): string {
  return `${files.toLocaleString('en')} files, ${megabytes(bytes)}`
}

export function megabytes(bytes: number): string {
  return `${bytes < 10_000_000 ? (bytes / 1e6).toFixed(1) : Math.round(bytes / 1e6)} MB`
}

const head = ['path', 'input', 'ours', 'instead', 'compared', 'goal', 'memory']

/** As Markdown. @param judged whether the goals count for runs of this size */
export function tableOf(rows: readonly Row[], judged: boolean): string {
  return table(
    head,
    rows.map((row) => cells(row, judged)),
  )
}

/** What a figure is compared with stands beside it. */
function cells({ path, input, unit, ours, rival, memory, ...row }: Row, judged: boolean): string[] {
  const compared = (value: number): string => {
    if (row.kind === 'ratio') return value.toFixed(2)
    return `${row.kind === 'difference' && value >= 0 ? '+' : ''}${show(value, unit)}`
  }
  const missed = judged && row.value > row.atMost ? ', **missed**' : ''
  const peaks = [memory.ours, memory.rival].filter((bytes) => bytes !== undefined)
  return [
    path,
    input,
    show(ours, unit),
    rival ? `${rival.name}, ${show(rival.value, unit)}` : '',
    compared(row.value),
    `at most ${compared(row.atMost)}${missed}`,
    peaks.map((bytes) => show(bytes, 'bytes')).join(' / '),
  ]
}

function show(value: number, unit: Unit): string {
  if (unit === 'ms') return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(2)} s`
  return Math.abs(value) < 1e6 ? `${Math.round(value / 1e3)} kB` : `${(value / 1e6).toFixed(1)} MB`
}
