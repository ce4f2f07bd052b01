import * as core from '@actions/core'
import { logLine } from '../../text/foreign-text.js'
import { formatDuration } from '../../text/duration.js'
import { type Redaction, secretParts, secrets } from '../../text/redaction.js'
import type { Log, LogTone } from '../../log.js'

const longest = 2000

/** Colours of the terminal, which GitHub's log view draws. */
const colours: Record<LogTone, number> = { good: 32, bad: 31, caution: 33, quiet: 90 }

function coloured(text: string, tone: LogTone | undefined): string {
  return tone === undefined ? text : `\u001b[${colours[tone]}m${text}\u001b[0m`
}

/** The job's log, through workflow commands. Each line is made harmless here, wherever it comes from. */
export function jobLog(secrets: Pick<Redaction, 'text'>): Log {
  const safe = (text: string) =>
    secrets
      .text(text)
      .split('\n')
      .map((line) => logLine(line, longest))
      .join('\n')
  /** Opens the group whose first line comes now: no group is empty. */
  let open = () => {}
  const say = (write: () => void) => {
    open()
    write()
  }
  const info = (line: string, tone?: LogTone) =>
    say(() =>
      core.info(
        safe(line)
          .split('\n')
          .map((one) => coloured(one, tone))
          .join('\n'),
      ),
    )
  return {
    info,
    notice: (line) => say(() => core.notice(safe(line))),
    warning: (line) => say(() => core.warning(safe(line))),
    debug: (line) => core.debug(safe(line)),
    group: async (title, body) => {
      const group = { isOpen: false }
      const outside = open
      open = () => {
        if (!group.isOpen) core.startGroup(safe(title))
        group.isOpen = true
      }
      const began = performance.now()
      try {
        return await body()
      } finally {
        const took = performance.now() - began
        if (took >= 1000) info(`Took ${formatDuration(took)}`, 'quiet')
        if (group.isOpen) core.endGroup()
        open = outside
      }
    },
  }
}

/** A secret that is added is masked in the job's log from then on, and removed from what is published. */
export function stepSecrets(): Redaction {
  return {
    ...secrets,
    add(secret) {
      maskSecret(secret)
      secrets.add(secret)
    },
  }
}

/** Masks a secret in the forms in which it may appear. */
function maskSecret(secret: string): void {
  if (secret === '') return
  // The runner masks base64 by itself, but not every way to write a secret into an address or a form.
  const forms = secretParts(secret).flatMap((part) => [
    part,
    encodeURIComponent(part.toWellFormed()),
    new URLSearchParams([['', part]]).toString().slice(1),
  ])
  for (const form of new Set(forms)) core.setSecret(form)
}
