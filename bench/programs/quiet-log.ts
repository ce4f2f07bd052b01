import type { Log } from '../../src/log.js'

/** Only what goes wrong is said. */
export const quietLog: Log = {
  info: () => undefined,
  notice: () => undefined,
  warning: (line) => console.error(line),
  debug: () => undefined,
  group: (_title, body) => body(),
}
