import type { Log } from '../../src/log.js'

/** Only faults are printed. */
export const quietLog: Log = {
  info: () => undefined,
  notice: () => undefined,
  warning: (line) => console.error(line),
  debug: () => undefined,
  group: (_title, body) => body(),
}
