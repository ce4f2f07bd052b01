import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Report } from '../src/report/report.js'
import { readReport, reportFiles } from '../src/report/reading/report-reader.js'
import {
  edited,
  loadTests,
  openCompany,
  pullRequest,
  push,
  type Workflow,
} from '../__tests__/recipes/company.js'
import { actProgram, onActIn } from './act-trials.js'
import { goProgram, mavenJars, pythonProgram, run } from './cache.js'
import { equal, type Trial } from './trial.js'

/** A program that runs load tests, and its load test of the shop: 40 times Home and Cart, by 4 users, which takes 10 s and hardly any of the machine. */
interface LoadTool {
  recipe: string
  /** What takes the place of parts of the recipe: it runs the program at `program`. */
  edits: (program: string) => Record<string, string>
  /** A shell script that runs the program with the recipe's arguments, and keeps what it writes in the folder `kept`. */
  program: (kept: string) => string
  /** The repository's files. */
  files: (address: string) => Record<string, string>
  /** Compares the kept reports with the samples. */
  agree: (kept: string) => Promise<void>
}

/**
 * Answers within some 500 ms; once it is worse, Cart takes half as long again, and each 20th answer is a fault. It is a
 * process of its own: this one is busy with other trials.
 */
const shop = `
  let [isWorse, answers] = [false, 0]
  const server = require('node:http').createServer(({ url }, response) => {
    if (url === '/worse') isWorse = true
    const isFault = isWorse && ++answers % 20 === 0
    const wait = url === '/worse' ? 0 : isWorse && url === '/cart' ? 750 : 500
    setTimeout(() => response.writeHead(isFault ? 500 : 200).end('x'.repeat(500)), wait)
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

/** Gives `use` a folder and the address of a shop. */
async function besideShop(use: (folder: string, address: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'load-tool-'))
  const server = spawn(process.execPath, ['-e', shop], { stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = () => server.kill()
  process.once('exit', stop)
  try {
    await mkdir(path.join(folder, 'kept'))
    const [port] = (await once(server.stdout, 'data')) as [Buffer]
    await use(folder, `http://127.0.0.1:${port.toString().trim()}`)
  } finally {
    process.off('exit', stop)
    stop()
    await rm(folder, { recursive: true })
  }
}

/** Where the machine was busy with something else during one of the runs only, that run was slower in truth. */
async function twiceAtMost(use: Parameters<typeof besideShop>[0]): Promise<void> {
  await besideShop(use).catch(() => besideShop(use))
}

const judged: Trial['what'] =
  'its recipe is green with an unchanged shop, and names what is slower or fails; figures are those of the samples'

function trialOf(tool: LoadTool): Trial {
  return {
    what: judged,
    try: () =>
      twiceAtMost(async (folder, address) => {
        const [kept, program] = [path.join(folder, 'kept'), path.join(folder, 'program')]
        await writeFile(program, `#!/bin/bash\n${tool.program(kept)}\n`, { mode: 0o755 })
        await judgedBy(
          edited(`docs/recipes/${tool.recipe}`, tool.edits(program)),
          tool.files(address),
          address,
        )
        await tool.agree(kept)
      }),
  }
}

/** Main is measured, on act, then a pull request that changes nothing, then one that makes the shop worse. */
async function judgedBy(recipe: Workflow, files: Record<string, string>, address: string): Promise<void> {
  const company = await openCompany([])
  try {
    for (const branch of ['main', 'faster']) company.commit(branch, files)
    const { outputs } = await onActIn(await actProgram(), company, recipe, push)
    const told = [outputs.map(({ verdict = '' }) => verdict)]
    for (const isWorse of [false, true]) {
      if (isWorse) await fetch(`${address}/worse`)
      const ran = await company.run(recipe, pullRequest, { secrets: {} })
      const [step] = loadTests(ran)
      if (!step) throw new Error(ran.jobs.flatMap(({ steps }) => steps.map(({ log }) => log)).join('\n'))
      const errors = step.annotations.filter(({ kind }) => kind === 'error')
      told.push([step.outputs['verdict'] ?? '', ...errors.map(({ message }) => gateIn(message)).sort()])
    }
    const slower = 'request "*" mean <= baseline + 10% for Cart'
    equal(told, [['passed'], ['passed'], ['failed', slower, 'requests error-rate <= 1%']])
  } finally {
    await company.close()
  }
}

/** Tools put the method or group before a request's name. */
function gateIn(message: string): string {
  return message
    .replace(/: value [^]*/, '')
    .replace(/ for request "(?:GET |POST |Visit \/ )?Cart"/, ' for Cart')
}

interface Sample {
  name: string
  time: number
  isError: boolean
}

/** How far figures may be off the samples': in milliseconds, and p95 in places of the sorted samples. */
interface Digits {
  mean: number
  p95: number
  places?: number
  /** It lacks the last samples. */
  isShort?: boolean
}
const exact: Digits = { mean: 1e-6, p95: 0 }

