import { deepStrictEqual } from 'node:assert'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readReport, reportFiles } from '../src/report/reading/report-reader.js'
import {
  edited,
  loadTests,
  openCompany,
  pullRequest,
  push,
  type Company,
} from '../__tests__/recipes/company.js'
import { runOnAct } from './act.js'
import { goProgram, mavenJars, pythonProgram, run } from './cache.js'
import type { Trial } from './trial.js'

/** A program that runs load tests, and its load test of the shop: 40 times Home and Cart, by 4 users, which takes 10 s and hardly any of the machine. */
interface LoadTool {
  recipe: string
  /** What takes the place of parts of the recipe: it runs the program at `program`. */
  edits: (program: string) => Record<string, string>
  /** A shell script that runs the program with the recipe's arguments, and keeps its reports in the folder `kept`. */
  program: (kept: string) => string
  /** The repository's files. */
  files: (address: string) => Record<string, string>
  /** The reports that it keeps, all of one run. */
  reports: readonly string[]
  /** How many answers of the 40 its reports have at least: all by default. */
  fewest?: number
}

/** What the shop answered. */
interface Answer {
  name: string
  /** Milliseconds. */
  time: number
  isFault: boolean
}

/**
 * Of 40 answers the median is far below the mean, p90 below p95. Once it is worse, Cart takes three times as long, and
 * each 20th answer is a fault. It is a process of its own: this one is busy with other trials.
 */
const shop = `
  const times = [1150, 850, 850, ...Array(7).fill(550), ...Array(30).fill(250)]
  let isWorse = false
  let answers = { Home: [], Cart: [] }
  const server = require('node:http').createServer(({ url }, response) => {
    if (url === '/answers') return response.end(JSON.stringify(Object.values(answers).flat()))
    if (url === '/worse') {
      isWorse = true
      answers = { Home: [], Cart: [] }
      return response.end()
    }
    const name = url === '/home' ? 'Home' : 'Cart'
    const [began, place] = [performance.now(), answers[name].length]
    const answer = { name, isFault: isWorse && place % 20 === 0, time: 0 }
    answers[name].push(answer)
    setTimeout(() => {
      response.writeHead(answer.isFault ? 500 : 200).end('x'.repeat(500))
      answer.time = performance.now() - began
    }, times[place % 40] * (isWorse && name === 'Cart' ? 3 : 1))
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
  process.stdin.resume().on('end', () => process.exit())`

/** Milliseconds that a figure may be below what the shop measured of itself, by rounding, and above it: p99 is further. */
const [below, above] = [20, 250]

function trialsOf(...tools: readonly LoadTool[]): Trial[] {
  return tools.map((tool) => ({
    what: 'its recipe is green with an unchanged shop, and names what is slower or fails; its reports are read right',
    // Where the machine was busy with something else during one of the runs only, that run was slower in truth.
    try: () => tried(tool).catch(() => tried(tool)),
  }))
}

/** Main is measured, on act, then a pull request that changes nothing, then one that makes the shop worse. */
async function tried({ recipe, edits, program, files, reports, fewest = 40 }: LoadTool): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'load-tool-'))
  const server = spawn(process.execPath, ['-e', shop], { stdio: ['pipe', 'pipe', 'inherit'] })
  const company = await openCompany([])
  try {
    const [port] = (await once(server.stdout, 'data')) as [Buffer]
    const address = `http://127.0.0.1:${port.toString().trim()}`
    const [kept, own] = [path.join(folder, 'kept'), path.join(folder, 'program')]
    await mkdir(kept)
    await writeFile(own, `#!/bin/bash\n${program(kept)}\n`, { mode: 0o755 })
    for (const branch of ['main', 'faster']) company.commit(branch, files(address))
    const shown = edited(`docs/recipes/${recipe}`, edits(own))
    const { outputs } = await runOnAct(company, shown, push)
    deepStrictEqual(
      outputs.map(({ verdict }) => verdict),
      ['passed'],
    )
    deepStrictEqual(await judged(company, shown), ['passed'])
    await fetch(`${address}/worse`)
    const slower = 'request "*" mean <= baseline + 10% for Cart'
    deepStrictEqual(await judged(company, shown), ['failed', slower, 'requests error-rate <= 1%'])
    const answers = (await (await fetch(`${address}/answers`)).json()) as Answer[]
    const means: string[] = []
    for (const name of reports) means.push(await agree(path.join(kept, name), answers, fewest))
    // Samples, and what the program itself computed of them.
    deepStrictEqual([...new Set(means)], means.slice(0, 1))
  } finally {
    server.stdin.end()
    await company.close()
    await rm(folder, { recursive: true })
  }
}

