import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { isPercentile, type Percentile, type Report, type Timer } from '../../../src/report/report.js'
import { locust } from '../../../src/report/formats/locust.js'
import { chosen } from '../../../src/report/reading/report-parts.js'
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
      'requests : 31 1 46.903 112',
      'requests Home: 12 0 52.333 112',
    ].concat(['requests Product "A", B: 10 0 60.100 127', 'requests Cart: 9 1 25.000 45']),
    { startTime: 1795582520028, duration: 0.639, users: 4 },
  ],
  ['nested.jtl', ['transactions Visit: 6 4 188.667 265', 'requests Cart: 6 4 22.500 41'], { users: 4 }],
  ['statistics.json', ['requests : 240 9 27.446 undefined', 'requests Visit: 80 9 82.338 undefined'], {}],
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
  ['k6.json', ['requests Home: 4 0 88.327 90.29978'], { startTime: 1795582594986 }],
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
    { startTime: 1795601088000 },
  ],
  [
    'gatling-page',
    ['requests : 400 89 46.000 78', `requests Visit / Pa"ge's <é>, / x: 80 0 54.000 72`].concat([
      'requests Home: 80 0 63.000 214',
      'transactions Visit / Buy: 80 9 56.000 76',
    ]),
    { startTime: 1795601868000 },
  ],
])('%s of a real run', async (name, rows, general) => {
  const report = await reportAt(join(files, name))
  expect(told(report)).toEqual(expect.arrayContaining(rows))
  expect(report.general).toMatchObject(general)
  // Of k6, times are exact; others write whole milliseconds.
  expect(report.timeStep).toBe(name.startsWith('k6') ? undefined : 1)
})

test('a transaction in XML is known without its message', async () => {
  const text = (await fixture('nested.jtl')).replaceAll(/ rm="[^"]*"/g, '')
  expect(told(await reportOf({ 'a.jtl': text }))).toEqual(told(await reportAt(join(files, 'nested.jtl'))))
})

test('deviation, parts, errors and codes come from the samples', async () => {
  const report = await reportAt(join(files, 'samples.jtl'))
  const [home] = report.timers.requests.timers
  expect(home?.deviation).toBeCloseTo(42.644526, 5)
  expect(home).toMatchObject({ min: 8, max: 112, median: 35, parts: { bytesReceived: 624 } })
  expect(home?.parts?.connectTime).toBeCloseTo(109 / 12, 9)
  expect(report.errors).toEqual([{ message: '500 Internal Server Error', count: 1, places: ['Cart'] }])
  expect(report.responseCodes).toContainEqual({ code: 500, text: 'Internal Server Error', count: 1 })
  expect(report.engineVersion).toBe('JMeter')
})

test('what is counted and not timed is no timer', async () => {
  for (const name of ['k6.csv', 'k6.json']) {
    const { customValues, timers } = await reportAt(join(files, name))
    expect(customValues?.map((value) => value.name)).toEqual(
      name === 'k6.csv' ? ['orders', 'rich'] : ['orders', 'rich', 'queue'],
    )
    expect(timers.customTimers.summary).toBeUndefined()
  }
})

test('names of k6 in extra_tags, and of Gatling in a program, are read as they were given', async () => {
  const tags = 'team=a,b=c&d&name=50%41+b&env=x'
  const csv = `metric_name,timestamp,metric_value,url,extra_tags\nhttp_req_duration,1795582594,5,/,"${tags}"\n`
  expect(told(await reportOf({ 'k6.csv': csv }))).toContain('requests 50%41+b: 1 undefined 5.000 5')
  const stats = 'stats: {numberOfRequests: {total: "1", ok: "1", ko: "0"}, meanResponseTime: {total: "5"}}'
  const home = `a: {type: "REQUEST", name: "x", path: "Caf&eacute; &quot;a&#92;b&quot; &amp;", ${stats}}`
  const report = await reportOf({
    'js/stats.js': `var stats = {type: "GROUP", contents: {${home}}, ${stats}}`,
  })
  expect(report.timers.requests.timers.map(({ name }) => name)).toEqual(['Caf&eacute; "a\\b" &amp;'])
})

/** A dashboard's script with a table of such titles; another table stands before it. */
const dashboard = (...titles: string[]) =>
  `createTable($("#apdexTable"), {"overall": {}, "titles": ["1st pct"], "items": []});
    createTable($("#statisticsTable"), {"overall": {"data": ["Total", 240, 9], "isController": false}, "titles": ["Label", "#Samples", "Error %", ${titles.map((title) => `"${title}", `).join('')}"Transactions\/s"], "items": [{"data": ["7th pct"]}]});`