async function agree(report: Report, samples: readonly Sample[], digits: Digits): Promise<void> {
  const { timers } = report.timers.requests
  for (const name of ['Home', 'Cart']) {
    const timer = timers.find((one) => one.name.endsWith(name))
    const { count = 0, errors, mean = 0, percentiles = {} } = timer ?? {}
    const all = samples.filter((one) => one.name === name)
    const own = digits.isShort ? all.slice(0, count) : all
    const times = own.map(({ time }) => time).sort((a, b) => a - b)
    const [rank, { places = 0 }] = [Math.ceil(times.length * 0.95) - 1, digits]
    const [least, most] = [times[rank - places] ?? 0, times[rank + places] ?? Infinity]
    const due = times.reduce((sum, time) => sum + time, 0) / times.length
    const p95 = percentiles['p95'] ?? 0
    const isNear = Math.abs(mean - due) <= digits.mean
    const isIn = p95 >= least - digits.p95 && p95 <= most + digits.p95
    const told = { name, count, errors, mean: isNear || mean, p95: isIn || [p95, least, most] }
    const failed = own.filter(({ isError }) => isError).length
    equal(told, { name, count: times.length, errors: failed, mean: isNear || due, p95: true })
    equal(count > 0.9 * all.length, true)
  }
}

async function reportAt(folder: string, name: string): Promise<Report> {
  const files = await reportFiles([path.join(folder, name)], path.join(folder, 'scratch'))
  return (await readReport(files)).report
}

/** Lines such as `Home 61.2 False`. */
async function notedIn(kept: string): Promise<Sample[]> {
  const lines = (await readFile(path.join(kept, 'times.txt'), 'utf8')).trim().split('\n')
  return lines.map((line) => {
    const [name = '', time, isError] = line.split(' ')
    return { name, time: Number(time), isError: isError?.toLowerCase() === 'true' }
  })
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
  const tool: LoadTool = {
    recipe: 'k6.yml',
    edits: (own) => ({ [docker]: own }),
    program: (kept) =>
      `${program} "$@" --quiet --no-usage-report --out json=k6.json; code=$?; cp k6.* summary.json ${kept}; exit $code`,
    files: (address) => ({ 'loadtest.js': k6Script(address) }),
    async agree(kept) {
      interface Point {
        type: string
        metric: string
        data: { value: number; tags: { name: string; expected_response: string } }
      }
      const lines = (await readFile(path.join(kept, 'k6.json'), 'utf8')).trim().split('\n')
      const points = lines.map((line) => JSON.parse(line) as Point)
      const samples = points
        .filter(({ type, metric }) => type === 'Point' && metric === 'http_req_duration')
        .map(({ data: { value: time, tags } }) => {
          return { name: tags.name, time, isError: tags.expected_response === 'false' }
        })
      await agree(await reportAt(kept, 'k6.csv.gz'), samples, exact)
      await agree(await reportAt(kept, 'k6.json'), samples, exact)
      await agree(await reportAt(kept, 'summary.json'), samples, { ...exact, places: 1 })
    },
  }
  return [trialOf(tool)]
}

