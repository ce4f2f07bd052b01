import type { Log } from '../src/log.js'

/** A log whose lines are kept, warnings and notices marked. */
export function keptLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  return {
    lines,
    log: {
      info: (line) => lines.push(line),
      notice: (line) => lines.push(`notice: ${line}`),
      warning: (line) => lines.push(`warning: ${line}`),
      debug: () => undefined,
      group: (_, body) => body(),
    },
  }
}