test.each<[string[], Record<string, number>]>([
  [['90th pct', '95th pct', '99th pct'], { p90: 49.8, p95: 91.95, p99: 144.75 }],
  [['50th pct', '75th pct', '99th pct'], { p50: 49.8, p75: 91.95, p99: 144.75 }],
  [['99.9% centile', '95.0% centile', '100% centile'], { 'p99.9': 49.8, p95: 91.95, p100: 144.75 }],
  [['0th pct', '101th pct', '99th pct'], { p99: 144.75 }],
  [['90th pct', '95th pct'], {}],
  [['90th pct', 'odd', '95th pct'], {}],
  [[], {}],
])("JMeter's percentiles are those that the table of its page has: %j", async (titles, percentiles) => {
  const content = {
    'out/statistics.json': await fixture('statistics.json'),
    'out/content/js/dashboard.js': dashboard(...titles),
  }
  for (const name of ['out', 'out/statistics.json']) {
    const { summary } = (await reportOf(content, name)).timers.requests
    const found = Object.entries(summary?.percentiles ?? {}).map(([of, value]) => [
      of,
      Number(value.toFixed(2)),
    ])
    expect(Object.fromEntries(found)).toEqual(percentiles)
  }
})

test.each([
  [20_000, { mean: 345, median: 16, percentiles: { p90: 21, p95: 22 } }],
  [20_001, { mean: 345, median: undefined, percentiles: {} }],
])(
  'of more than 20,000 samples, JMeter has percentiles of the last ones alone: of %d',
  async (count, figures) => {
    const row = { sampleCount: count, meanResTime: 345, medianResTime: 16, pct1ResTime: 21, pct2ResTime: 22 }
    const { summary, timers } = (
      await reportOf(
        {
          'out/statistics.json': JSON.stringify({
            Total: row,
            Few: { ...row, sampleCount: 9 },
            Empty: { sampleCount: 0 },
          }),
          'out/content/js/dashboard.js': dashboard('90th pct', '95th pct', '99th pct'),
        },
        'out',
      )
    ).timers.requests
    expect({ ...summary, median: summary?.median }).toMatchObject(figures)
    expect(timers).toMatchObject([{ median: 16, percentiles: { p90: 21, p95: 22 } }])
  },
)

test('a label of JMeter that hides the row of all is refused', async () => {
  const script = dashboard('90th pct', '95th pct', '99th pct').replace('"7th pct"', '"Total", 120')
  const content = {
    'a/statistics.json': await fixture('statistics.json'),
    'a/content/js/dashboard.js': script,
  }
  await expect(reportOf(content, 'a')).rejects.toThrow(/^One of its labels is "Total", .* another name, or/)
})

test.each([
  ['95th pct', '90th pct', ['p90', 'p95']],
  ['22nd pct', '91st pct', ['p22', 'p91']],
  ['25,5th pct', '99.9th pct', ['p99.9']],
])("Gatling's percentiles are those of its page: %j and %j", async (first, second, percentiles) => {
  const page = (await fixture('gatling/index.html')).replace('95th pct', first).replace('99th pct', second)
  const content = { 'js/stats.js': await fixture('gatling/js/stats.js'), 'index.html': page }
  for (const name of ['', 'index.html']) {
    const { summary } = (await reportOf(content, name)).timers.requests
    expect(Object.keys(summary?.percentiles ?? {}).sort()).toEqual(['p50', 'p75', ...percentiles].sort())
    expect(summary?.percentiles[percentiles.at(-1) ?? '']).toBe(first === '95th pct' ? 41 : 532)
  }
})

test("without Gatling's page, its script has no percentiles, and without the script the page has nothing", async () => {
  const [script, page] = [await fixture('gatling/js/stats.js'), await fixture('gatling/index.html')]
  const { summary } = (await reportOf({ 'js/stats.js': script }, '')).timers.requests
  expect(summary).toMatchObject({ count: 320, percentiles: {} })
  expect(summary).not.toHaveProperty('median')
  await expect(reportOf({ 'a/index.html': page })).rejects.toThrow(
    /js\/stats\.js, .* Judge the whole folder\.$/,
  )
  await expect(reportOf({ 'js/stats.js': script, 'index.html': page.slice(0, -9) }, '')).rejects.toThrow(
    /It may be cut/,
  )
})

const header = 'timeStamp,elapsed,label,responseCode,responseMessage,success,Latency'
const row = (elapsed: number | string, label = 'Home', success = 'true', time = 1795582520264) =>
  `${time},${elapsed},${label},200,OK,${success},7`
const table = (...rows: string[]) => [header, ...rows, ''].join('\n')

