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
  /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(?:\.(\d{1,3}))? ?([A-Z]{1,5})?(?:([+-])(\d{2}):?(\d{2}))?$/

/**
 * Milliseconds since 1970 of a date of testreport.xml: `2026-01-17 10:15:00 UTC`, or `2017-11-24 13:04:02.74 CET`
 * of older engines, which write milliseconds without leading zeros (74 ms). Undefined if it is not a date, or its
 * zone is missing or unknown.
 */
export function dateOf(text: string): number | undefined {
  const match = pattern.exec(text.slice(0, 60).trim())
  if (match === null) return undefined
  const iso = match[0].slice(0, 19).replace(' ', 'T')
  const time = Date.parse(`${iso}Z`)
  // 30 February is parsed as 2 March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== iso) return undefined
  const [milliseconds, ...zone] = match.slice(1)
  const offset = offsetOf(zone)
  return offset === undefined ? undefined : time + Number(milliseconds ?? 0) - offset * 60_000
}

/** Minutes east of UTC; undefined if the zone is missing or unknown. */
function offsetOf([zone, sign, hours, minutes]: readonly (string | undefined)[]): number | undefined {
  if (zone === undefined && sign === undefined) return undefined
  const base = zone === undefined ? 0 : zoneHours.get(zone)
  const shift = Number(hours ?? 0) * 60 + Number(minutes ?? 0)
  return base === undefined ? undefined : base * 60 + (sign === '-' ? -shift : shift)
}
