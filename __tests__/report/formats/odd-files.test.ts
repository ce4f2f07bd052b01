import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ReportError } from '../../../src/errors.js'
import type { Report } from '../../../src/report/report.js'
import { readReport, reportFiles } from '../../../src/report/reading/report-reader.js'

let folder: string
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'odd-'))))
afterEach(() => rm(folder, { recursive: true }))

/** What it says, or the sentence that refuses it; any other fault is thrown. */
async function tried(file: string, content: string | Buffer): Promise<Report | string> {
  const path = join(folder, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  try {
    return (await readReport(await reportFiles([path], join(folder, 'scratch')))).report
  } catch (error) {
    if (!(error instanceof ReportError)) throw error
    expect(error.message).toMatch(/^(?:[A-Z"]|\w+\.\w+ ).{20,}[.?]$/s)
    return error.message
  }
}

const csv = (text: string) => `"${text.replaceAll('"', '""')}"`
const markup = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const cells = (...values: (string | number)[]) =>
  values.map((value, at) => `<td class="value total col-${at + 2}">${value}</td>`).join('\n')

/** A whole report of each format, of one request with a mean. */
const reports: Record<string, [file: string, text: (mean: string, name?: string) => string]> = {
  'JMeter, CSV': [
    'a.jtl',
    (mean, name = 'Home') =>
      `timeStamp,elapsed,label,responseCode,responseMessage,success,Latency\n1795582520264,${mean},${csv(name)},200,OK,true,7\n`,
  ],
  'JMeter, XML': [
    'a.xml',
    (mean, name = 'Home') =>
      `<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2"><httpSample t="${mean}" ts="1795582520264" s="true" lb="${markup(name)}" rc="200" rm="OK"/></testResults>`,
  ],
  'JMeter, the dashboard': [
    'statistics.json',
    (mean, name = 'Home') =>
      `{${JSON.stringify(name)}:{"transaction":${JSON.stringify(name)},"sampleCount":2,"errorCount":0,"meanResTime":${mean}}}`,
  ],
  'k6, CSV': [
    'k6.csv',
    (mean, name = 'Home') =>
      `metric_name,timestamp,metric_value,expected_response,name,status,extra_tags\nhttp_req_duration,1795582520,${mean},true,${csv(name)},200,\n`,
  ],
  'k6, JSON': [
    'k6.json',
    (mean, name = 'Home') =>
      `{"metric":"http_req_duration","type":"Point","data":{"time":"2026-11-25T04:56:34.9Z","value":${mean},"tags":{"name":${JSON.stringify(name)}}}}`,
  ],
  'k6, JSON with many thresholds': [
    'k6.json',
    (mean, name = 'Home') =>
      `{"type":"Metric","data":{"name":"http_reqs","thresholds":[],"submetrics":[{"name":"${'x'.repeat(20_000)}"}]},"metric":"http_reqs"}\n{"metric":"http_req_duration","type":"Point","data":{"time":"2026-11-25T04:56:34.9Z","value":${mean},"tags":{"name":${JSON.stringify(name)}}}}`,
  ],
  'k6, a summary': [
    'summary.json',
    (mean, name = 'Home') =>
      `{"root_group":{},"metrics":{"http_reqs":{"count":1},${JSON.stringify(`http_req_duration{name:${name}}`)}:{"avg":${mean}}}}`,
  ],
  'k6, a summary with many checks': [
    'summary.json',
    (mean, name = 'Home') =>
      `{"root_group":{"name":"","note":"${'x'.repeat(20_000)}"},"metrics":{"http_reqs":{"count":1},${JSON.stringify(`http_req_duration{name:${name}}`)}:{"avg":${mean}}}}`,
  ],
  'k6, a summary with data of setup()': [
    'summary.json',
    (mean, name = 'Home') =>
      `{"setup_data":["${'x'.repeat(20_000)}"],"root_group":{},"metrics":{"http_reqs":{"count":1},${JSON.stringify(`http_req_duration{name:${name}}`)}:{"avg":${mean}}}}`,
  ],
  'k6, a summary with a long script': [
    'summary.json',
    (mean, name = 'Home') =>
      `{"config":{"duration":1.5,"execution":"local","script":"${'x'.repeat(20_000)}"},"metadata":{},"results":{"metrics":[{"name":${JSON.stringify(`http_req_duration{name:${name}}`)},"values":{"avg":${mean}}}]}}`,
  ],
  Locust: [
    'a_stats.csv',
    (mean, name = 'Home') =>
      `Type,Name,Request Count,Failure Count,Average Response Time,95%\n,${csv(name)},2,0,${mean},12\n,Aggregated,2,0,10,12\n`,
  ],
  'Gatling, stats.js': [
    'js/stats.js',
    (mean, name = 'Home') =>
      `var stats = { type: "GROUP", stats: {}, contents: { "r": { type: "REQUEST", name: ${JSON.stringify(name)}, stats: { "numberOfRequests": { "total": "2" }, "meanResponseTime": { "total": ${mean} } } } } }\nfunction fillStats(){}`,
  ],
  'Gatling, index.html': [
    'index.html',
    (mean, name = 'Home') =>
      `<title>Gatling Stats - Global Information</title><tr>\n<th id="col-2" class="h"><span>Total</span></th>\n<th id="col-3"><span>Mean</span></th>\n</tr><tr ><span id="stats-table-ROOT" class="ellipsed-name">All</span>${cells(2, 10)}</tr><tr data-parent="ROOT"><span id="stats-table-r" class="ellipsed-name">${markup(name)}</span>${cells(2, mean)}</tr></html>`,
  ],
  'a JSON of our own': [
    'report.json',
    (mean, name = 'Home') => `{"requests":[{"name":${JSON.stringify(name)},"count":2,"mean":${mean}}]}`,
  ],
}
const kinds = Object.entries(reports)
const asked = (report: Report | string) =>
  typeof report === 'string' ? report : report.timers.requests.timers.map(({ mean }) => mean)

test.each(kinds)('%s: a mean of 10 is read', async (_, [file, text]) => {
  expect(asked(await tried(file, text('10')))).toEqual([10])
})

const values = ['NaN', '-5', '1e300', '=1+1', '', '0x10', '1;5', 'null', 'true', '{}', '"-5"']
test.each(kinds.flatMap(([kind, [file, text]]) => values.map((value) => [kind, value, file, text(value)])))(
  '%s: a mean of %j is refused or missing, never a figure',
  async (_, __, file, text) => {
    const report = await tried(file, text)
    if (typeof report === 'string') return
    for (const { mean } of report.timers.requests.timers) expect(mean).toBeUndefined()
  },
)

const names = ['__proto__', '=cmd|x', 'a\nb', 'a"b', '<b>&amp;', 'é€', 'a, b; c', 'x'.repeat(3000)]
test.each(
  kinds.flatMap(([kind, [file, text]]) =>
    names.map((name) => [kind, name.slice(0, 9), name, file, text('10', name)]),
  ),
)('%s: a request named %j is read', async (_, __, name, file, text) => {
  const report = await tried(file, text)
  expect(asked(report)).toEqual([10])
  const [timer] = typeof report === 'string' ? [] : report.timers.requests.timers
  expect(timer?.name.replaceAll(/\s/g, ' ')).toBe(name.replaceAll(/\s/g, ' '))
})

/** What happens to files, and whether they still are what they were. */
const damages: Record<string, [change: (text: string) => string | Buffer, isWhole: boolean]> = {
  'a byte order mark': [(text) => `\ufeff${text}`, true],
  'other line ends': [(text) => text.replaceAll('\n', '\r\n'), true],
  'lines after it': [(text) => `${text}\n\n`, true],
  nothing: [() => '', false],
  blanks: [() => ' \n\n', false],
  'its first half': [(text) => text.slice(0, text.length * 0.6), false],
  'all but its end': [(text) => text.slice(0, text.lastIndexOf('10') + 2), false],
  UTF16: [(text) => Buffer.from(`\ufeff${text}`, 'utf16le'), false],
  'a page about a fault': [() => '<!DOCTYPE html><html><body>502 Bad Gateway</body></html>', false],
  'packed and cut': [() => Buffer.from('1f8b08000000000000036bd8b3', 'hex'), false],
}
test.each(
  kinds.flatMap(([kind, [file, text]]) =>
    Object.entries(damages).map(
      ([damage, [change, isWhole]]) => [kind, damage, file, change(text('10')), isWhole] as const,
    ),
  ),
)('%s: %s', async (_, __, file, content, isWhole) => {
  const means = asked(await tried(file, content))
  expect(means).toEqual(isWhole ? [10] : expect.any(String))
})

test('what JMeter has added to the file of an earlier run is refused', async () => {
  const run = (from: number) =>
    Array.from({ length: 100 }, (_, at) => `${from + at * 100},50,Home,200,OK,Text,true`)
  const begin = 1_795_582_520_264
  const text = (...runs: string[][]) =>
    ['timeStamp,elapsed,label,responseCode,responseMessage,dataType,success', ...runs.flat(), ''].join('\n')
  expect(asked(await tried('results.jtl', text(run(begin))))).toEqual([50])
  expect(await tried('results.jtl', text(run(begin), run(begin + 86_400_000)))).toBe(
    'It holds more than one run: for 23 h 36 min of 24 h, it has no samples. Remove what earlier runs have left before the load test starts: JMeter adds to a file that exists.',
  )
})

/** What people name in place of a report. */
const besides: [sentence: RegExp, ...files: [name: string, begin: string][]][] = [
  [
    /is no report or archive of one\. Looked for XLT|^There is no report that can be read/,
    ['aggregate.csv', 'Label,# Samples,Average,Median\nHome,2,5,5\n'],
    ['goose.csv', 'elapsed,raw,name,response_time,status_code,success\n9,,Home,5,200,true\n'],
    ['plan.jmx', '<?xml version="1.0"?>\n<jmeterTestPlan version="1.2"/>'],
    ['index.html', '<html>\n<title>Apache JMeter Dashboard</title>'],
    ['a.html', '<!DOCTYPE html><title>k6 report</title>'],
    ['model.json', '{"metrics":{"data_quality":{"avg":3,"max":9}}}'],
    ['locust.json', '[\n    {\n        "name": "/missing",\n        "method": "GET",\n'],
    ['a_failures.csv', 'Method,Name,Error,Occurrences\n'],
    ['a_stats_history.csv', 'Timestamp,User Count,Type,Name\n'],
    ['index.html', '<html><title>Gatling Stats - Home</title>'],
    ['js/global_stats.json', '{\n  "name": "All Requests",\n  "numberOfRequests": {}}'],
    ['simulation.log', '\0\0\0\0\x063.14.3\0\0\0\x17basic.Visits'],
  ],
  [
    /^naive\.csv is text, and is no report or archive of one\. Looked for .* can be written as the last of these: docs\/judge-other-reports\.md says how\.$/,
    ['naive.csv', 'größe,zahl\n1,2\n'],
  ],
  [
    /(?:truncated: .* to its end,|not well-formed .*) or have JMeter write CSV\.$/,
    ['a.jtl', '<testResults><httpSample t="1" s="true" lb="a"/>'],
    ['a.jtl', '<testResults><httpSample t="1" lb="&#x0;"/></testResults>'],
  ],
]
test.each(besides.flatMap(([sentence, ...files]) => files.map((file) => [...file, sentence] as const)))(
  '%s that begins with %j is refused with what to judge',
  async (file, content, sentence) => {
    expect(await tried(file, content)).toMatch(sentence)
  },
)

test("a row of JMeter's dashboard over more than a week is of several runs", async () => {
  const text = (days: number) =>
    JSON.stringify({ Total: { sampleCount: 7, meanResTime: 10, throughput: 7 / (days * 86_400) } })
  expect(await tried('statistics.json', text(7))).toMatchObject({ general: { duration: 604_800 } })
  expect(await tried('statistics.json', text(8))).toMatch(
    /^It holds more than one run: it covers 192 h\. Remove/,
  )
})

test("Gatling's page writes characters by the names that HTML has for them", async () => {
  const [file, text] = reports['Gatling, index.html'] ?? ['', () => '']
  const name =
    'Gr&ouml;&szlig;e &euro;5 &rarr; &laquo;Korb&raquo; &mdash;&nbsp;&#26085;&hellip; &apos;&unknown;'
  expect(await tried(file, text('10', 'Home').replace('Home<', `${name}<`))).toMatchObject({
    timers: { requests: { timers: [{ name: 'Größe €5 → «Korb» —\u00a0日… &apos;&unknown;', mean: 10 }] } },
  })
})

test.each([
  [2, '-', 0],
  [2, 1, 1],
  [1, '-', undefined],
  ['-', 2, 2],
  ['-', '-', undefined],
])("Gatling's page has %j requests as OK of 2 and %j as KO", async (passed, failed, errors) => {
  const titles = ['Total', 'OK', 'KO'].map((title, at) => `<th id="col-${at + 2}"><span>${title}</span></th>`)
  const row = (id: string) =>
    `<tr ><span id="stats-table-${id}" class="ellipsed-name">Home</span>${cells(2, passed, failed)}</tr>`
  const report = await tried(
    'index.html',
    `<title>Gatling Stats - Global Information</title>${titles.join('')}${row('ROOT')}${row('a')}</html>`,
  )
  const found = typeof report === 'string' ? undefined : report.timers.requests
  expect([found?.summary?.errors, found?.timers[0]?.errors]).toEqual([errors, errors])
})

test('an old Locust writes None as the type of all requests, and of requests without a method', async () => {
  const rows = [
    '"Type","Name","Request Count","Failure Count"',
    '"None","Home",2,1',
    '"POST","Cart",3,0',
    '"None","Aggregated",5,1',
  ]
  expect(await tried('a_stats.csv', rows.join('\n'))).toMatchObject({
    timers: {
      requests: {
        summary: { name: '', count: 5, errors: 1 },
        timers: [{ name: 'Home', count: 2 }, { name: 'POST Cart' }],
      },
      customTimers: { timers: [] },
    },
  })
})
