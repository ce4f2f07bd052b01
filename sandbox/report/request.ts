import type { Random } from './random.js'
import type { Measurement } from './measurement.js'
import { shopAddress, type RequestModel } from './webshop.js'

const { max, min, round } = Math

/** One request with its parts. The parts add up: connecting, sending, waiting and receiving are the runtime. */
export interface RequestMeasurement extends Measurement {
  method: 'GET' | 'POST'
  /** The URL without its query. */
  address: string
  url: string
  /** Empty if nothing was posted. Has made-up personal data, like the forms of a real test. */
  formData: string
  contentType: string
  /** 0 = no response. */
  code: number
  bytesSent: number
  bytesReceived: number
  dnsTime: number
  connectTime: number
  sendTime: number
  serverBusyTime: number
  receiveTime: number
  timeToFirstBytes: number
  timeToLastBytes: number
}

export const requestTimeout = 30_000

/**
 * Always draws the same number of random numbers: a slower run, or one with more errors, of the same seed differs in
 * nothing else.
 */
export function simulateRequest(
  model: RequestModel,
  random: Random,
  { pace, errorRate, connects }: { pace: number; errorRate: number; connects: boolean },
  place: Omit<Measurement, 'runtime' | 'failed'>,
): RequestMeasurement {
  const fault = random.next()
  const kind = random.next()
  const ideal = random.logNormal(model.median, model.sigma) * pace * hiccup(random)
  const lookup = random.between(1, 80)
  const handshake = random.between(1, 120)
  const dnsTime = connects && lookup <= 4 ? lookup : 0
  const connectTime = connects && handshake <= 14 ? 7 + handshake : 0
  const sendTime = random.between(0, 1)
  const receiveShare = 0.06 + 0.08 * random.next()
  const size = round(model.bytes * (0.85 + 0.3 * random.next()))
  const sent = random.between(380, 620)
  const customer = random.between(1000, 9999)

  const failed = fault < errorRate
  const address = `${shopAddress}${model.path}`
  const noAnswer = ideal >= requestTimeout || (failed && kind < 0.03)
  const runtime = noAnswer ? requestTimeout : max(3, round(ideal))
  const code = noAnswer ? 0 : failed ? (kind < 0.65 ? 500 : 503) : goodCode(model, kind)
  const before = min(dnsTime + connectTime + sendTime, runtime - 1)
  const own = before === dnsTime + connectTime + sendTime
  const receiveTime = noAnswer ? 0 : min(round(runtime * receiveShare), runtime - before)
  const serverBusyTime = runtime - before - receiveTime
  return {
    // Field by field: copying objects with many fields costs more than everything else.
    name: place.name,
    label: place.label,
    time: place.time,
    agent: place.agent,
    transaction: place.transaction,
    user: place.user,
    method: model.method,
    address,
    // Made-up personal data, for slowestRequests: a real report has addresses and form fields of test users.
    url: `${address}?visitor=simulated-visitor-${customer}`,
    formData:
      model.method === 'POST'
        ? `email=simulated-${customer}%40example.com&password=simulated-${customer}`
        : '',
    contentType: failed && !noAnswer ? 'text/html' : noAnswer ? '' : model.contentType,
    runtime,
    failed: failed || noAnswer,
    code,
    bytesSent: sent + (model.method === 'POST' ? 160 : 0),
    bytesReceived: noAnswer ? 0 : failed ? 900 : code === 200 ? size : 240,
    dnsTime: own ? dnsTime : 0,
    connectTime: own ? connectTime : 0,
    sendTime: own ? sendTime : before,
    serverBusyTime,
    receiveTime,
    timeToFirstBytes: runtime - receiveTime,
    timeToLastBytes: runtime,
  }
}

/** Two in a thousand requests take three to six times as long. */
function hiccup(random: Random): number {
  const chance = random.next()
  const factor = 3 + 3 * random.next()
  return chance < 0.002 ? factor : 1
}

function goodCode(model: RequestModel, kind: number): number {
  // By the engine's rules, a missing picture does not make the request fail.
  if (model.contentType === 'image/webp' && kind < 0.004) return 404
  return model.contentType === 'text/css' && kind < 0.3 ? 304 : 200
}
