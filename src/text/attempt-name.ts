/** The name of an artifact without the ending that one of a single file gets. */
export function plainName(artifact: string): string {
  return artifact.replace(/\.json$/, '')
}

/**
 * What is appended to an artifact's name if another attempt, or another leg of a matrix, has taken it.
 *
 * @param nth try, from 1: several legs may have judged reports of one name
 */
export function distinction(subject: string, attempt: string, nth: number): string {
  return `${subject}${nth > 1 ? `-${nth}` : ''}-attempt-${attempt}`
}

/** The subject of a distinction: the run, or the report that was judged without one. */
export function testedName(run: number | undefined, report: string | undefined): string {
  const given = report?.replace(/[^\w.-]+/g, '-').slice(-60)
  return given === undefined ? `run-${run ?? 'unknown'}` : `run-of-${given}`
}

const testedNames = String.raw`run-(?:\d+|unknown|of-[\w.-]{1,60})(?:-\d{1,3})?`
/** Every subject that `testedName` gives, for every try. */
export const anyTestedName = new RegExp(`^${testedNames}$`)
const distinguished = new RegExp(`^(.+?)-${testedNames}-attempt-[1-9]\\d{0,8}$`)

/**
 * The attempt of a job, 2 or more, that appended its distinction to a name, since the first had taken it. Undefined for
 * any other artifact, such as that of another leg in the first attempt. Both names are without file extensions.
 */
export function laterAttempt(artifact: string, name: string, subject: RegExp): number | undefined {
  if (!artifact.startsWith(`${name}-`)) return undefined
  const [, of = '', number] = /^(.+)-attempt-(\d{1,9})$/.exec(artifact.slice(name.length + 1)) ?? []
  return Number(number) > 1 && subject.test(of) ? Number(number) : undefined
}

/**
 * The name that an artifact's distinction was appended to though no artifact has it: it was taken by a try whose answer
 * was lost, and which came to nothing. Undefined for any other artifact, and where several could have been that try.
 */
export function lostName(artifact: string, all: ReadonlySet<string>): string | undefined {
  const lost = nameBefore(artifact)
  if (lost === undefined || all.has(lost)) return undefined
  return [...all].some((one) => one !== artifact && nameBefore(one) === lost) ? undefined : lost
}

/** The name that a distinction was appended to. */
export function nameBefore(artifact: string): string | undefined {
  return distinguished.exec(artifact)?.[1]
}

/** The name of a branch, which may be given as a reference such as `refs/heads/main`. */
export function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, '')
}
