/** A mistake in a gate. */
export interface GateFault {
  /** The gates-file, or absent for the input `gates`. */
  file?: string
  /** Both count from 1; columns as editors count them, in UTF-16 units. */
  line: number
  column: number
  /** The mistake. */
  sentence: string
  /** What to do about it. */
  hint?: string
}

/** `gates.yml, line 3, column 12: "p95th" is not a metric. Did you mean p95?` */
export function faultMessage(fault: GateFault): string {
  const where = `${fault.file ?? 'gates'}, line ${fault.line}, column ${fault.column}`
  return `${where}: ${fault.sentence}${fault.hint ? ` ${fault.hint}` : ''}`
}