test.each<[string, string | Buffer, string[]]>([
  ['as it is written', table(row(10), row(30)), ['Home: 2 0 20.000 30']],
  ['without an end of its last line', table(row(10)).trim(), ['Home: 1 0 10.000 10']],
  ['with semicolons', table(row(10)).replaceAll(',', ';'), ['Home: 1 0 10.000 10']],
  ['with tabs', table(row(10)).replaceAll(',', '\t'), ['Home: 1 0 10.000 10']],
  ['two put together', table(row(10)) + table(row(30)), ['Home: 2 0 20.000 30']],
  ['in another order', 'label,success,elapsed\nHome,false,5\n', ['Home: 1 1 5.000 5']],
  ['with the least columns', 'label,elapsed\nHome,5\n', ['Home: 1 undefined 5.000 5']],
  ['with decimal commas', 'label;elapsed;success\nHome;5,5;true\n', ['Home: 1 0 5.500 5.5']],
  [
    'with names that are numbers',
    'label;elapsed\n1,5;10\n1.5;30\n',
    ['1,5: 1 undefined 10.000 10', '1.5: 1 undefined 30.000 30'],
  ],
  [
    "with a server's answer that reads like a transaction",
    'label,elapsed,dataType,responseMessage\nHome,5,text,Number of samples in transaction : 5\n',
    ['Home: 1 undefined 5.000 5'],
  ],
  [
    'with a transaction of no samples',
    'label,elapsed,responseMessage\nHome,5,OK\nV,0,"Number of samples in transaction : 0, number of f"\n',
    ['Home: 1 undefined 5.000 5'],
  ],
  ['with blanks and empty lines', `\n\n${table(row(10)).replace('true', ' True ')}`, ['Home: 1 0 10.000 10']],
  ['with line ends of two systems', `${header}\r\n${row(10)}\n${row(30)}\r\n`, ['Home: 2 0 20.000 30']],
  [
    'without elapsed',
    'timeStamp,label,success\n1795582520264,Home,true\n',
    ['Home: 1 0 undefined undefined'],
  ],
  ['with a name over two lines', table(row(10, '"A, ""b""\nc"')), ['A, "b"\nc: 1 0 10.000 10']],
])('JMeter %s', async (_, text, rows) => {
  const report = await reportOf({ 'a.jtl': text })
  expect(told(report).filter((line) => !line.startsWith('requests :'))).toEqual(
    rows.map((line) => `requests ${line}`),
  )
})

test('a run is as long as its times say, whatever their order, and has a date only if they have a zone', async () => {
  const text = table(row(10), row(20, 'Home', 'true', 1795582510264))
  expect((await reportOf({ 'a.jtl': text })).general).toEqual({
    startTime: 1795582510264,
    endTime: 1795582520274,
    duration: 10.01,
  })
  const dated = text
    .replaceAll('1795582520264', '2026/11/24 04:57:26.703')
    .replaceAll('1795582510264', '2026/11/24 04:57:16.703')
  expect((await reportOf({ 'b.jtl': dated })).general).toEqual({ duration: 10.01 })
  for (const time of ['20261124045726', '1.79558E+12']) {
    expect((await reportOf({ 'c.jtl': text.replaceAll(/^\d{13}/gm, time) })).general).toEqual({})
  }
})

test('samples of several files are one run, and every percentile is exact', async () => {
  const times = Array.from({ length: 1000 }, (_, at) => ((at * 617) % 1000) + 1)
  const report = await reportOf({
    'out/a.jtl': table(...times.slice(0, 300).map((time) => row(time))),
    'out/b.jtl.gz': gzipSync(table(...times.slice(300).map((time) => row(time, 'Home', String(time > 10))))),
  })
  const [home] = report.timers.requests.timers
  expect(home).toMatchObject({ count: 1000, mean: 500.5, min: 1, max: 1000, median: 500 })
  expect(home?.percentiles).toMatchObject({
    p50: 500,
    p75: 750,
    p90: 900,
    p95: 950,
    p99: 990,
    'p99.5': 995,
    'p99.9': 999,
  })
  await expect(reportOf({ 'out/c.jtl': `${header}\n` }, 'out')).rejects.toThrow(
    /^c\.jtl has no samples, .* the reason, or leave it out if it is no part of the run\.$/,
  )
  await expect(
    reportOf({
      'x_stats.csv': await fixture('locust_stats.csv'),
      'y_stats.csv': await fixture('locust_stats.csv'),
    }),
  ).rejects.toThrow(/samples/)
})

test.each([[0.5], [2 ** 32], [2 ** 32 - 1]])(
  'a time of %d ms among whole ones stays what it is',
  async (odd) => {
    const before = Array.from({ length: 40 }, (_, at) => at + 1)
    const times = [...before, odd, ...before]
    const report = await reportOf({
      'a.jtl': table(row(7, 'Whole'), ...times.map((time) => row(time)), row(8, 'Whole')),
    })
    const { requests } = report.timers
    const [whole, home] = requests.timers
    const mean = (1640 + odd) / 81
    expect(home).toMatchObject({ count: 81, mean, min: Math.min(odd, 1), max: Math.max(odd, 40) })
    expect(home?.percentiles['p95']).toBe(odd < 1 ? 38 : 39)
    expect(whole).toMatchObject({ mean: 7.5, min: 7, max: 8 })
    expect(requests.summary).toMatchObject({ count: 83, max: Math.max(odd, 40), min: Math.min(odd, 1) })
  },
)

const gatling = 'var stats = { type: "GROUP", name: "All Requests", path: "", stats: '
const k6Line = (value: unknown) =>
  JSON.stringify({
    metric: 'http_req_duration',
    type: 'Point',
    data: { time: '2026-11-25T04:56:34.9Z', value, tags: { name: 'Home' } },
  })

