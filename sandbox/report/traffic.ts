import type { Measurement } from './measurement.js'
import { seededRandom, type Random } from './random.js'
import { durationSeconds, type SimulatedRun } from './simulated-run.js'
import { simulateRequest, type RequestMeasurement } from './request.js'
import { visitVitals, type VitalSample } from './vitals.js'
import { webshop, type ActionModel, type TransactionModel } from './webshop.js'

export interface Failure {
  transaction: TransactionModel
  action: string
  code: number
  url: string
  user: number
}

/** All that the load generators of a run measured, as far as their data reached the report. */
export interface Traffic {
  agents: string[]
  transactions: Measurement[]
  actions: Measurement[]
  requests: RequestMeasurement[]
  pageLoads: Measurement[]
  customTimers: Measurement[]
  vitals: VitalSample[]
  failures: Failure[]
  /** Carts that a product was out of stock for: an event, no error. */
  outOfStock: Map<string, number>
}

const controllers = 3

/**
 * Lets the users of the shop do their transactions one after the other, as a load test does: slower answers
 * lead to fewer of them. 10 to 30 minutes are simulated and then laid over the run's own start and end, so
 * that a run of seconds has figures to judge and one of hours stays small.
 */
export function simulateTraffic(run: SimulatedRun): Traffic {
  const traffic: Traffic = {
    agents: [],
    transactions: [],
    actions: [],
    requests: [],
    pageLoads: [],
    customTimers: [],
    vitals: [],
    failures: [],
    outOfStock: new Map(),
  }
  const present = run.partial === true ? controllers - 1 : controllers
  for (let agent = 0; agent < present; agent++) {
    traffic.agents.push(`Agent-ac000${agent + 1}_eu-central1-10.1.0.${agent + 5}-8500`)
  }
  // A run as a whole is a little faster or slower than the next one.
  const mood = seededRandom(run.seed, 'run').logNormal(1, 0.008)
  let nextUser = 0
  for (const transaction of webshop) {
    for (let user = 0; user < transaction.users; user++, nextUser++) {
      const agent = nextUser % controllers
      if (agent >= present) continue
      simulateUser({ run, traffic, transaction, user, agent, pace: run.slowdown * mood })
    }
  }
  for (const list of [traffic.transactions, traffic.actions, traffic.requests]) {
    list.sort((one, other) => one.time - other.time)
  }
  return traffic
}

/** Seconds that are simulated: whole minutes, from 10 to 30. */
export function simulatedSeconds(run: SimulatedRun): number {
  return Math.min(30, Math.max(10, Math.round(durationSeconds(run) / 60))) * 60
}

interface VirtualUser {
  run: SimulatedRun
  traffic: Traffic
  transaction: TransactionModel
  user: number
  agent: number
  pace: number
}

function simulateUser(virtual: VirtualUser): void {
  const { run, transaction, user } = virtual
  const period = simulatedSeconds(run) * 1000
  let clock = (user / transaction.users) * 30_000
  for (let count = 0; clock < period; count++) {
    // Its own stream, so that the visits after a failed one stay as they are.
    const random = seededRandom(run.seed, `${transaction.name}-${user}-${count}`)
    const visit = simulateVisit(virtual, random, clock)
    clock = visit.end
    // Cut off by the end of the measurement: not in the report.
    if (clock >= period) break
    visit.record()
    clock += random.between(400, 900)
  }
}

/** One transaction; `record` adds it to the traffic. */
function simulateVisit(virtual: VirtualUser, random: Random, begin: number) {
  const { run, traffic, transaction, user, agent, pace } = virtual
  const stretch = (run.endTime - run.startTime) / (simulatedSeconds(run) * 1000)
  const at = (clock: number) => run.startTime + Math.floor(clock * stretch)
  const visit: Pick<Traffic, 'actions' | 'requests' | 'pageLoads' | 'customTimers' | 'vitals' | 'failures'> =
    {
      actions: [],
      requests: [],
      pageLoads: [],
      customTimers: [],
      vitals: [],
      failures: [],
    }
  let clock = begin
  let failed = false
  let outOfStock = false

  const act = (action: ActionModel): void => {
    const common = { label: action.label, agent, transaction: transaction.name, user }
    const requests = action.requests.map((model, index) => ({
      ...common,
      name: `${action.name}.${index + 1}`,
      ...simulateRequest(model, random, pace, run.errorRate, index === 0),
    }))
    const first = requests[0]
    if (!first) return
    const followers = first.failed ? [] : requests.slice(1)
    const done = [first, ...followers]
    let runtime = first.runtime + random.between(2, 9)
    runtime += followers.reduce((longest, request) => Math.max(longest, request.runtime), 0)
    const failure = done.find((request) => request.failed)
    const custom = action.customTimer && Math.round(random.logNormal(action.customTimer.median * pace, 0.3))
    const rendering = Math.round(random.logNormal(210, 0.25))
    const samples = visitVitals(action.name, random, first.timeToFirstBytes, rendering)
    const outOfStockHere = action.name === 'AddToCart' && random.next() < 0.02
    for (const request of done) {
      const offset = request === first ? 0 : first.runtime
      visit.requests.push({ ...request, time: at(clock + offset) })
    }
    const measurement = {
      ...common,
      name: action.name,
      time: at(clock),
      runtime,
      failed: failure !== undefined,
    }
    visit.actions.push(measurement)
    clock += runtime
    if (failure) {
      failed = true
      visit.failures.push({ transaction, action: action.name, code: failure.code, url: failure.url, user })
      return
    }
    if (first.contentType === 'text/html') {
      const ready = {
        ...measurement,
        name: `${action.name} [DomContentLoadedEventEnd]`,
        runtime: runtime + rendering,
      }
      const loaded = {
        ...measurement,
        name: `${action.name} [LoadEventEnd]`,
        runtime: ready.runtime + random.between(15, 90),
      }
      visit.pageLoads.push(ready, loaded)
      visit.vitals.push(samples)
    }
    if (action.customTimer && custom !== undefined) {
      visit.customTimers.push({ ...measurement, name: action.customTimer.name, runtime: custom })
    }
    outOfStock ||= outOfStockHere
  }

  for (const action of transaction.actions) {
    if (random.next() >= (action.share ?? 1)) continue
    act(action)
    if (failed) break
    clock += Math.round(random.logNormal(420, 0.35))
  }

  const record = () => {
    traffic.actions.push(...visit.actions)
    traffic.requests.push(...visit.requests)
    traffic.pageLoads.push(...visit.pageLoads)
    traffic.customTimers.push(...visit.customTimers)
    traffic.vitals.push(...visit.vitals)
    traffic.failures.push(...visit.failures)
    const { name, label } = transaction
    const runtime = Math.round(clock - begin)
    traffic.transactions.push({
      name,
      label,
      time: at(begin),
      runtime,
      failed,
      agent,
      transaction: name,
      user,
    })
    if (outOfStock) traffic.outOfStock.set(name, (traffic.outOfStock.get(name) ?? 0) + 1)
  }
  return { end: clock, record }
}
