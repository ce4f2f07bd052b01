import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Report, Timer } from '../../../src/report/report.js'
import { readReport, reportFiles } from '../../../src/report/reading/report-reader.js'

const files = join(import.meta.dirname, 'files')

let folder: string
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'formats-'))))
afterEach(() => rm(folder, { recursive: true }))

async function reportAt(...paths: string[]): Promise<Report> {
  const { report } = await readReport(await reportFiles(paths, join(folder, 'scratch')))
  return report
}

async function reportOf(content: Record<string, string | Buffer>, ...names: string[]): Promise<Report> {
  for (const [name, text] of Object.entries(content)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const read = names.length > 0 ? names : Object.keys(content)
  return await reportAt(...read.map((name) => join(folder, name)))
}

const fixture = (name: string) => readFile(join(files, name), 'utf8')

/** `transactions Visit: 9 samples, 1 error, mean 141.222222, p95 249` */
function told({ timers }: Report): string[] {
  const line = (kind: string, { name, count, errors, mean, percentiles }: Timer) =>
    `${kind} ${name}: ${count} ${errors} ${mean?.toFixed(3)} ${percentiles['p95']}`
  return Object.entries(timers).flatMap(([kind, { timers: all, summary }]) =>
    [...(summary ? [summary] : []), ...all].map((timer) => line(kind, timer)),
  )
}

// Counted apart from the step, from the same files; summaries as they stand in them.
test.each([
  [
    'samples.jtl',
    [
      'transactions Visit: 9 1 141.222 249',
      'requests : 31 1 46.903 127',
      'requests Home: 12 0 52.333 112',
    ].concat(['requests Product "A", B: 10 0 60.100 127', 'requests Cart: 9 1 25.000 45']),
    { startTime: 1795582520028, duration: 0.777, users: 4 },
  ],
  ['nested.jtl', ['transactions Visit: 6 1 226.667 265', 'requests Cart: 6 1 16.833 41'], { users: 4 }],
  [
    'statistics.json',
    ['requests : 240 9 27.446 91.94999999999999', 'requests Visit: 80 9 82.338 220.85000000000002'],
    {},
  ],
  [
    'k6.csv',
    ['requests Home: 4 0 88.327 90.29978', 'requests Cart: 3 2 11.124 15.573351'].concat(
      [
        'transactions Visit: 3 undefined 134.672 141.028615',
        'customTimers basket_time: 3 undefined 22.247 31.146702',
      ],
      [
        'customTimers check: fast: 4 4 undefined undefined',
        'customTimers iteration_duration: 1 undefined 151.140 151.139646',
      ],
    ),
    { startTime: 1795582594000, duration: 1 },
  ],
  ['k6.json', ['requests Home: 4 0 88.327 90.2998'], { startTime: 1795582594986 }],
  [
    'k6-summary.json',
    ['requests : 240 6 33.601 88.40888644999998', 'requests Home: 80 undefined 28.730 88.4444224'].concat(
      [
        'requests Cart: 80 6 undefined undefined',
        'transactions Visit: undefined undefined 101.431 293.5109051999999',
      ],
      [
        'customTimers check: fast: 80 72 undefined undefined',
        'customTimers basket_time: undefined undefined 47.495 155.03851469999995',
      ],
    ),
    { duration: 2.619534395, users: 4 },
  ],
  [
    'k6-export.json',
    ['requests : 240 3 18.844 38.955465149999995', 'customTimers check: fast: 80 63 undefined undefined'],
    { users: 4 },
  ],
  [
    'k6-machine.json',
    ['requests : 240 5 20.938 45.844916849999855', 'customTimers check: fast: 80 62 undefined undefined'],
    { endTime: 1795582601255 },
  ],
  [
    'locust_stats.csv',
    [
      'requests : 108 3 26.112 50',
      'requests POST Cart: 35 3 17.088 36',
      'requests GET Product "A", B: 36 0 36.774 62',
    ],
    { startTime: 1795582488000, duration: 1, users: 4 },
  ],
  [
    'gatling',
    ['requests : 320 8 24.000 41', 'requests Visit / Product "A", B\'s <é>: 80 0 35.000 68'].concat([
      'requests Home: 80 0 12.000 26',
      'transactions Visit / Buy: 80 8 12.000 22',
    ]),
    {},
  ],
])('%s of a real run', async (name, rows, general) => {
  const report = await reportAt(join(files, name))
  expect(told(report)).toEqual(expect.arrayContaining(rows))
  expect(report.general).toMatchObject(general)
})