/** The verdict about a pull request, and the gates that failed. */
async function judged(company: Company, shown: ReturnType<typeof edited>): Promise<string[]> {
  const ran = await company.run(shown, pullRequest, { secrets: {} })
  const [step] = loadTests(ran)
  if (!step) throw new Error(ran.jobs.flatMap(({ steps }) => steps.map(({ log }) => log)).join('\n'))
  const errors = step.annotations.filter(({ kind }) => kind === 'error')
  return [step.outputs['verdict'] ?? '', ...errors.map(({ message }) => gateIn(message)).sort()]
}

/** Tools put the method or group before a request's name. */
function gateIn(message: string): string {
  return message
    .replace(/: value [^]*/, '')
    .replace(/ for request "(?:GET |POST |Visit \/ )?Cart"/, ' for Cart')
}

/** A report says what the shop answered. @returns its means */
async function agree(file: string, answers: readonly Answer[], fewest: number): Promise<string> {
  const { report } = await readReport(await reportFiles([file], `${file}-scratch`))
  let means = ''
  for (const name of ['Home', 'Cart']) {
    const timer = report.timers.requests.timers.find((one) => one.name.endsWith(name))
    const { count = 0, errors = 0, mean = 0, percentiles = {} } = timer ?? {}
    const own = answers.filter((one) => one.name === name).slice(0, count)
    const times = own.map(({ time }) => time).sort((a, b) => a - b)
    const due = {
      count: Math.max(fewest, times.length),
      errors: own.filter(({ isFault }) => isFault).length,
      mean: times.reduce((sum, time) => sum + time, 0) / times.length,
      p95: times[Math.ceil(times.length * 0.95) - 1] ?? 0,
    }
    const p95 = percentiles['p95'] ?? 0
    const isIn = (is: number, of: number) => is >= of - below && is <= of + above
    const isRight = isIn(mean, due.mean) && isIn(p95, due.p95)
    deepStrictEqual(
      { file, name, count, errors, mean, p95 },
      { file, name, ...due, ...(isRight && { mean, p95 }) },
    )
    means += `${name} ${mean.toFixed(3)} `
  }
  return means
}

const k6Script = (address: string) => `
import http from 'k6/http'
import { group } from 'k6'
export const options = {
  vus: 4,
  iterations: 40,
  thresholds: Object.fromEntries(['Home', 'Cart'].flatMap((name) => [
    ['http_req_duration{name:' + name + '}', ['max>0']],
    ['http_req_failed{name:' + name + '}', ['rate<0.01']],
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
  const docker = `docker run --rm --network host --user "$(id -u)" --volume "$PWD:/work" --workdir /work \\
            grafana/k6:1.8.1`
  return trialsOf({
    recipe: 'k6.yml',
    edits: (own) => ({ [docker]: own }),
    program: (kept) =>
      `${program} "$@" --quiet --no-usage-report --out json=k6.json; code=$?; cp k6.* summary.json ${kept}; exit $code`,
    files: (address) => ({ 'loadtest.js': k6Script(address) }),
    reports: ['k6.csv.gz', 'k6.json', 'summary.json'],
  })
}

const locustfile = (address: string) => `
import gevent
from locust import HttpUser, task, constant, exception, stats
stats.CSV_STATS_INTERVAL_SEC = 0.5
visits = 0
class Visitor(HttpUser):
    host = "${address}"
    wait_time = constant(0.01)
    @task
    def visit(self):
        global visits
        visits += 1
        if visits == 41:
            gevent.spawn_later(2, self.environment.runner.quit)
        if visits > 40:
            raise exception.StopUser()
        self.client.get("/home", name="Home")
        self.client.post("/cart", name="Cart")
`

/** Locust leaves out what came in its last moments, and writes percentiles in steps of 1 or 10 ms. */
export async function locust(): Promise<Trial[]> {
  const program = await pythonProgram('locust', '2.47.0')
  return trialsOf({
    recipe: 'locust.yml',
    edits: (own) => ({
      'pip install locust==2.47.0': 'true',
      'locust --headless --users 20 --spawn-rate 5 --run-time 10m': `${own} --headless --users 4 --spawn-rate 4 --run-time 10m`,
    }),
    program: (kept) => `${program} "$@" && cp locust_*.csv ${kept}`,
    files: (address) => ({ 'locustfile.py': locustfile(address) }),
    reports: ['locust_stats.csv'],
    fewest: 36,
  })
}

const sampler = (name: string, port: string) => `
<HTTPSamplerProxy guiclass="HttpTestSampleGui" testclass="HTTPSamplerProxy" testname="${name}">
  <elementProp name="HTTPsampler.Arguments" elementType="Arguments"><collectionProp name="Arguments.arguments"/></elementProp>
  <stringProp name="HTTPSampler.domain">127.0.0.1</stringProp><stringProp name="HTTPSampler.port">${port}</stringProp>
  <stringProp name="HTTPSampler.path">/${name.toLowerCase()}</stringProp><stringProp name="HTTPSampler.method">GET</stringProp>
