import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { daily, thorough } from '../daily.js'
import { JudgeSandbox } from './judged.js'

let sandbox: JudgeSandbox
beforeEach(async () => {
  sandbox = await JudgeSandbox.open()
})
afterEach(() => sandbox.close())

interface Sample {
  name: string
  time: number
  isError: boolean
}

const names = ['Home', 'Search', 'Cart', 'Pay']
const each = 300

/** Times of 50 to 150 ms, evenly spread. */
function samples(slower: string, failing: number): Sample[] {
  return names.flatMap((name) =>
    Array.from({ length: each }, (_, at) => ({
      name,
      time: Math.round((50 + (at * 100) / each) * (name === slower ? 1.5 : 1)),
      isError: at % 100 < failing,
    })),
  )
}

/** What a tool's summary says about some samples. */
function figures(all: readonly Sample[]) {
  const times = all.map(({ time }) => time).sort((a, b) => a - b)
  const rank = (share: number) => times[Math.ceil(share * times.length) - 1] ?? 0
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  const errors = all.filter(({ isError }) => isError).length
  return {
    count: times.length,
    errors,
    mean,
    median: rank(0.5),
    p75: rank(0.75),
    p95: rank(0.95),
    p99: rank(0.99),
  }
}

/** Of each request, and of all. */
function rows(all: readonly Sample[]) {
  const of = (name: string) => all.filter((one) => one.name === name)
  return [...names.map((name) => ({ name, ...figures(of(name)) })), { name: 'all', ...figures(all) }]
}

const start = 1795582520264

function k6Metrics(all: readonly Sample[]) {
  return Object.fromEntries(
    rows(all).flatMap(({ name, count, errors, mean, median, p95 }): [string, object][] => {
      const tag = name === 'all' ? '' : `{name:${name}}`
      return [
        [`http_req_duration${tag}`, { avg: mean, med: median, 'p(95)': p95 }],
        [`http_reqs${tag}`, { count, rate: count / 60 }],
        [`http_req_failed${tag}`, { passes: errors, fails: count - errors }],
      ]
    }),
  )
}

function gatlingRow({ name, count, errors, mean, median, p75, p95, p99 }: ReturnType<typeof rows>[number]) {
  const total = (value: number, ko = 0) => ({ total: String(Math.round(value)), ok: '-', ko: String(ko) })
  const stats = {
    ...{ name, numberOfRequests: total(count, errors), meanResponseTime: total(mean) },
    ...{ standardDeviation: total(29), meanNumberOfRequestsPerSecond: total(count / 60) },
    ...{
      percentiles1: total(median),
      percentiles2: total(p75),
      percentiles3: total(p95),
      percentiles4: total(p99),
    },
  }
  return { type: name === 'all' ? 'GROUP' : 'REQUEST', name, path: name === 'all' ? '' : name, stats }
}