test.each<[string, string, RegExp]>([
  ['nothing', '', /is empty.*Looked for .*JMeter's samples.*k6's.*Locust's.*Gatling's/s],
  [
    'a row that is cut',
    `${table(row(1))}179558252`,
    /^Line 3 of a\.jtl has another number of fields.*judge a run that went to its end/,
  ],
  [
    'a quote that is not closed',
    table(row(1, '"Home')),
    /^Line \d of a\.jtl has a quote .* or it is never closed/,
  ],
  ['no names of columns', `${row(1)}\n`, /print_field_names=true/],
  [
    'no names of columns, semicolons, and dates as in Germany',
    `${row(1).replaceAll(',', ';').replace('1795582520264', '24.11.2026 04:57:26')}\n`,
    /print_field_names=true/,
  ],
  ['no samples', `${header}\n`, /nothing was measured\. Look into the output of the load test/],
  [
    'XML of long ago',
    '<testResults version="1.2"><sampleResult label="Home" time="5"/></testResults>',
    /It has <sampleResult>, where JMeter since 2\.1 writes/,
  ],
  [
    'a row of many samples',
    'elapsed,label,success,SampleCount\n500,Home,true,50\n',
    /"Home" stands for several samples, .*StrippedBatch/,
  ],
  [
    'a row of many samples that does not say so',
    'elapsed,label,responseCode,responseMessage,success,allThreads\n500,Home,,,true,0\n',
    /"Home" stands for several samples, .*StrippedBatch/,
  ],
  ['no labels', 'timeStamp,elapsed,success\n1795582520264,1,true\n', /saveservice\.label=true/],
  ['no time', table(row(8), row('')), /took "", which is no time/],
  ['a quote in a name', table(row(1, 'Say "hi"')), /Line 2 of a\.jtl has a quote in the middle of a f/],
  ['a success in other words', table(row(1, 'Home', 'ok')), /has "ok" as its success, which is neither/],
  ['no success in one row', table(row(1), row(1, 'Home', '')), /has "" as its success, which is neither/],
  [
    'times with and without a zone',
    table(row(1), row(1).replace('1795582520264', '2026/11/24 04:57:26.703')),
    /Some of its times have no zone, such as "2026/,
  ],
  ['a name in another encoding', table(row(1, 'Caf\ufffd')), /"Caf\ufffd" is not written in UTF-8/],
  [
    '10,001 names',
    table(...Array.from({ length: 10_001 }, (_, at) => row(1, `/p/${at}`))),
    /more than 10000 names of requests.*Give samplers/,
  ],
])("JMeter's samples with %s are refused", async (_, text, sentence) => {
  await expect(reportOf({ 'a.jtl': text })).rejects.toThrow(sentence)
})

test.each<[string, object[], RegExp]>([
  [
    'two rows of one name',
    [
      { name: 'A', count: 1 },
      { name: 'A', count: 2 },
    ],
    /two of its requests are named "A"/,
  ],
  ['a figure of another name', [{ name: 'A', avg: 1 }], /"A" has "avg", which is none of name, samples/],
  ['more errors than requests', [{ name: 'A', count: 1, errors: 2 }], /has 2 errors, but a count of 1/],
  ['errors of an unknown number', [{ name: 'A', mean: 1, errors: 2 }], /has 2 errors, but no count\./],
  ['percentiles as a list', [{ name: 'A', percentiles: [5] }], /are no record such as/],
  ['a negative figure', [{ name: 'A', mean: -1 }], /"A" has -1 as "mean"/],
  ['a percentile of another name', [{ name: 'A', percentiles: { 95: 1 } }], /Write p95/],
  ['a name alone', [{ name: 'A', mean: null }], /nothing was measured/],
  ['nothing but zeros', [{ name: 'A', count: 0, mean: 0 }], /nothing was measured/],
  ['samples that are texts', [{ name: 'A', samples: ['1'] }], /no list of times/],
])('a report of our own with %s is refused', async (_, requests, sentence) => {
  await expect(reportOf({ 's.json': JSON.stringify({ requests }) })).rejects.toThrow(sentence)
})

test.each<[string, string, string | Buffer, RegExp]>([
  ['another table, packed', 'a.csv.gz', gzipSync('a,b,c\n1,2,3\n'), /^a\.csv\.gz is text, .*Looked for/],
  ['nothing, packed', 'a.jtl.gz', gzipSync(''), /^a\.jtl\.gz is packed, and damaged or empty, and/],
  ['a file packed otherwise', 'a.jtl.zst', Buffer.from('28b52ffd', 'hex'), /packed in another .*unpack it/],
  ['a negative time', 'k6.json', k6Line(-1), /http_req_duration is "-1"/],
  [
    'a line that is cut',
    'k6.json',
    `${k6Line(1)}\n{"metric":"http_req`,
    /^Line 2 of k6\.json is no JSON record/,
  ],
  ['a time that is a text', 'k6.json', k6Line('1'), /http_req_duration is "1"/],
  ['a time that is a list', 'k6.json', k6Line([1]), /http_req_duration is a list, a record or null/],
  [
    'statistics without their last row',
    'a_stats.csv',
    'Type,Name,Request Count,Failure Count\nGET,Home,2,0\n',
    /a_stats\.csv is cut: it has no row "Aggregated"/,
  ],
  ['a program', 'js/stats.js', `${gatling}process.exit(1) }`, /nothing but data in it.*never run/],
  ['a program in place of a text', 'js/stats.js', `${gatling}\`\${process.exit(1)}\` }`, /nothing but data/],
  ['a text without end', 'js/stats.js', `${gatling}"${'a'.repeat(5_000_000)}" }`, /nothing but data/],
  [
    'a page of headings without end',
    'index.html',
    `<title>Gatling Stats - Global id="stats-table-ROOT"${'<th id="col-2">'.repeat(20_000)}<tr ></html>`,
    /nothing but data/,
  ],
  ['half an object', 'js/stats.js', `${gatling}{ "numberOfRequests": {`, /nothing but data/],
  ['an object in too many others', 'js/stats.js', gatling + '{a:'.repeat(100), /nothing but data/],
  [
    'a summary that is cut',
    's.json',
    '{"metrics":{"http_reqs":{"count":1',
    /is no JSON record: it may be cut/,
  ],
  [
    'a figure in thousands of lists',
    's.json',
    `{"requests":[{"name":"A","mean":${'['.repeat(5000)}${']'.repeat(5000)}}]}`,
    /"A" has a list or record as "mean"/,
  ],
  [
    'a kind that is misspelt',
    's.json',
    '{"requests":[{"name":"A","count":1}],"transaction":[]}',
    /report has "transaction", which is none of/,
  ],
])('%s is refused', async (_, name, text, sentence) => {
  await expect(reportOf({ [name]: text })).rejects.toThrow(sentence)
})

