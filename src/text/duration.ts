/** Durations as inputs write them (`90s`, `15m`, `2h30m`) and as people read them. */

// Hours, minutes and seconds in this order, each at most once.
const pattern = /^(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/

/** Milliseconds of `90s`, `15m`, `2h30m`; undefined if the text is not a duration, or is `0s`. */
export function parseDuration(text: string): number | undefined {
  const match = pattern.exec(text)
  if (!match || text === '') return undefined
  const [, hours = '0', minutes = '0', seconds = '0'] = match
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return total > 0 ? total * 1000 : undefined
}

/** `2 h 30 min`, `4 min 5 s`, `12 s`, `0.4 s`: the two largest units that matter. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 950) return `${(Math.max(0, milliseconds) / 1000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`
}
