import { mergedSubject, outcomeName, type MergeSource } from '../../inputs/merge-source.js'
import { anyTestedName, laterAttempt, lostName } from '../../text/attempt-name.js'

const isMerged = new RegExp(`^${mergedSubject}$`)

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
  /** What the wildcards of its name stand for; the whole name if other wildcards stand for the same. */
  leg: string
  artifact: ListedArtifact
}

/**
 * Those artifacts of a workflow run that have outcomes, one for each leg, sorted by name. If jobs ran again, several
 * have the same name: the newest counts, also where the artifact service accepts a name only once for all attempts, and
 * a later attempt of the step appended to it.
 */
export function legArtifacts(
  all: readonly ListedArtifact[],
  { outcomes, own }: Pick<MergeSource, 'outcomes' | 'own'>,
): LegArtifact[] {
  const names = new Set(all.map(({ name }) => outcomeName(name)))
  const newest = new Map<string, LegArtifact>()
  for (const artifact of all) {
    const name = firstName(outcomeName(artifact.name), names)
    const leg = outcomes.map(({ legOf }) => legOf(name)).find((one) => one !== undefined)
    if (leg === undefined || laterAttempt(name, own, isMerged) !== undefined) continue
    const other = newest.get(name)
    if (!other || idOf(other.artifact) < idOf(artifact)) newest.set(name, { leg, artifact })
  }
  const legs = [...newest.values()].map(({ leg }) => leg)
  const isShared = (leg: string) => legs.indexOf(leg) < legs.lastIndexOf(leg)
  return [...newest]
    .map(([name, { leg, artifact }]) => ({ leg: isShared(leg) ? name : leg, artifact }))
    .sort((a, b) => (a.leg < b.leg ? -1 : 1))
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
