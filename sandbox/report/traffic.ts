import type { Measurement } from './measurement.js'
import { seededRandom } from './random.js'
import { durationSeconds, type SimulatedRun } from './simulated-run.js'
import type { RequestMeasurement } from './request.js'
import { simulateVisit, type Failure, type VirtualUser, type Visit } from './visit.js'
import type { VitalSample } from './vitals.js'
import { webshop } from './webshop.js'

const { floor, max, min, round } = Math

/** Everything that the load generators of a run measured, as far as their data reached the report. */
export interface Traffic {
  agents: string[]
  transactions: Measurement[]
  actions: Measurement[]
  requests: RequestMeasurement[]
  pageLoads: Measurement[]
  customTimers: Measurement[]
  vitals: VitalSample[]
  failures: Failure[]
  /** Carts for which a product was out of stock: an event, not an error. */
  outOfStock: Map<string, number>
}

const controllers = 3

/**
 * The users of the shop run their transactions one after the other, as in a load test: slower answers lead to fewer
 * transactions. 1 to 30 minutes are simulated and then stretched to the run's start and end, so that a run of seconds
 * has figures to judge and one of hours stays small.
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
      simulateUser(traffic, { run, transaction, user, agent, pace: run.slowdown * mood })
    }
  }
  for (const list of [traffic.transactions, traffic.actions, traffic.requests]) {
    list.sort((one, other) => one.time - other.time)
  }
  return traffic
}

/** Seconds that are simulated: whole minutes, from 1 to 30. */
function simulatedSeconds(run: SimulatedRun): number {
  return min(30, max(1, round(durationSeconds(run) / 60))) * 60
}

function simulateUser(traffic: Traffic, virtual: VirtualUser): void {
  const { run, transaction, user } = virtual
  const period = simulatedSeconds(run) * 1000
  const stretch = (run.endTime - run.startTime) / period
  const at = (clock: number) => floor(clock * stretch)
  let clock = round((user / transaction.users) * 30_000)
  for (let count = 0; clock < period; count++) {
    // A separate stream, so that the visits after a failed one do not change.
    const random = seededRandom(run.seed, `${transaction.name}-${user}-${count}`)
    const visit = simulateVisit(virtual, random, clock)
    clock = visit.end
    // Cut off by the end of the measurement, so not in the report.
    if (clock >= period) break
    addVisit(traffic, virtual, visit, at)
    clock += random.between(400, 900)
  }
}

/** Maps the visit's times to those of the run. */
function addVisit(traffic: Traffic, virtual: VirtualUser, visit: Visit, at: (clock: number) => number): void {
  const { name } = virtual.transaction
  const place = (measurements: Measurement[]) => {
    for (const measurement of measurements) measurement.time = at(measurement.time)
  }
  place([visit.transaction])
  traffic.transactions.push(visit.transaction)
  for (const step of visit.steps) {
    for (const list of [[step.action], step.requests, step.pageLoads, step.customTimers]) place(list)
    traffic.actions.push(step.action)
    traffic.requests.push(...step.requests)
    traffic.pageLoads.push(...step.pageLoads)
    traffic.customTimers.push(...step.customTimers)
    traffic.vitals.push(...step.vitals)
    if (step.failure) traffic.failures.push(step.failure)
  }
  if (visit.outOfStock) traffic.outOfStock.set(name, (traffic.outOfStock.get(name) ?? 0) + 1)
}