const locustfile = (address: string) => `
import gevent
from locust import HttpUser, task, constant, events, exception, stats
stats.CSV_STATS_INTERVAL_SEC = 0.5
visits = 0
times = open("times.txt", "w", buffering=1)
@events.request.add_listener
def note(name, response_time, **rest):
    times.write(f"{name} {response_time} {rest['exception'] is not None}\\n")
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
  const tool: LoadTool = {
    recipe: 'locust.yml',
    edits: (own) => ({
      'pip install locust==2.47.0': 'true',
      'locust --headless --users 20 --spawn-rate 5 --run-time 10m': `${own} --headless --users 4 --spawn-rate 4 --run-time 10m`,
    }),
    program: (kept) => `${program} "$@" && cp locust_*.csv times.txt ${kept}`,
    files: (address) => ({ 'locustfile.py': locustfile(address) }),
    agree: async (kept) =>
      agree(await reportAt(kept, 'locust_stats.csv'), await notedIn(kept), {
        ...{ mean: 1, p95: 10, places: 2, isShort: true },
      }),
  }
  return [trialOf(tool)]
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
  const jars = await mavenJars(
    parts.map((part) => `org.apache.jmeter:ApacheJMeter${part}`),
    '5.6.3',
  )
  const home = path.join(jars, '../home')
  const lib = path.join(home, 'lib/ext')
  await mkdir(lib, { recursive: true })
  await mkdir(path.join(home, 'lib/junit'), { recursive: true })
  for (const name of (await readdir(jars)).filter((one) => one.startsWith('ApacheJMeter_'))) {
    await copyFile(path.join(jars, name), path.join(lib, name))
  }
  await run('unzip', ['-qo', path.join(jars, 'ApacheJMeter_config-5.6.3.jar'), '-d', home])
  const java = `java -Djava.awt.headless=true -Djmeter.home=${home} -cp '${jars}/*' org.apache.jmeter.NewDriver`
  const tool: LoadTool = {
    recipe: 'jmeter.yml',
    edits: (own) => ({
      'curl -fsSL https://archive.apache.org/dist/jmeter/binaries/apache-jmeter-5.6.3.tgz | tar -xz -C "$RUNNER_TEMP"': `mkdir -p "$RUNNER_TEMP/apache-jmeter-5.6.3/bin" && ln -s ${own} "$RUNNER_TEMP/apache-jmeter-5.6.3/bin/jmeter"`,
    }),
    program: (kept) => `set -e; export JMETER_HOME=${home}; ${java} "$@"; cp results.jtl samples.xml ${kept}`,
    files: (address) => ({ 'loadtest.jmx': plan(new URL(address).port) }),
    async agree(kept) {
      await run('bash', ['-c', `JMETER_HOME=${home} ${java} -g results.jtl -o dashboard`], { cwd: kept })
      const [header = '', ...rows] = (await readFile(path.join(kept, 'results.jtl'), 'utf8'))
        .trim()
        .split('\n')
      const at = (name: string) => header.split(',').indexOf(name)
      const samples = rows.map((row) => {
        const fields = row.split(',')
        const [name = '', time, success] = ['label', 'elapsed', 'success'].map((one) => fields[at(one)])
        return { name, time: Number(time), isError: success !== 'true' }
      })
      await agree(await reportAt(kept, 'results.jtl'), samples, exact)
      await agree(await reportAt(kept, 'samples.xml'), samples, exact)
      await agree(await reportAt(kept, 'dashboard'), samples, { ...exact, places: 1 })
    },
  }
  return [trialOf(tool)]
}

const simulation = (address: string) => `
import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;
import io.gatling.javaapi.core.*;
import java.nio.file.*;
public class Shop extends Simulation {
  private static Session note(Session session, String name) {
    String line = name + " " + session.getInt("time") + " " + session.isFailed() + "\\n";
    try {
      Files.writeString(Path.of("times.txt"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (java.io.IOException error) {
      throw new RuntimeException(error);
    }
    return session.markAsSucceeded();
  }
  private static ChainBuilder visit(String name) {
    return exec(http(name).get("/" + name.toLowerCase()).check(responseTimeInMillis().saveAs("time"), status().is(200)))
      .exec(session -> note(session, name));
  }
  {
    setUp(scenario("Visitors").repeat(10).on(group("Visit").on(visit("Home"), visit("Cart"))).injectOpen(atOnceUsers(4)))
      .protocols(http.baseUrl("${address}").disableWarmUp());
  }
}
`

/** Gatling before and after its figures moved into the page. Its percentiles are of buckets. */
export async function gatling(): Promise<Trial[]> {
  const versions = ['3.10.5', '3.15.0'] as const
  const artifact = 'io.gatling.highcharts:gatling-charts-highcharts'
  const [old, newest] = await Promise.all(versions.map((version) => mavenJars([artifact], version)))
  return [
    trialOf(gatlingOf(newest ?? '')),
    {
      what: 'the figures of 3.10, in js/stats.js, are those of the samples',
      try: () =>
        besideShop(async (cwd, address) => {
          const { files, program, agree: compare } = gatlingOf(old ?? '')
          for (const [name, text] of Object.entries(files(address)))
            await writeFile(path.join(cwd, name), text)
          await fetch(`${address}/worse`)
          const { code, output } = await run('bash', ['-c', program(path.join(cwd, 'kept'))], { cwd })
          if (code !== 0) throw new Error(output)
          await compare(path.join(cwd, 'kept'))
        }),
    },
  ]
}

function gatlingOf(jars: string): LoadTool {
  return {
    recipe: 'gatling.yml',
    edits: (own) => ({ 'mvn -B -ntp gatling:test -Dgatling.failOnError=false': own }),
    program: (kept) =>
      `set -e; javac -d classes -cp '${jars}/*' Shop.java
      echo '<configuration><root level="OFF"/></configuration>' > classes/logback.xml
      java --add-opens=java.base/java.lang=ALL-UNNAMED -cp 'classes:${jars}/*' io.gatling.app.Gatling -s Shop -rf target/gatling
      # As the plugin for Maven does.
      echo shop > target/gatling/lastRun.txt
      rm -rf ${kept}/*; cp -r target/gatling/* times.txt ${kept}`,
    files: (address) => ({ 'Shop.java': simulation(address) }),
    async agree(kept) {
      const [folder = ''] = (await readdir(kept)).filter((name) => name.startsWith('shop-'))
      await agree(await reportAt(kept, folder), await notedIn(kept), { mean: 1, p95: 10, places: 1 })
    },
  }
}