test('what decimals leave of 0 is 0', async () => {
  const rest = 0.1 + 0.2 - 0.3
  const own = JSON.stringify({ requests: [{ name: 'A', samples: [5, 5], deviation: rest }] })
  expect((await reportOf({ 'a.json': own })).timers.requests.timers).toMatchObject([{ deviation: 0 }])
  const line = (metric: string, value: number) =>
    JSON.stringify({ type: 'Point', metric, data: { time: '2026-11-25T04:56:34.9Z', value, tags: {} } })
  const declared = '{"type":"Metric","metric":"gap","data":{"type":"gauge"}}'
  const { customValues } = await reportOf({
    'k6.json': [declared, line('gap', -rest), line('gap', 2)].join('\n'),
  })
  expect(customValues).toEqual([{ name: 'gap', count: 2, min: 0, mean: 1, max: 2 }])
})

test('a report of our own has what it says, and figures from its samples', async () => {
  const text = JSON.stringify({
    start: '2026-01-17T10:15:00Z',
    duration: 60,
    users: 5,
    engine: 'wrk 4.2',
    requests: [
      { name: 'A', count: 600, errors: 3, mean: 12.5, deviation: 3, percentiles: { p95: 20, 'p99.9': 31 } },
      { name: 'B', samples: [1, 2, 3], errors: null, countPerSecond: 16.6 },
    ],
    transactions: [{ name: 'T', count: 0 }],
  })
  const report = await reportOf({ 'report.json': text })
  expect(report.general).toEqual({ startTime: 1768644900000, endTime: 1768644960000, duration: 60, users: 5 })
  expect(report.engineVersion).toBe('wrk 4.2')
  const [a, b] = report.timers.requests.timers
  expect(a).toMatchObject({ count: 600, errors: 3, countPerSecond: 10, deviation: 3 })
  expect(a?.percentiles).toEqual({ p95: 20, 'p99.9': 31 })
  expect(b).toMatchObject({ count: 3, mean: 2, max: 3, countPerMinute: 996, countPerHour: 59_760 })
  expect(b).not.toHaveProperty('errors')
  expect(report.timers.transactions.timers).toEqual([{ name: 'T', percentiles: {}, count: 0 }])
})

const [one, other] = [table(row(10)), table(row(30))]
test.each<[string, Record<string, string | Buffer>, RegExp]>([
  [
    'an empty file',
    { 'a.jtl': one, 'b.jtl': '' },
    /b\.jtl is empty: what a load generator measured may be m/,
  ],
  [
    'an empty packed file',
    { 'a.csv': one, 'b.csv.gz': gzipSync('\n') },
    /b\.csv\.gz has nothing but empty lines/,
  ],
  ['a page', { 'a.jtl': one, 'b.jtl': '<html>502</html>' }, /b\.jtl is a web page/],
  ['a cut header', { 'a.jtl': one, 'b.jtl': 'timeSt' }, /b\.jtl is text: what/],
  ['a copy', { 'a.jtl': one, 'b.jtl': other, 'c.jtl': one }, /c\.jtl is a copy of a\.jtl, so its samples w/],
  ['a packed copy', { 'a.jtl': one, 'b.jtl.gz': gzipSync(one) }, /b\.jtl\.gz is a copy of a\.jtl/],
  [
    'another form',
    { 'a.jtl': one, 'b.jtl': '<testResults><httpSample t="1" lb="A" s="true"/></testResults>' },
    /a\.jtl is CSV, and b\.jtl is XML\. If they are two forms/,
  ],
])('%s beside samples is told', async (_, content, sentence) => {
  const inFolder = Object.entries(content).map(([name, text]) => [`out/${name}`, text] as const)
  await expect(reportOf(Object.fromEntries(inFolder), 'out')).rejects.toThrow(sentence)
})

