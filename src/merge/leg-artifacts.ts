import type { MergeSource } from '../inputs/merge-source.js'
import type { ListedArtifact } from '../world.js'

/** The artifact with the outcome of a leg. */
export interface LegArtifact {
  /** What the wildcards of its name stand for. */
  leg: string
  artifact: ListedArtifact
}

/**
 * Those artifacts of a workflow run that have outcomes, one for each leg, sorted by name. If jobs ran again, several
 * have the same name: the newest counts. The same applies if the artifact service accepts a name only once for all
 * attempts, and a later attempt attached the outcome as `NAME-run-N-attempt-M`.
 */
export function legArtifacts(
  all: readonly ListedArtifact[],
  { outcomes, own }: Pick<MergeSource, 'outcomes' | 'own'>,
): LegArtifact[] {
  const named = all.flatMap((artifact) => {
    if (own.legOf(artifact.name) !== undefined) return []
    const leg = outcomes.map(({ legOf }) => legOf(artifact.name)).find((name) => name !== undefined)
    return leg === undefined ? [] : [{ leg, artifact }]
  })
  const legs = new Set(named.map(({ leg }) => leg))
  const newest = new Map<string, LegArtifact>()
  for (const { leg: given, artifact } of named) {
    const leg = firstAttempt(given, legs)
    const other = newest.get(leg)
    if (!other || idOf(other.artifact) < idOf(artifact)) newest.set(leg, { leg, artifact })
  }
  return [...newest.values()].sort((a, b) => (a.leg < b.leg ? -1 : 1))
}

/** The leg whose name was taken when a later attempt attached this. */
function firstAttempt(leg: string, legs: ReadonlySet<string>): string {
  const [, rest = '', attempt] = /^(.*)-attempt-(\d{1,9})$/s.exec(leg) ?? []
  if (attempt === undefined || Number(attempt) < 2) return leg
  const taken = [...legs].filter((one) => rest.startsWith(`${one}-`))
  return taken.reduce((longest, one) => (one.length > longest.length ? one : longest), '') || leg
}

/** Ids grow with time; an artifact without an id is the only one with its name. */
function idOf({ id = Infinity }: ListedArtifact): number {
  return id
}
