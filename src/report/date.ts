/**
 * Hours that zone abbreviations stand for, if the abbreviation is unambiguous: CST, IST and BST are each used by
 * several countries, and an unknown time is left out.
 */
const zoneHours = new Map([
  ['UTC', 0],
  ['GMT', 0],
  ['Z', 0],
  ['WET', 0],
  ['WEST', 1],
  ['CET', 1],
  ['CEST', 2],
  ['EET', 2],
  ['EEST', 3],
  ['EST', -5],
  ['EDT', -4],
  ['MST', -7],
  ['MDT', -6],
  ['PST', -8],
  ['PDT', -7],
])

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3}))? ?([A-Z]{1,5})?(?:([+-])(\d{2}):?(\d{2}))?$/

/**
 * Milliseconds since 1970 of a date of testreport.xml: `2026-01-17 10:15:00 UTC`, or `2017-11-24 13:04:02.74 CET`
 * of older engines, which write milliseconds without leading zeros (74 ms). Undefined if it is not a date, or its
 * zone is missing or unknown.
 */
export function dateOf(text: string): number | undefined {
  const match = pattern.exec(text.slice(0, 60).trim())
  if (match === null) return undefined
  const parts: (string | undefined)[] = [...match]
  const [year, month, day, hour, minute, second, millisecond] = parts
    .slice(1, 8)
    .map((part) => Number(part ?? 0))
  const [zone, sign, hours, minutes] = parts.slice(8, 12)
  const base = zone === undefined ? (sign === undefined ? undefined : 0) : zoneHours.get(zone)
  if (base === undefined) return undefined
  const shift = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0))
  const fields = [year ?? 0, (month ?? 0) - 1, day ?? 0, hour ?? 0, minute ?? 0, second ?? 0] as const
  const date = new Date(Date.UTC(...fields))
  const isDate =
    date.getUTCMonth() === fields[1] &&
    date.getUTCDate() === fields[2] &&
    date.getUTCHours() === fields[3] &&
    date.getUTCMinutes() === fields[4] &&
    date.getUTCSeconds() === fields[5]
  return isDate ? date.getTime() + (millisecond ?? 0) - (base * 60 + shift) * 60_000 : undefined
}
