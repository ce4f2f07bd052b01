import { readLine } from '../../sandbox/engine/load.js'

test.each<[string, ReturnType<typeof readLine>]>([
  ['Load Profile', { kind: 'running' }],
  ['Downloading test results... Please be patient, it might take some time...', { kind: 'downloading' }],
  // The engine ends without an error then, and so does the run.
  ['Agent embedded_00@localhost exited unexpectedly (exit code: 143).', undefined],
  [
    'Totals       Running        26 of     26        1,084           /           /        0:00:12           1       12   (1.1%)        63%',
    { kind: 'progress', progress: { users: '26 of 26', iterations: 1084, errors: 12, percent: 63 } },
  ],
  [
    'Totals       Running        12 of     26            0           /           /        0:00:02           0        0   (0%)        11%',
    { kind: 'progress', progress: { users: '12 of 26', iterations: 0, errors: 0, percent: 11 } },
  ],
  [
    'TBrowse      Running         9 of      9           36      1.51 s      2.16 s        0:00:12           1        0   (0%)        63%',
    undefined,
  ],
  ['', undefined],
])('the engine says "%s"', (line, event) => {
  expect(readLine(line)).toEqual(event)
})
