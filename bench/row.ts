export type Unit = 'ms' | 'bytes'

/** One line of the table. Figures are medians. */
export interface Row {
  path: string
  /** What went in. */
  input: string
  unit: Unit
  ours: number
  /** What people would use instead: ours is compared with it. */
  rival?: { name: string; value: number }
  compared: Comparison
  /** Peak bytes of the processes, if the machine reports them. */
  memory: { ours?: number; rival?: number }
  runs: number
}

export interface Comparison {
  /** The ratio of both, the difference between them, or the figure itself. */
  kind: 'ratio' | 'difference' | 'value'
  value: number
  /** Absent if the row is only for comparison. */
  goal?: { bound: 'at most' | 'at least'; value: number }
}

/** Undefined if there is no goal. */
export function isReached({ value, goal }: Comparison): boolean | undefined {
  if (!goal) return undefined
  return goal.bound === 'at most' ? value <= goal.value : value >= goal.value
}