</HTTPSamplerProxy><hashTree/>`

const saved = ['time', 'latency', 'timestamp', 'success', 'label', 'code', 'message', 'xml', 'connectTime']

const plan = (port: string) => `<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0"><hashTree><TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="p"/><hashTree>
<ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="T"><elementProp name="ThreadGroup.main_controller" elementType="LoopController">
<boolProp name="LoopController.continue_forever">false</boolProp><stringProp name="LoopController.loops">10</stringProp></elementProp><stringProp name="ThreadGroup.num_threads">4</stringProp></ThreadGroup>
<hashTree><TransactionController guiclass="TransactionControllerGui" testclass="TransactionController" testname="Visit"/><hashTree>${sampler('Home', port)}${sampler('Cart', port)}</hashTree></hashTree>
<ResultCollector guiclass="SimpleDataWriter" testclass="ResultCollector" testname="XML"><stringProp name="filename">samples.xml</stringProp>
<objProp><name>saveConfig</name><value class="SampleSaveConfiguration">${saved.map((name) => `<${name}>true</${name}>`).join('')}</value></objProp></ResultCollector><hashTree/>
</hashTree></hashTree></jmeterTestPlan>`

/** JMeter writes its samples in two ways, and the dashboard of them. */
export async function jmeter(): Promise<Trial[]> {
  const parts = ['_core', '_http', '_java', '_components', '_functions', '_config', '']
  const names = parts.map((part) => `ApacheJMeter${part}`)
  const jars = await mavenJars('org.apache.jmeter', names, '5.6.3')
  const home = path.join(jars, '../home')
  const unpack = `mkdir -p ${home}/lib/ext ${home}/lib/junit && cp ApacheJMeter_*.jar ${home}/lib/ext && unzip -qo ApacheJMeter_config-5.6.3.jar -d ${home}`
  await run('bash', ['-ec', unpack], { cwd: jars })
  const java = `java -Djava.awt.headless=true -Djmeter.home=${home} -cp '${jars}/*' org.apache.jmeter.NewDriver`
  return trialsOf({
    recipe: 'jmeter.yml',
    edits: (own) => ({
      'curl -fsSL https://archive.apache.org/dist/jmeter/binaries/apache-jmeter-5.6.3.tgz | tar -xz -C "$RUNNER_TEMP"': `mkdir -p "$RUNNER_TEMP/apache-jmeter-5.6.3/bin" && ln -s ${own} "$RUNNER_TEMP/apache-jmeter-5.6.3/bin/jmeter"`,
    }),
    program: (kept) => `set -e; export JMETER_HOME=${home}; ${java} "$@" -e -o dashboard
      rm -rf ${kept}/*; cp -r results.jtl samples.xml dashboard ${kept}`,
    files: (address) => ({ 'loadtest.jmx': plan(new URL(address).port) }),
    reports: ['results.jtl', 'samples.xml', 'dashboard'],
  })
}

const simulation = (address: string) => `
import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;
import io.gatling.javaapi.core.*;
public class Shop extends Simulation {
  private static ChainBuilder visit(String name) {
    return exec(http(name).get("/" + name.toLowerCase()).check(status().is(200)));
  }
  {
    setUp(scenario("Visitors").repeat(10).on(group("Visit").on(visit("Home"), visit("Cart"))).injectOpen(atOnceUsers(4)))
      .protocols(http.baseUrl("${address}").disableWarmUp());
  }
}
`

/** Gatling before and after its figures moved into the page. */
export async function gatling(): Promise<Trial[]> {
  const versions = ['3.10.5', '3.15.0']
  const tools = versions.map(async (version): Promise<LoadTool> => {
    const jars = await mavenJars('io.gatling.highcharts', ['gatling-charts-highcharts'], version)
    return {
      recipe: 'gatling.yml',
      edits: (own) => ({ 'mvn -B -ntp gatling:test -Dgatling.failOnError=false': own }),
      program: (kept) =>
        `set -e; javac -d classes -cp '${jars}/*' Shop.java
        echo '<configuration><root level="OFF"/></configuration>' > classes/logback.xml
        java --add-opens=java.base/java.lang=ALL-UNNAMED -cp 'classes:${jars}/*' io.gatling.app.Gatling -s Shop -rf target/gatling
        # As the plugin for Maven does.
        echo shop > target/gatling/lastRun.txt
        rm -rf ${kept}/*; cp -r target/gatling/shop-* ${kept}/report`,
      files: (address) => ({ 'Shop.java': simulation(address) }),
      reports: ['report'],
    }
  })
  return trialsOf(...(await Promise.all(tools)))
}
