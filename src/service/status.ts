/** What the status of an answer says about its request. No other file draws conclusions about that from a status. */
interface StatusMeaning {
  /** For a call that may be repeated: whether the service may have done what it was asked. */
  executed: 'no' | 'unknown'
  /** For a start, which must not happen twice: whether it was read and refused for certain. */
  refusesStart: boolean
  /** Whether another try may well succeed a little later. */
  passing: boolean
}

/** By the first and the last status that it is about; the first row that fits counts (RFC 9110; RFC 8470; RFC 6585). */
const meanings: readonly [first: number, last: number, StatusMeaning][] = [
  // A redirect that was not followed: another address may have got the start.
  [300, 399, { executed: 'no', refusesStart: false, passing: false }],
  // A gateway also answers the next three while the service behind it is working.
  [408, 408, { executed: 'unknown', refusesStart: false, passing: true }],
  [425, 425, { executed: 'unknown', refusesStart: false, passing: false }],
  [429, 429, { executed: 'no', refusesStart: false, passing: true }],
  [400, 499, { executed: 'no', refusesStart: true, passing: false }],
  [501, 501, { executed: 'unknown', refusesStart: true, passing: true }],
  [500, Infinity, { executed: 'unknown', refusesStart: false, passing: true }],
]

const senseless: StatusMeaning = { executed: 'unknown', refusesStart: false, passing: false }

/** @param status of HTTP, other than 2xx */
export function meaningOf(status: number): StatusMeaning {
  return meanings.find(([first, last]) => status >= first && status <= last)?.[2] ?? senseless
}
