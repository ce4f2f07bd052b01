import { formatDuration, parseDuration } from '../../src/text/duration.js'
import { formatBytes } from '../../src/text/size.js'

test.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['2h30m', 9_000_000],
  ['1h1m1s', 3_661_000],
  ['345m', 20_700_000],
])('%s is %d ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

test.each(['', '0s', '0h0m0s', '15', '1.5h', '30m2h', '15 m', '-5m', '5M', 'm', '1h1h', '9999999s'])(
  '"%s" is not a duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined()
  },
)

test.each([
  [0, '0.0 s'],
  [400, '0.4 s'],
  [12_300, '12 s'],
  [59_600, '1 min'],
  [245_000, '4 min 5 s'],
  [3_600_000, '1 h'],
  [9_000_000, '2 h 30 min'],
])('%d ms reads as %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text)
})

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1000, '1.0 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1.0 MB'],
  [100_000_000, '100.0 MB'],
  [4_294_967_296, '4.3 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
