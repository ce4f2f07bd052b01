/** Red runs among this many latest ones say something about noise. */
export const mostForReds = 20
/** Noise is learned from that many runs on: who wants fewer gets no red ones. */
export const fewestForReds = 3
/** More red runs one after the other are no accident. */
const longestStreak = 2

/**
 * Which red runs of a branch may have been red by noise alone: one for each streak of at most two that a green run
 * followed. A change that stands is red in more; without that limit, one that was mended would become the level.
 *
 * @param isGreen of the latest runs, the latest first
 * @returns their indexes
 */
export function passingReds(isGreen: readonly boolean[]): number[] {
  const latest = isGreen.slice(0, mostForReds)
  return latest.flatMap((green, at) => {
    if (green || latest[at - 1] !== true) return []
    const next = isGreen.indexOf(true, at)
    return next !== -1 && next - at <= longestStreak ? [at] : []
  })
}