/** The file that a tool writes of the samples. */
const tools: Record<string, [file: string, text: (all: readonly Sample[]) => string]> = {
  'JMeter, CSV': [
    'out/a.jtl',
    (all) =>
      ['timeStamp,elapsed,label,responseCode,responseMessage,success,allThreads,Latency,Connect']
        .concat(
          all.map(
            ({ name, time, isError }, at) =>
              `${start + at * 50},${time},${name},200,OK,${!isError},5,${time},1`,
          ),
        )
        .join('\n'),
  ],
  'JMeter, XML': [
    'out/a.jtl',
    (all) =>
      `<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">${all
        .map(
          ({ name, time, isError }, at) =>
            `<httpSample t="${time}" ts="${start + at * 50}" s="${!isError}" lb="${name}" rc="200" rm="OK"/>`,
        )
        .join('\n')}</testResults>`,
  ],
  'JMeter, the dashboard': [
    'dashboard/statistics.json',
    (all) =>
      JSON.stringify(
        Object.fromEntries(
          rows(all).map(({ name, count, errors, mean, median, p95, p99 }) => {
            const label = name === 'all' ? 'Total' : name
            const times = { meanResTime: mean, medianResTime: median, pct2ResTime: p95, pct3ResTime: p99 }
            return [
              label,
              {
                transaction: label,
                sampleCount: count,
                errorCount: errors,
                ...times,
                throughput: count / 60,
              },
            ]
          }),
        ),
      ),
  ],
  'k6, CSV': [
    'k6.csv',
    (all) =>
      ['metric_name,timestamp,metric_value,expected_response,group,name,status,extra_tags']
        .concat(
          all.map(
            ({ name, time, isError }, at) =>
              `http_req_duration,${start + at * 50},${time},${!isError},::Visit,${name},200,`,
          ),
        )
        .join('\n'),
  ],
  'k6, JSON': [
    'k6.json',
    (all) =>
      all
        .map(({ name, time, isError }, at) => {
          const tags = { name, expected_response: String(!isError), status: '200' }
          const data = { time: new Date(start + at * 50).toISOString(), value: time, tags }
          return JSON.stringify({ metric: 'http_req_duration', type: 'Point', data })
        })
        .join('\n'),
  ],
  'k6, a summary': ['summary.json', (all) => JSON.stringify({ root_group: {}, metrics: k6Metrics(all) })],
  Locust: [
    'locust_stats.csv',
    (all) =>
      [
        'Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Requests/s,50%,75%,95%,99%',
      ]
        .concat(
          rows(all).map(({ name, count, errors, mean, median, p75, p95, p99 }) => {
            const whose = name === 'all' ? ',Aggregated' : `GET,${name}`
            return [whose, count, errors, median, mean, count / 60, median, p75, p95, p99].join()
          }),
        )
        .join('\n'),
  ],
  Gatling: [
    'shop-1/js/stats.js',
    (all) => {
      const [whole, ...requests] = rows(all).reverse()
      const contents = Object.fromEntries(requests.map((one) => [`req_${one.name}`, gatlingRow(one)]))
      const text = whole && JSON.stringify({ ...gatlingRow(whole), contents }, undefined, 1)
      return `var stats = ${text?.replace(/"(type|name|path|stats|contents)":/g, '$1:')}\n\nfunction fillStats(stat){}\n`
    },
  ],
  'a JSON of our own': [
    'report.json',
    (all) =>
      JSON.stringify({
        duration: 60,
        requests: rows(all)
          .filter(({ name }) => name !== 'all')
          .map(({ name, count, errors, mean, p95 }) => ({ name, count, errors, mean, percentiles: { p95 } })),
      }),
  ],
}

/** Judges a report of this tool by the usual gates, beside a run of the usual speed without an error. */
async function judged(tool: string, runId: number, slower = '', failing = 0) {
  const [file = '', text = () => ''] = tools[tool] ?? []
  const put = (folder: string, all: readonly Sample[]) => {
    mkdirSync(path.dirname(sandbox.at(folder, file)), { recursive: true })
    writeFileSync(sandbox.at(folder, file), text(all))
    return `${folder}/${file.replace(/js\/stats\.js$/, '')}`
  }
  const gates = 'request "*" error-rate <= 1%\nrequest "*" mean <= baseline + 10%'
  const inputs = {
    baseline: put('main', samples('', 0)),
    report: put('now', samples(slower, failing)),
    gates,
  }
  const ran = await sandbox.judge(inputs, { runId })
  const red = sandbox.outcomeOf(runId).gates.filter(({ result }) => result === 'failed')
  return { verdict: ran.outputs['verdict'], red: red.map(({ place }) => place) }
}

daily('JMeter, CSV: passed if it is like its baseline, failed if it has errors', async () => {
  expect(await judged('JMeter, CSV', 101)).toEqual({ verdict: 'passed', red: [] })
  expect(await judged('JMeter, CSV', 102, '', 5)).toMatchObject({ verdict: 'failed' })
})

thorough.each(Object.keys(tools))('%s: failed, with the request that is slower', async (tool) => {
  const name = expect.stringMatching(/Cart$/) as string
  expect(await judged(tool, 101, 'Cart')).toEqual({ verdict: 'failed', red: [{ kind: 'requests', name }] })
})
