export type Unit = 'ms' | 'bytes' | 'requests'

/** One line of the table. Figures are medians. */
export interface Row {
  path: string
  /** What went in. */
  input: string
  unit: Unit
  ours: number
  /** What people would use instead, or what ours is compared with. */
  rival?: { name: string; value: number }
  compared: Comparison
  /** Peak bytes of the processes, where the machine tells them. */
  memory: { ours?: number; rival?: number }
  runs: number
  /** What `ours` is made of. */
  parts?: { name: string; bytes: number }[]
}

export interface Comparison {
  /** A ratio of both, how much one is above the other, or the figure itself. */
  kind: 'ratio' | 'difference' | 'value'
  value: number
  /** Absent where the row is there for comparison only. */
  goal?: { bound: 'at most' | 'at least'; value: number }
}

/** Undefined where there is no goal. */
export function isReached({ value, goal }: Comparison): boolean | undefined {
  if (!goal) return undefined
  return goal.bound === 'at most' ? value <= goal.value : value >= goal.value
}
