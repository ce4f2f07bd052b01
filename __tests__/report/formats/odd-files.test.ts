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
  'k6, a summary': [
    'summary.json',
    (mean, name = 'Home') =>
      `{"root_group":{},"metrics":{"http_reqs":{"count":1},${JSON.stringify(`http_req_duration{name:${name}}`)}:{"avg":${mean}}}}`,
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

const values = [
  'NaN',
  '-5',
  '1e300',
  'Infinity',
  '=1+1',
  '',
  '0x10',
  '1;5',
  'null',
  'true',
  '{}',
  '"x"',
  '"-5"',
]
test.each(kinds.flatMap(([kind, [file, text]]) => values.map((value) => [kind, value, file, text(value)])))(
  '%s: a mean of %j is refused or missing, never a figure',
  async (_, __, file, text) => {
    const report = await tried(file, text)
    if (typeof report === 'string') return
    for (const { mean } of report.timers.requests.timers) expect(mean).toBeUndefined()
  },
)

const names = [
  '__proto__',
  'constructor',
  '=cmd|x',
  '@a',
  'a\nb',
  'a"b',
  '<b>&amp;',
  'é€',
  'a, b; c',
  'x'.repeat(3000),
]
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
