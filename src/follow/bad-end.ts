import type { Run } from '../outcome/outcome.js'
import { oneLine } from '../text/foreign-text.js'

/** What build tools print around the reason. */
const around =
  /^\[(?:INFO|WARNING|DEBUG)\]|^BUILD FAIL|^\[ERROR\] *(?:$|-> |\[Help \d|COMPILATION ERROR|To see the full|Re-run Maven|For more information)/
const fault = /\[ERROR\]|\berror\b|exception|\bfail/i
/** `Shop.java:[7,3]`, `Shop.java:7` */
const place = /\.[a-z]{1,10}:\[?\d/i
const mostLines = 2

/**
 * Why a run ended, as the service says it, on one line. It may be the log of a build, whose first lines say nothing:
 * then the lines that name a fault, those with its place first.
 */
export function endReason(text: string): string {
  const lines = text
    .split(/[\r\n]+|(?=\[(?:ERROR|WARNING|INFO)\])/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const [first = '', ...rest] = lines
  const isLog = /^[[>]/.test(first)
  const faults = (isLog ? lines : rest).filter((line) => fault.test(line) && !around.test(line))
  if (faults.length === 0) return oneLine(text, 300)
  const told = [...new Set([...faults.filter((line) => place.test(line)), ...faults])].slice(0, mostLines)
  const shown = told.map((line) => oneLine(line.replace(/^\[ERROR\] */, ''), 180))
  return [...(isLog ? [] : [oneLine(first, 100)]), ...shown].join(' ')
}

/** What to do about a run that ended in ABORTED or ERROR. @param isBuildFault it never ran, and a reason says why */
export function afterBadEnd({ number, url, state }: Run, isBuildFault: boolean): string[] {
  const where = url ?? `load test ${number} on the service`
  if (isBuildFault) {
    return [
      `Correct what the reason names, such as a mistake in the test suite, and run the job again. Look at ${where} for the whole log.`,
    ]
  }
  return state === 'ABORTED'
    ? [`Look at ${where} for who or what ended it. If nobody did so on purpose, run the job again.`]
    : [`Look at ${where} for the cause, and run the job again when it is gone.`]
}
