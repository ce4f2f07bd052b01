import { outcomeName } from '../../inputs/merge-source.js'
import { anyTestedName, laterAttempt, lostName } from '../../text/attempt-name.js'

/** An artifact of this workflow run. */
export interface ListedArtifact {
  name: string
  /** Absent on an Enterprise Server, where a name is taken once. */
  id?: number
  /** Bytes as it is stored, if GitHub says so. */
  size?: number
  /** Whether the job of this leg has not run again since. Absent = there was one attempt. */
  isLast?: (leg: string) => boolean
}

/** The artifact with the outcome of a leg. */
export interface LegArtifact {
  /** What its name has between that of the step and `-outcome`. */
  leg: string
  artifact: ListedArtifact
}

/**
 * Those artifacts of a workflow run that have outcomes, one for each leg, sorted by name. If jobs ran again, several
 * have the same name: the newest counts, also where the artifact service accepts a name only once for all attempts, and
 * a later attempt of the step appended to it.
 *
 * @param step the name that those of the legs begin with
 */
export function legArtifacts(all: readonly ListedArtifact[], step: string): LegArtifact[] {
  const names = new Set(all.map(({ name }) => outcomeName(name)))
  const newest = new Map<string, LegArtifact>()
  for (const artifact of all) {
    const leg = legOf(firstName(outcomeName(artifact.name), names), step)
    if (leg === undefined) continue
    const other = newest.get(leg)
    if (!other || idOf(other.artifact) < idOf(artifact)) newest.set(leg, { leg, artifact })
  }
  return [...newest.values()].sort((a, b) => (a.leg < b.leg ? -1 : 1))
}

function legOf(name: string, step: string): string | undefined {
  const before = `${step}-`
  const after = '-outcome'
  if (!name.startsWith(before) || !name.endsWith(after)) return undefined
  return name.slice(before.length, -after.length) || undefined
}

/** The name that was taken when this was attached, by an earlier attempt or a try that was lost, otherwise its own. */
function firstName(name: string, names: ReadonlySet<string>): string {
  const taken = [...names].filter((one) => laterAttempt(name, one, anyTestedName) !== undefined)
  return (
    taken.reduce((longest, one) => (one.length > longest.length ? one : longest), '') ||
    (lostName(name, names) ?? name)
  )
}

/** Ids grow with time; an artifact without an id is the only one with its name. */
function idOf({ id = Infinity }: ListedArtifact): number {
  return id
}
