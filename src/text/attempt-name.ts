/** The name of an artifact without the ending that one of a single file gets. */
export function plainName(artifact: string): string {
  return artifact.replace(/\.json$/, '')
}

/** What is appended to an artifact's name if another attempt, or another leg of a matrix, has taken it. */
export function distinction(subject: string, attempt: string): string {
  return `${subject}-attempt-${attempt}`
}

/** The subject of a distinction: the run, or the report that was judged without one. */
export function testedName(run: number | undefined, report: string | undefined): string {
  const given = report?.replace(/[^\w.-]+/g, '-').slice(-60)
  return given === undefined ? `run-${run ?? 'unknown'}` : `run-of-${given}`
}

/** Every subject that `testedName` gives. */
export const anyTestedName = /^run-(?:\d+|unknown|of-[\w.-]{1,60})$/

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

function nameBefore(artifact: string): string | undefined {
  return /^(.+?)-run-(?:\d+|unknown|of-[\w.-]{1,60})-attempt-[1-9]\d{0,8}$/.exec(artifact)?.[1]
}

/** The name of a branch, which may be given as a reference such as `refs/heads/main`. */
export function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, '')
}
