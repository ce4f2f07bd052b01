import { ArchiveError } from '../errors.js'
import { fieldsOf, textOf } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { formatBytes } from '../text/size.js'

/** How many offenders a sentence names before it only counts them. */
const mostNamed = 5

/**
 * Faults of one folder or archive, gathered so that a single error names them all: each kind once, with its
 * first offenders. Names are made safe here, so callers pass them unchanged.
 */
export class Faults {
  readonly #kinds = new Map<string, { offenders: string[]; count: number; advice: string }>()

  /** `what` has no full stop; `advice` is a complete sentence, or empty. */
  add(what: string, offender?: string, advice = ''): void {
    const kind = this.#kinds.get(what) ?? { offenders: [], count: 0, advice }
    this.#kinds.set(what, kind)
    if (offender === undefined) return
    kind.count += 1
    if (kind.offenders.length < mostNamed) kind.offenders.push(quoted(offender))
  }

  get any(): boolean {
    return this.#kinds.size > 0
  }

  /** `subject` is the start of the message, such as "The archive x.zip cannot be used". */
  throwIfAny(subject: string): void {
    const faults = [...this.#kinds].map(([what, { offenders, count, advice }]) => {
      const more = count > offenders.length ? ` and ${count - offenders.length} more` : ''
      const fault = offenders.length > 0 ? `${what}: ${offenders.join(', ')}${more}.` : `${what}.`
      return advice === '' ? fault : `${fault} ${advice}`
    })
    if (faults.length === 0) return
    if (faults.length === 1) throw new ArchiveError(`${subject}. ${faults[0]}`)
    throw new ArchiveError(
      `${subject}, for ${faults.length} reasons:\n${faults.map((f) => `- ${f}`).join('\n')}`,
    )
  }
}

/** A file name that is safe in a sentence. */
export function quoted(name: string): string {
  return `"${oneLine(name, 160)}"`
}

/** The ten largest with their sizes, for a sentence. */
export function largestOf(files: readonly { name: string; bytes: number }[], between = ', '): string {
  const largest = files.toSorted((a, b) => b.bytes - a.bytes).slice(0, 10)
  return largest.map(({ name, bytes }) => `${quoted(name)} (${formatBytes(bytes)})`).join(between)
}

/** Why a call failed, as the end of a sentence that names the file: Node's own words end with its whole path. */
export function cause(error: unknown): string {
  return oneLine((textOf(fieldsOf(error).message) ?? String(error)).replace(/, \w+ '.*'$/s, ''))
}

/** The code of an operating-system error such as ENOENT: an error of another realm is no instance of this one's Error. */
export function errorCode(error: unknown): string | undefined {
  return textOf(fieldsOf(error).code)
}
