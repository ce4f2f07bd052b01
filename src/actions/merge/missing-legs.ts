import type { MergeSource } from '../../inputs/merge-source.js'
import { isGreen, type Leg, type MatrixPlace } from '../../outcome/outcome.js'

/** If it left nothing, only the log of its job shows why. */
const leftNothing =
  'It left no outcome: its job did not reach the load test, was cancelled, or its name does not begin with that of this step. Look at its log.'

/**
 * The missing legs: those that are listed or, if none are, those that belong to the matrix according to the outcomes
 * that were found. Also each needed job that failed without an outcome that says why.
 */
export function missingLegs(
  found: readonly Leg[],
  { legs, needs }: Pick<MergeSource, 'legs' | 'needs'>,
): Leg[] {
  const missing = legs.length > 0 ? unlisted(found, legs) : ofMatrix(found)
  return [...missing, ...unexplained([...found, ...missing], needs)]
}

function unlisted(found: readonly Leg[], legs: readonly string[]): Leg[] {
  const names = new Set(found.map(({ name }) => name))
  return legs
    .filter((name) => !names.has(name))
    .map((name) => ({ name, verdict: 'error', fault: leftNothing }))
}

/** A matrix has at most 256 legs. */
const mostLegs = 256

function ofMatrix(found: readonly Leg[]): Leg[] {
  const places = found.flatMap((leg) => placeOf(leg) ?? [])
  const jobs = new Set(places.map(({ job }) => job))
  return [...jobs].flatMap((job) => {
    const own = places.filter((place) => place.job === job)
    const there = new Set(own.map(({ index }) => index))
    const total = Math.min(Math.max(...own.map((place) => place.total)), mostLegs)
    const indexes = Array.from({ length: total }, (_, index) => index).filter((index) => !there.has(index))
    return indexes.map((index) => ({
      name: `${job}, leg ${index + 1} of ${total}`,
      verdict: 'error' as const,
      fault: leftNothing,
    }))
  })
}

/** All outcomes that were found may be green, and from an earlier attempt, while a job has failed in this one. */
function unexplained(legs: readonly Leg[], needs: MergeSource['needs']): Leg[] {
  return Object.entries(needs).flatMap(([job, result]) => {
    if (result === 'success' || result === 'skipped') return []
    const mayBeOf = (leg: Leg) => (placeOf(leg)?.job ?? job) === job
    if (legs.some((leg) => !isGreen(leg.verdict) && mayBeOf(leg))) return []
    const fault = `The job ended as ${result}, but no outcome says why: a leg left none in this attempt. Look at the log of the job.`
    return [{ name: job, verdict: 'error' as const, fault }]
  })
}

function placeOf({ outcome }: Leg): MatrixPlace | undefined {
  return outcome?.step.leg
}
