/** One measurement of the run. Times are milliseconds; `time` counts from the start of the run. */
export interface Measurement {
  name: string
  label: string
  time: number
  runtime: number
  failed: boolean
  /** Index of the load generator that ran it. */
  agent: number
  /** The transaction that it belongs to, and the number of the user who ran it. */
  transaction: string
  user: number
}

/** Measurements by name, sorted by name. */
export function byName<M extends { name: string }>(measurements: readonly M[]): [string, M[]][] {
  const groups = new Map<string, M[]>()
  for (const measurement of measurements) {
    const group = groups.get(measurement.name)
    if (group) group.push(measurement)
    else groups.set(measurement.name, [measurement])
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1))
}
