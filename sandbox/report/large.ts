import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { configurationElement } from './configuration.js'
import { requestFigures, type TimerFigures } from './figures.js'
import { seededRandom, type Random } from './random.js'
import { simulateRequest, type RequestMeasurement } from './request.js'
import { quietRun, reportTime } from './simulated-run.js'
import { slowRequestElement } from './slowest-requests.js'
import { timeStatistics } from './statistics.js'
import { timerElement } from './timer-element.js'
import { webshop, type RequestModel } from './webshop.js'
import { element, elementText, type XmlElement } from './xml.js'

const samplesPerTimer = 12
const duration = 600
const setting = { duration, withErrorPercentage: true }

/**
 * Streams a testreport.xml of `bytes` bytes or slightly more to the file `path`: the report of a test with far too
 * many request names. Seven tenths are request timers, two tenths errors with long traces, one tenth slowest
 * requests; the summary covers all requests. Same size and seed, same bytes.
 */
export async function writeLargeTestReport(path: string, bytes: number, seed: number): Promise<void> {
  await pipeline(Readable.from(largeTestReport(bytes, seed)), createWriteStream(path))
}

/** The text piece by piece. The order of the children is free, so the summary can come last. */
function* largeTestReport(bytes: number, seed: number): Generator<string> {
  const random = seededRandom(seed, 'large')
  const models = webshop.flatMap((transaction) => transaction.actions.flatMap((action) => action.requests))
  const run = { ...quietRun, seed, errorRate: 0.01 }
  const totals = { times: new Array<number>(), errors: 0 }
  const recent: RequestMeasurement[] = []
  let written = 0

  /** A list that grows until the whole text is as long as `until`. */
  function* list(name: string, until: number, next: (index: number) => XmlElement): Generator<string> {
    yield `  <${name}>\n`
    for (let index = 0; written < until; index++) {
      const text = elementText(next(index), '    ')
      // Each character of this report takes one byte.
      written += text.length
      yield text
    }
    yield `  </${name}>\n`
  }

  yield '<?xml version="1.0" encoding="UTF-8"?>\n<testreport>\n'
  yield elementText(configurationElement(run), '  ')
  yield* list('requests', bytes * 0.7, (index) => {
    const model = models[index % models.length]
    if (!model) throw new RangeError('The simulated shop has no requests.')
    const requests = Array.from({ length: samplesPerTimer }, () => measure(model, index, random))
    recent.splice(0, recent.length, ...requests)
    const timer = requestTimer(`Request ${index + 1}`, requests)
    for (const request of requests) totals.times.push(request.runtime)
    totals.errors += timer.errors
    return timerElement('request', timer, setting)
  })
  yield* list('errors', bytes * 0.9, (index) => errorElement(index))
  yield* list('slowestRequests', bytes, (index) => {
    const request = recent[index % recent.length]
    if (!request) throw new RangeError('A large test report has at least one request. Allow more bytes.')
    return slowRequestElement(request, run.startTime)
  })
  const summary = {
    name: 'All Requests',
    labels: [],
    errors: totals.errors,
    times: timeStatistics(totals.times),
  }
  yield elementText(element('summary', [timerElement('requests', summary, setting)]), '  ')
  yield elementText(
    element('general', [
      element('hits', totals.times.length),
      element('startTime', reportTime(run.startTime)),
      element('endTime', reportTime(run.endTime)),
      element('duration', duration),
    ]),
    '  ',
  )
  yield '</testreport>\n'
}

function measure(model: RequestModel, index: number, random: Random): RequestMeasurement {
  const manner = { pace: 1, errorRate: 0.01, connects: true }
  const place = { label: 'large', time: 0, transaction: 'TBrowse', user: 0, agent: 0 }
  return simulateRequest(model, random, manner, { ...place, name: `Request ${index + 1}` })
}

/** All of them have one name. */
function requestTimer(name: string, requests: RequestMeasurement[]): TimerFigures {
  return {
    name,
    labels: ['large'],
    errors: requests.filter((request) => request.failed).length,
    times: timeStatistics(requests.map((request) => request.runtime)),
    traffic: requestFigures(requests, false),
  }
}

/** A hundred messages, and a different trace for each error. */
function errorElement(index: number): XmlElement {
  const message = `Unexpected response code <500> for URL: https://shop.example.com/page/${index % 100}`
  const frames = Array.from(
    { length: 24 },
    (_, depth) => `\tat com.example.webshop.loadtest.Step${depth}.run(Step${depth}.java:${index + 1})`,
  )
  return element('error', [
    element('count', 1),
    element('testCaseName', 'TBrowse'),
    element('actionName', 'Homepage'),
    element('message', message),
    element('trace', ['com.example.webshop.loadtest.HttpErrorException: ' + message, ...frames].join('\n')),
  ])
}
