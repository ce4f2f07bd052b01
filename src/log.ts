/** The colour of a line; the line says the same in words. */
export type LogTone = 'good' | 'bad' | 'caution' | 'quiet'

/** Where the step writes what people watch. Implementations make foreign text harmless; callers need not. */
export interface Log {
  info(line: string, tone?: LogTone): void
  notice(line: string): void
  warning(line: string): void
  /** Shown only with ACTIONS_STEP_DEBUG. */
  debug(line: string): void
  group<T>(title: string, body: () => Promise<T>): Promise<T>
}
