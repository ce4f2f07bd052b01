import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Report } from '../src/report/report.js'
import { readReport, reportFiles } from '../src/report/reading/report-reader.js'
import { goProgram, mavenJars, pythonProgram, run } from './cache.js'
import { equal, type Trial } from './trial.js'

/** Gives `use` a folder and the address of a server that answers within some ms, and each tenth cart with a fault. */
async function besideShop(use: (folder: string, address: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'load-tool-'))
  let answers = 0
  const server = createServer((request, response) => {
    const isFault = request.url === '/cart' && ++answers % 10 === 0
    setTimeout(() => response.writeHead(isFault ? 500 : 200).end('x'.repeat(500)), 5 + (answers % 7))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  try {
    await use(folder, `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`)
  } finally {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true })
  }
}

async function reportAt(folder: string, name: string): Promise<Report> {
  const files = await reportFiles([path.join(folder, name)], path.join(folder, 'scratch'))
  return (await readReport(files)).report
}

/** `Cart: 80 samples, 8 errors, mean 7.123456` */
function told({ timers }: Report): string[] {
  const { timers: requests } = timers.requests
  return requests
    .map(({ name, count, errors, mean }) => `${name}: ${count} ${errors} ${mean?.toFixed(6)}`)
    .sort()
}

const script = (address: string) => `
import http from 'k6/http'
import { group } from 'k6'
export const options = {
  vus: 4,
  iterations: 80,
  thresholds: Object.fromEntries(['Home', 'Cart'].flatMap((name) => [
    ['http_req_duration{name:' + name + '}', ['max>0']],
    ['http_req_failed{name:' + name + '}', ['rate>=0']],
    ['http_reqs{name:' + name + '}', ['count>0']],
  ])),
}
export default function () {
  group('Visit', () => {
    http.get('${address}/home', { tags: { name: 'Home' } })
    http.post('${address}/cart', 'x', { tags: { name: 'Cart' } })
  })
}
export function handleSummary(data) { return { 'summary.json': JSON.stringify(data) } }
`

/** k6 writes one run in three ways. */
export async function k6(): Promise<Trial[]> {
  const program = await goProgram('go.k6.io/k6', '1.8.1')
  const attempt = () =>
    besideShop(async (cwd, address) => {
      await writeFile(path.join(cwd, 'test.js'), script(address))
      const outputs = ['--out', 'csv=k6.csv.gz', '--out', 'json=k6.json']
      const { code, output } = await run(
        program,
        ['run', '--quiet', '--no-usage-report', ...outputs, 'test.js'],
        { cwd },
      )
      if (code !== 0) throw new Error(output)
      const samples = await reportAt(cwd, 'k6.csv.gz')
      equal(told(await reportAt(cwd, 'k6.json')), told(samples))
      equal(told(await reportAt(cwd, 'summary.json')), told(samples))
      equal(
        samples.timers.requests.timers.map(({ count, errors }) => [count, errors]),
        [
          [80, 0],
          [80, 8],
        ],
      )
      equal(
        samples.timers.transactions.timers.map(({ name, count }) => [name, count]),
        [['Visit', 80]],
      )
    })
  return [{ what: 'CSV, JSON and the summary of one run have the same figures', try: attempt }]
}

const locustfile = `
from locust import HttpUser, task, constant, events
times = open("times.txt", "w")
@events.request.add_listener
def note(name, response_time, exception, **rest):
    times.write(f"{name} {response_time} {int(exception is not None)}\\n")
    times.flush()
class Shop(HttpUser):
    wait_time = constant(0.01)
    @task
    def visit(self):
        self.client.get("/home", name="Home")
        self.client.post("/cart", name="Cart")
`

