import type { Measurement } from './measurement.js'
import type { Random } from './random.js'
import { simulateRequest, type RequestMeasurement } from './request.js'
import type { SimulatedRun } from './simulated-run.js'
import { visitVitals, type VitalSample } from './vitals.js'
import type { ActionModel, TransactionModel } from './webshop.js'

const { max, round } = Math

/** One of the users that a load generator plays. */
export interface VirtualUser {
  run: SimulatedRun
  transaction: TransactionModel
  user: number
  agent: number
  /** Factor on all times. */
  pace: number
}

/** One transaction of a user; its times are milliseconds since the test began. */
export interface Visit {
  transaction: Measurement
  steps: Step[]
  outOfStock: boolean
  end: number
}

/** One action of a visit with everything that belongs to it. A failed action is the last of its visit. */
export interface Step {
  action: Measurement
  requests: RequestMeasurement[]
  pageLoads: Measurement[]
  customTimers: Measurement[]
  vitals: VitalSample[]
  failure?: Failure
}

export interface Failure {
  transaction: TransactionModel
  action: string
  code: number
  address: string
  user: number
}

export function simulateVisit(virtual: VirtualUser, random: Random, begin: number): Visit {
  const { transaction, user, agent } = virtual
  const { name, label } = transaction
  const steps: Step[] = []
  let clock = begin
  let failed = false
  let outOfStock = false
  for (const action of transaction.actions) {
    if (random.next() >= (action.share ?? 1)) continue
    const step = simulateStep(virtual, action, random, clock)
    steps.push(step)
    clock += step.action.runtime
    failed = step.action.failed
    if (failed) break
    if (action.name === 'AddToCart') outOfStock = random.next() < 0.02
    clock += round(random.logNormal(420, 0.35))
  }
  const runtime = clock - begin
  return {
    transaction: { name, label, time: begin, runtime, failed, agent, transaction: name, user },
    steps,
    outOfStock,
    end: clock,
  }
}

function simulateStep(virtual: VirtualUser, action: ActionModel, random: Random, time: number): Step {
  const { run, transaction, user, agent, pace } = virtual
  const common = { label: action.label, agent, transaction: transaction.name, user }
  const planned = action.requests.map((model, index) => {
    const manner = { pace, errorRate: run.errorRate, connects: index === 0 }
    return simulateRequest(model, random, manner, { ...common, name: `${action.name}.${index + 1}`, time })
  })
  const [page, ...others] = planned
  if (!page) throw new RangeError(`The action ${action.name} of the simulated shop has no requests.`)
  // The others follow in parallel once the page has arrived.
  const followers = page.failed ? [] : others
  for (const request of followers) request.time += page.runtime
  const longest = followers.reduce((most, request) => max(most, request.runtime), 0)
  const requests = page.failed ? [page] : planned
  const failed = requests.find((request) => request.failed)
  const measurement = {
    ...common,
    name: action.name,
    time,
    runtime: page.runtime + longest + random.between(2, 9),
    failed: failed !== undefined,
  }
  const step: Step = { action: measurement, requests, pageLoads: [], customTimers: [], vitals: [] }
  if (failed) {
    return {
      ...step,
      failure: { transaction, action: action.name, code: failed.code, address: failed.address, user },
    }
  }
  if (action.customTimer) {
    const runtime = round(random.logNormal(action.customTimer.median * pace, 0.3))
    step.customTimers.push({ ...measurement, name: action.customTimer.name, runtime })
  }
  if (page.contentType === 'text/html') {
    const rendering = round(random.logNormal(210, 0.25))
    const ready = measurement.runtime + rendering
    const load = (event: string, runtime: number) => ({
      ...measurement,
      name: `${action.name} [${event}]`,
      runtime,
    })
    step.pageLoads.push(load('DomContentLoadedEventEnd', ready))
    step.pageLoads.push(load('LoadEventEnd', ready + random.between(15, 90)))
    step.vitals.push(visitVitals(action.name, random, page.timeToFirstBytes, rendering))
  }
  return step
}