test('a packed file that is cut is told as one of a run that was stopped', async () => {
  const whole = gzipSync(table(...Array.from({ length: 3000 }, (_, at) => row((at * 617) % 1000))))
  await expect(reportOf({ 'a.jtl.gz': whole.subarray(0, -99) })).rejects.toThrow(
    /^The a\.jtl\.gz of the report is truncated: .*\. If the run was stopped .* judge a run that went to its end\.$/,
  )
})

test('files of several folders have names below the one that holds them all', async () => {
  const content = { 'm1/a.jtl': one, 'x/m2/a.jtl': one }
  await expect(reportOf(content)).rejects.toThrow(/^x-m2-a\.jtl is a copy of m1-a\.jtl/)
  await expect(reportOf({ 'a.zip': 'PK\x03\x04', ...content })).rejects.toThrow(/^a\.zip is an archive, and/)
})

test('data of the load test beside samples is no part of them', async () => {
  const report = await reportOf(
    { 'out/a.csv': one, 'out/data.csv': 'user,password\n', 'out/log.txt': '' },
    'out',
  )
  expect(report.timers.requests.summary?.count).toBe(1)
})

const lacks: [file: string, kind: string, metric: string, sentence: RegExp | undefined][] = [
  [
    'k6-summary.json',
    'requests',
    'p99.9',
    /^There is no p99\.9 of requests in k6's summary .*, unless summaryTrendStats has it.* It is in k6's samples \(--out csv or --out json\)\.$/,
  ],
  ['k6-summary.json', 'requests', 'deviation', /summary-export\)\. It is in k6's samples/],
  ['k6-summary.json', 'web-vitals', 'lcp', /web vitals .*unless summaryTrendStats has "p\(75\)"/],
  ['k6.csv', 'requests', 'errors', /samples .*, unless all requests say whether they failed: gRPC calls and/],
  [
    'k6-summary.json',
    'requests',
    'errors',
    /single one also needs a threshold on its tag "name"\. They are in k6's/,
  ],
  ['samples.jtl', 'requests', 'throughput', /samples .*, unless the run has .*timestamp_format=ms\.$/],
  ['k6.csv', 'transactions', 'error-rate', /in k6's samples .* No file of k6 that is read has it\.$/],
  ['k6.csv', 'requests', 'p99.99', undefined],
  ['statistics.json', 'transactions', 'mean', /JMeter's dashboard .* It is in JMeter's samples/],
  ['samples.jtl', 'customTimers', 'mean', /no mean of custom timers in JMeter's samples/],
  ['locust_stats.csv', 'requests', 'p97', /no p97 .* statistics .*, unless PERCENTILES_TO_REPORT .*it\.$/],
  ['locust_stats.csv', 'requests', 'p95', undefined],
  ['gatling', 'requests', 'p99.9', /Gatling's report/],
]
test.each(lacks)('%s lacks %s %s', async (name, kind, metric, sentence) => {
  const { lack } = await readReport(await reportFiles([join(files, name)], join(folder, 'scratch')))
  const told = lack?.(kind, metric)
  expect(told).toEqual(sentence && expect.stringMatching(sentence))
})

test('how a run would have figures is no advice for one that has nothing that they are of', async () => {
  const told = async (metrics: object, kind: string, metric: string) => {
    await writeFile(join(folder, 's.json'), JSON.stringify({ root_group: {}, metrics }))
    const { lack } = await readReport(await reportFiles([join(folder, 's.json')], join(folder, 'scratch')))
    return lack?.(kind, metric)
  }
  const browser = { iterations: { count: 1 }, iteration_duration: { avg: 9, med: 9 } }
  const sentence = /^There is no p95 of requests .*, unless summaryTrendStats has it/
  expect(await told(browser, 'requests', 'p95')).toBeUndefined()
  expect(await told({ ...browser, http_req_duration: { avg: 9 } }, 'requests', 'p95')).toMatch(sentence)
  const zeros = { avg: 0, med: 0, max: 0, 'p(95)': 0 }
  const never = { ...browser, http_req_duration: zeros, 'http_req_duration{name:a}': zeros }
  expect(await told(never, 'requests', 'p95')).toBeUndefined()
  expect(await told({ ...browser, 'http_req_duration{name:a}': { avg: 9 } }, 'requests', 'p95')).toMatch(
    sentence,
  )
  expect(await told(browser, 'requests', 'deviation')).toMatch(/no deviation of requests in k6's summary/)
})

test('a percentile that a gate asks for is taken from the samples', async () => {
  const times = Array.from({ length: 1000 }, (_, at) => at + 1)
  const text = table(...times.map((time) => row(time)))
  const samples = JSON.stringify({ requests: [{ name: 'Home', samples: times }] })
  for (const [name, content] of Object.entries({ 'a.jtl': text, 'a.json': samples })) {
    await writeFile(join(folder, name), content)
    const found = await reportFiles([join(folder, name)], join(folder, 'scratch'))
    const percentiles: Percentile[] = ['p99.95', 'p93']
    const { report } = await readReport(found, { percentiles })
    expect(report.timers.requests.timers[0]?.percentiles).toMatchObject({
      'p99.95': 1000,
      p93: 930,
      p95: 950,
    })
  }
})

test('the full history of an hour of Locust is no reason to refuse it', () => {
  const history = { path: 'l_stats_history.csv', file: '', size: 200_000_000, isPacked: false }
  const found = chosen([{ ...history, path: 'l_stats.csv', format: locust }, history], '')
  expect(found?.beside).toHaveLength(1)
})

test('times that Locust never measured are no zeros, and faults begin with what was judged', async () => {
  const text = (await fixture('locust_stats.csv')).replace(/^GET,Home.*$/m, `WS,Read,9,0${',0'.repeat(18)}`)
  const { timers } = (await reportOf({ 'l_stats.csv': text })).timers.customTimers
  expect(timers).toMatchObject([{ count: 9, errors: 0, percentiles: {} }])
  expect(timers[0]).not.toHaveProperty('mean')
  await writeFile(join(folder, 'a.jtl'), `${header}\n`)
  const files = await reportFiles([join(folder, 'a.jtl')], join(folder, 'scratch'))
  await expect(readReport(files, { given: 'out/a.jtl' })).rejects.toThrow(/^out\/a\.jtl: .*no samples/)
})

test('the begin of a run of Locust is known from one row of its history, and not how many users it came to', async () => {
  const [head, first] = (await fixture('locust_stats_history.csv')).split('\n')
  const content = {
    'l_stats.csv': await fixture('locust_stats.csv'),
    'l_stats_history.csv': `${head}\n${first?.replace(',0,', ',1,')}\n`,
  }
  const { startTime, endTime, duration, users } = (await reportOf(content)).general
  expect([startTime, endTime, users]).toEqual([1795582488000, undefined, undefined])
  expect(duration).toBeCloseTo(0.994, 3)
})

test("exceptions of Locust's tasks are among the errors, since what they would have requested is nowhere", async () => {
  const content = {
    'l_stats.csv': await fixture('locust_stats.csv'),
    'l_failures.csv': 'Method,Name,Error,Occurrences\nGET,Home,500,3\n',
    'l_exceptions.csv': `Count,Message,Traceback,Nodes\n7,'token',"  File ""a.py"", line 7\n",local\n`,
  }
  expect((await reportOf(content)).errors).toEqual([
    { message: "exception: 'token'", count: 7, places: [] },
    { message: '500', count: 3, places: ['GET Home'] },
  ])
})

test('one report in two forms counts once, and samples in two forms are refused', async () => {
  const name = '{name:Home}'
  const metrics = { [`http_reqs${name}`]: { count: 2 }, [`http_req_duration${name}`]: { avg: 5 } }
  const summary = JSON.stringify({ root_group: {}, metrics })
  const twice = await reportOf({ 'out/a.json': summary, 'out/a.json.gz': gzipSync(summary) }, 'out')
  expect(twice.timers.requests.timers).toMatchObject([{ name: 'Home', count: 2 }])
  const both = { 'k6/k6.csv': await fixture('k6.csv'), 'k6/k6.json': await fixture('k6.json') }
  await expect(reportOf(both, 'k6')).rejects.toThrow(/2 reports, such as k6\.csv, k6\.json\. Name one/)
  const apart = { 'run/m1/k6.csv': await fixture('k6.csv'), 'run/m2/k6.csv': await fixture('k6.csv') }
  await expect(reportOf(apart, 'run')).rejects.toThrow(
    /2 reports, .* Name one of them: only samples of one run are put together/,
  )
  const kinds = { 'two/k6.csv': await fixture('k6.csv'), 'two/k6.json': summary }
  await expect(reportOf(kinds, 'two')).rejects.toThrow(/Name one of them: only samples/)
})

test('a summary has the web vitals of its pages where it has their 75th percentile', async () => {
  const vital = (score: object) => ({ avg: 9, 'p(95)': 90, ...score })
  const metrics = {
    http_req_duration: { avg: 5 },
    browser_web_vital_lcp: vital({ 'p(75)': 50 }),
    'browser_web_vital_lcp{url:https://shop.example.com/}': vital({ 'p(75)': 60 }),
    'browser_web_vital_cls{name:Home}': vital({ 'p(75)': 0.1 }),
    browser_web_vital_fcp: vital({}),
    'browser_web_vital_lcp{name:Never}': vital({ 'p(75)': 0, max: 0 }),
    'browser_web_vital_cls{name:Never}': vital({ 'p(75)': 0, max: 0, count: 0 }),
    'browser_web_vital_cls{name:Still}': vital({ 'p(75)': 0, max: 0 }),
  }
  const { webVitals } = await reportOf({ 's.json': JSON.stringify({ root_group: {}, metrics }) })
  expect(webVitals).toEqual([
    { name: 'all pages', vitals: { lcp: { score: 50 } } },
    { name: 'https://shop.example.com/', vitals: { lcp: { score: 60 } } },
    { name: 'Home', vitals: { cls: { score: 0.1 } } },
    { name: 'Still', vitals: { cls: { score: 0 } } },
  ])
})

test.each(['avg min med max p(95)', 'med p(95)', 'p(95)', 'min', 'count max'])(
  'with summaryTrendStats of %s, what k6 never measured has no figures, though a threshold makes a metric of zeros of it',
  async (words) => {
    const trend = (value: number) => Object.fromEntries(words.split(' ').map((word) => [word, value]))
    const metrics = {
      http_req_duration: trend(5),
      'http_req_duration{name:Never}': trend(0),
      group_duration: trend(5),
      'group_duration{group:::Never}': trend(0),
      browser_web_vital_lcp: { 'p(75)': 0 },
      basket_time: trend(5),
      queue: { value: 5, min: 5, max: 5 },
    }
    const { timers, webVitals } = await reportOf({ 's.json': JSON.stringify({ root_group: {}, metrics }) })
    const never = { name: 'Never', percentiles: {} }
    expect([timers.requests.timers, timers.transactions.timers]).toEqual([[never], [never]])
    expect([timers.requests.summary, timers.transactions.summary]).toMatchObject([{ name: '' }, { name: '' }])
    expect(timers.customTimers.timers).toMatchObject([{ name: 'basket_time' }])
    expect(webVitals).toEqual([])
  },
)

test.each(['p95', 'p095', 'p0.5', 'p100', 'p100.0', 'p0', 'p00.0', 'p101', 'p100.1', 'P95'])(
  'whether %s is a percentile, schema and step agree',
  async (word) => {
    const schema = await readFile('docs/report.schema.json', 'utf8')
    const [, pattern = ''] = /"propertyNames": \{ "pattern": "(.*)" \}/.exec(schema) ?? []
    expect(new RegExp(pattern.replaceAll('\\\\', '\\')).test(word)).toBe(isPercentile(word))
  },
)

test.each(['name:Home', 'name: Home', ' name : "Home" ', "'name':'Home'"])(
  'a threshold on {%s} is one on the request Home',
  async (tag) => {
    const metrics = {
      http_req_duration: { avg: 5 },
      [`http_req_duration{${tag}}`]: { avg: 7 },
      'http_reqs{name:Home}': { count: 3 },
    }
    const { timers } = await reportOf({ 's.json': JSON.stringify({ root_group: {}, metrics }) })
    expect(timers.requests.timers).toMatchObject([{ name: 'Home', count: 3, mean: 7 }])
  },
)

test("of k6's requests that say nothing about failing, a summary knows no errors; users are those that there were", async () => {
  const failed = { passes: 1, fails: 4 }
  const metrics = {
    http_reqs: { count: 9 },
    http_req_failed: failed,
    'http_reqs{name:Home}': { count: 5 },
    'http_req_failed{name:Home}': failed,
    vus: { value: 1, max: 3 },
    vus_max: { value: 50, max: 50 },
  }
  const { general, timers } = await reportOf({ 's.json': JSON.stringify({ root_group: {}, metrics }) })
  expect(general.users).toBe(3)
  expect(timers.requests.summary).toMatchObject({ count: 9 })
  expect(timers.requests.summary).not.toHaveProperty('errors')
  expect(timers.requests.timers).toMatchObject([{ name: 'Home', count: 5, errors: 1 }])
})

test('errors of some samples are not those of all', async () => {
  const rows = ['http_req_duration,Home,true', 'http_req_duration,Home,false', 'grpc_req_duration,Add,']
  const text = rows.map((one) => `${one},1795582520,5\n`).join('')
  const { requests } = (
    await reportOf({ 'k6.csv': `metric_name,name,expected_response,timestamp,metric_value\n${text}` })
  ).timers
  expect(requests.timers).toMatchObject([{ name: 'Home', count: 2, errors: 1 }, { name: 'Add' }])
  expect(requests.timers[1]).not.toHaveProperty('errors')
  expect(requests.summary).toMatchObject({ count: 3, mean: 5 })
  expect(requests.summary).not.toHaveProperty('errors')
})

test.each([
  [String.raw`C:\\dir`, String.raw`C:\dir`],
  [String.raw`it\'s`, "it's"],
  [String.raw`\\\"a`, String.raw`\"a`],
  [String.raw`\u00e9`, 'é'],
])('a request that a program writes as %s', async (written, name) => {
  const row = `{ type: "REQUEST", name: "${written}", stats: { numberOfRequests: { total: "2" } } }`
  const report = await reportOf({ 'stats.js': `${gatling}{}, contents: { a: ${row} } }` })
  expect(report.timers.requests.timers).toMatchObject([{ name, count: 2 }])
})

test('a check of k6 without one of its counts is not measured', async () => {
  const checks = '[{"name":"a","passes":3},{"name":"b","fails":0},{"name":"c","passes":1,"fails":2}]'
  const text = `{"metrics":{"http_reqs":{"count":1}},"root_group":{"checks":${checks}}}`
  const { timers } = await reportOf({ 's.json': text })
  expect(timers.customTimers.timers).toMatchObject([{ name: 'check: c', count: 3, errors: 2 }])
})

test('checks of groups in thousands of others count', async () => {
  const depth = 5000
  const checks = '{"checks":[{"name":"ok","passes":3,"fails":1}]}'
  const text = `{"metrics":{"http_reqs":{"count":1}},"root_group":${'{"groups":['.repeat(depth)}${checks}${']}'.repeat(depth)}}`
  const { timers } = await reportOf({ 's.json': text })
  expect(timers.customTimers.timers).toMatchObject([{ name: 'check: ok', count: 4, errors: 1 }])
})
