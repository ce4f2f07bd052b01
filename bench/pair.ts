import type { Medians } from './rounds.js'
import type { Row } from './row.js'

/** A row with two times, ours as a share of the rival's. */
export function pairOf(
  path: string,
  input: string,
  ours: Medians,
  rival: Medians & { name: string },
  atMost: number,
): Row {
  return {
    path,
    input,
    unit: 'ms',
    ours: ours.milliseconds,
    rival: { name: rival.name, value: rival.milliseconds },
    compared: {
      kind: 'ratio',
      value: ours.milliseconds / rival.milliseconds,
      goal: { bound: 'at most', value: atMost },
    },
    memory: memoryOf(ours, rival),
    runs: ours.runs,
  }
}

export function memoryOf(ours: Medians, rival?: Medians): Row['memory'] {
  return {
    ...(ours.peakBytes === undefined ? {} : { ours: ours.peakBytes }),
    ...(rival?.peakBytes === undefined ? {} : { rival: rival.peakBytes }),
  }
}

export function inputOf({ files, bytes }: { files: number; bytes: number }): string {
  return `${files.toLocaleString('en')} files, ${megabytes(bytes)}`
}

export function megabytes(bytes: number): string {
  return `${bytes < 10_000_000 ? (bytes / 1e6).toFixed(1) : Math.round(bytes / 1e6)} MB`
}
