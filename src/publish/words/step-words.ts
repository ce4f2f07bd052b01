import type { Outcome } from '../../outcome/outcome.js'
import { line } from '../../text/foreign-text.js'
import type { Reason } from '../../text/reason.js'

/** The words about an outcome that depend on its kind. */
export interface StepWords<T extends Outcome> {
  /** What the headline begins with: `Load test: `. */
  subject: string
  /** The rest of the headline: `2 of 7 gates failed`. */
  finding: (outcome: T) => string
  /** One or a few sentences, for below the headline: what changed, or what the verdict means. */
  meaning: (outcome: T) => string
}

/**
 * About a step that was cancelled or failed.
 *
 * @param before what a cancelled step has not come to, if it was not to start or follow a load test
 */
export function cutShort(before?: string): StepWords<Outcome> {
  return {
    subject: 'Load test: ',
    finding: ({ verdict, reasons }) =>
      verdict === 'cancelled' ? `cancelled ${before ?? 'before it was started'}` : `error${because(reasons)}`,
    meaning: ({ verdict }) =>
      verdict === 'cancelled'
        ? `The job was cancelled ${before ?? 'before a load test was started'}.`
        : 'The step could not do its work. This says nothing about the code under test.',
  }
}

/** `. The service refused the credentials`: the first sentence of the first reason; empty without one. */
export function because([reason]: readonly Reason[]): string {
  if (reason === undefined) return ''
  const first = reason.text.split(/(?<=[.!?])\s/, 1)[0] ?? reason.text
  return `. ${line(first, 160).replace(/[.:]$/, '')}`
}