/** Locust leaves out what came in its last moments. */
export async function locust(): Promise<Trial[]> {
  const program = await pythonProgram('locust', '2.47.0')
  const attempt = () =>
    besideShop(async (cwd, address) => {
      await writeFile(path.join(cwd, 'locustfile.py'), locustfile)
      const load = ['--headless', '-u', '4', '-r', '4', '-t', '8s', '--exit-code-on-error', '0']
      const { code, output } = await run(program, [...load, '--csv', 'locust', '--host', address], { cwd })
      if (code !== 0) throw new Error(output)
      const noted = (await readFile(path.join(cwd, 'times.txt'), 'utf8')).trim().split('\n')
      const report = await reportAt(cwd, 'locust_stats.csv')
      equal(report.timers.requests.timers.map(({ name }) => name).sort(), ['GET Home', 'POST Cart'])
      for (const { name, count = 0, mean = 0 } of report.timers.requests.timers) {
        const own = noted.map((line) => line.split(' ')).filter(([one]) => name.endsWith(` ${one}`))
        const times = own.map(([, time]) => Number(time)).slice(0, count)
        equal(count <= own.length && count > 0, true)
        const theirs = times.reduce((sum, time) => sum + time, 0) / times.length
        equal(Math.abs(mean / theirs - 1) < 0.02, true)
      }
    })
  return [{ what: 'counts and means of requests are those of its events', try: attempt }]
}

const sampler = (
  name: string,
  port: string,
) => `<HTTPSamplerProxy guiclass="HttpTestSampleGui" testclass="HTTPSamplerProxy" testname="${name}">
  <elementProp name="HTTPsampler.Arguments" elementType="Arguments"><collectionProp name="Arguments.arguments"/></elementProp>
  <stringProp name="HTTPSampler.domain">127.0.0.1</stringProp><stringProp name="HTTPSampler.port">${port}</stringProp>
  <stringProp name="HTTPSampler.path">/${name.toLowerCase()}</stringProp><stringProp name="HTTPSampler.method">GET</stringProp>
</HTTPSamplerProxy><hashTree/>`

const plan = (port: string) => `<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0"><hashTree><TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="p"/><hashTree>
<ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="T"><elementProp name="ThreadGroup.main_controller" elementType="LoopController">
<boolProp name="LoopController.continue_forever">false</boolProp><stringProp name="LoopController.loops">20</stringProp></elementProp><stringProp name="ThreadGroup.num_threads">4</stringProp></ThreadGroup>
<hashTree><TransactionController guiclass="TransactionControllerGui" testclass="TransactionController" testname="Visit"/><hashTree>${sampler('Home', port)}${sampler('Cart', port)}</hashTree></hashTree>
</hashTree></hashTree></jmeterTestPlan>`

/** JMeter writes its samples, and the dashboard of them. */
export async function jmeter(): Promise<Trial[]> {
  const parts = ['core', 'http', 'java', 'components', 'functions', 'config'].map(
    (part) => `ApacheJMeter_${part}`,
  )
  const artifacts = [...parts, 'ApacheJMeter'].map((part) => `org.apache.jmeter:${part}`)
  const jars = await mavenJars(artifacts, '5.6.3')
  const attempt = () =>
    besideShop(async (cwd, address) => {
      const lib = path.join(cwd, 'lib/ext')
      await mkdir(lib, { recursive: true })
      await mkdir(path.join(cwd, 'lib/junit'))
      for (const name of (await readdir(jars)).filter((one) => one.startsWith('ApacheJMeter_'))) {
        await copyFile(path.join(jars, name), path.join(lib, name))
      }
      const unpacked = await run('unzip', ['-q', path.join(jars, 'ApacheJMeter_config-5.6.3.jar')], { cwd })
      if (unpacked.code !== 0) throw new Error(unpacked.output)
      await writeFile(path.join(cwd, 'plan.jmx'), plan(new URL(address).port))
      const java = [
        '-Djava.awt.headless=true',
        `-Djmeter.home=${cwd}`,
        '-cp',
        `${jars}/*`,
        'org.apache.jmeter.NewDriver',
      ]
      const { code, output } = await run(
        'java',
        [...java, '-n', '-t', 'plan.jmx', '-l', 'a.jtl', '-e', '-o', 'dash'],
        {
          cwd,
          env: { JMETER_HOME: cwd },
        },
      )
      if (code !== 0) throw new Error(output)
      const samples = await reportAt(cwd, 'a.jtl')
      equal(samples.timers.requests.timers.map(({ count, errors }) => [count, errors]).sort(), [
        [80, 0],
        [80, 8],
      ])
      const both = [...samples.timers.requests.timers, ...samples.timers.transactions.timers]
      samples.timers.requests.timers = both
      equal(told(await reportAt(cwd, 'dash')), told(samples))
    })
  return [{ what: 'the dashboard and the samples of one run have the same figures', try: attempt }]
}
