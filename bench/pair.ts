import type { Medians } from './rounds.js'
import type { Comparison, Row, Unit } from './row.js'

interface About {
  path: string
  input: string
  /** Times, or peak memory. By default times. */
  unit?: Unit
  ours: Medians
  rival?: Medians & { name: string }
  kind: Comparison['kind']
  atMost: number
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
      ...{ path, input, unit, ours: figure, runs: ours.runs },
      ...(rival ? { rival: { name: rival.name, value: other } } : {}),
      compared: { kind, value, goal: { bound: 'at most', value: atMost } },
      memory: {
        ...(ours.peakBytes === undefined ? {} : { ours: ours.peakBytes }),
        ...(rival?.peakBytes === undefined ? {} : { rival: rival.peakBytes }),
      },
    },
  ]
}

export function inputOf({ files, bytes }: { files: number; bytes: number }): string {
  return `${files.toLocaleString('en')} files, ${megabytes(bytes)}`
}

export function megabytes(bytes: number): string {
  return `${bytes < 10_000_000 ? (bytes / 1e6).toFixed(1) : Math.round(bytes / 1e6)} MB`
}
