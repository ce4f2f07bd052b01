import * as core from '@actions/core'
import { logLine } from '../foreign-text.js'
import type { Log } from '../log.js'

const longest = 2000

/** The job's log, through workflow commands. Each line is made harmless here, whatever it came from. */
export function jobLog(): Log {
  const safe = (text: string) =>
    text
      .split('\n')
      .map((line) => logLine(line, longest))
      .join('\n')
  return {
    info: (line) => core.info(safe(line)),
    notice: (line) => core.notice(safe(line)),
    warning: (line) => core.warning(safe(line)),
    debug: (line) => core.debug(safe(line)),
    group: (title, body) => core.group(logLine(title), body),
  }
}
