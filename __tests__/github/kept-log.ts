import type { Log } from '../../src/log.js'

/** A log whose lines of information and warnings are kept. */
export function keptLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  const keep = (line: string) => void lines.push(line)
  return {
    lines,
    log: {
      info: keep,
      notice: () => undefined,
      warning: keep,
      debug: () => undefined,
      group: (_, body) => body(),
    },
  }
}
