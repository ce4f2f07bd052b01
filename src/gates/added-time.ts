import type { Timer } from '../report/report.js'
import { oneLine, nameList } from '../text/foreign-text.js'
import { plural } from '../text/plural.js'
import { formatBytes } from '../text/size.js'
import { measured, withoutStatus, type ReportFigures } from '../figures/figures.js'
import { plainNumber, quantity } from '../figures/quantity.js'
import { spreadOf, type Baseline } from './noise/baseline.js'
import type { ComparisonRow } from './comparison.js'

const mostSentences = 3

/** A part of a request is named if it has at least this share of the added time. */
const plainShare = 0.5

/** An answer is named if it is larger by this factor, and by these bytes. */
const larger = { factor: 1.5, bytes: 10_000 }

/** A request belongs to an action if at least this share of the action's visits send it. */
const usualShare = 0.5

/** A longer name is of no action: to look at all its beginnings takes the square of its length. */
const longestName = 300

/** Where a request's mean time is spent, as far as the engine measured it. */
const parts: readonly { how: string; time: (timer: Timer) => number | undefined }[] = [
  { how: 'connecting', time: (timer) => timer.parts?.connectTime },
  { how: 'waiting for the server', time: (timer) => timer.parts?.serverBusyTime },
  { how: 'receiving the answer', time: (timer) => timer.parts?.receiveTime },
  { how: 'on the load generator', time: outsideNetwork },
]

/**
 * Where the added time was spent, of requests and actions whose mean is worse by more than noise: at most three
 * sentences, costliest first. There is none about a request whose added time is in no single part.
 *
 * @param rows of the timers that have a name
 */
export function addedTime(run: ReportFigures, baseline: Baseline, rows: readonly ComparisonRow[]): string[] {
  const slower = rows.filter(({ changes }) => changes?.['mean'] === 'worse')
  const added = slower.some(({ kind }) => kind === 'actions') ? addedRequests(run, baseline) : undefined
  const found = slower.flatMap(({ kind, name = '', baseline: before }) => {
    const now = run.timer(kind, name)
    const time = ((now && measured(now, 'mean')) ?? 0) - (before['mean'] ?? 0)
    const text =
      kind === 'requests' && now
        ? ofRequest(
            now,
            baseline.runs.flatMap((one) => one.timer(kind, name) ?? []),
          )
        : kind === 'actions'
          ? ofAction(time, added?.get(name) ?? [])
          : ''
    return text === '' ? [] : [{ text: `"${oneLine(name, 80)}" ${text}`, cost: time * (now?.count ?? 0) }]
  })
  return found
    .sort((a, b) => b.cost - a.cost)
    .slice(0, mostSentences)
    .map(({ text }) => text)
}

/** Empty if the figures of the parts say nothing plain. */
function ofRequest(now: Timer, before: readonly Timer[]): string {
  // Earlier runs may be known without their parts.
  const earlier = before.filter((timer) => timer.parts !== undefined)
  const time = difference((timer) => measured(timer, 'mean'), now, earlier)
  if (time === undefined || time <= 0) return ''
  const [most] = parts
    .map((part) => ({ how: part.how, time: difference(part.time, now, earlier) ?? 0 }))
    .sort((a, b) => b.time - a.time)
  const where = most && most.time >= time * plainShare ? shareText(most.time, time, most.how) : ''
  const bytes = bytesText(now, earlier)
  if (where === '' && bytes === '') return ''
  return `${longer(time)}${where}${bytes === '' ? '' : `${where === '' ? '' : ','} and ${bytes}`}.`
}

function longer(time: number): string {
  return `takes ${quantity(time, 'ms')} longer on average`
}

/** `, 150 ms of it waiting for the server` */
function shareText(part: number, time: number, how: string): string {
  const share = quantity(part, 'ms')
  return part >= time || share === quantity(time, 'ms') ? `, all of it ${how}` : `, ${share} of it ${how}`
}

function bytesText(now: Timer, earlier: readonly Timer[]): string {
  const bytes = now.parts?.bytesReceived
  const before = median((timer) => timer.parts?.bytesReceived, earlier)
  if (bytes === undefined || before === undefined || before <= 0) return ''
  const isLarger = bytes >= before * larger.factor && bytes - before >= larger.bytes
  if (!isLarger) return ''
  const [size, sizeBefore] = [bytes, before].map((value) => formatBytes(Math.round(value)))
  return `receives ${plainNumber(bytes / before, 1)} times as many bytes: ${size}, before ${sizeBefore}`
}

function ofAction(time: number, names: readonly string[]): string {
  if (names.length === 0) return ''
  return `${longer(time)} and sends ${plural(names.length, 'request')} that it did not send before: ${nameList(names)}.`
}

function difference(
  figure: (timer: Timer) => number | undefined,
  now: Timer,
  earlier: readonly Timer[],
): number | undefined {
  const value = figure(now)
  const before = median(figure, earlier)
  return value === undefined || before === undefined ? undefined : value - before
}

function median(figure: (timer: Timer) => number | undefined, timers: readonly Timer[]): number | undefined {
  return spreadOf(timers.map(figure).filter((value) => value !== undefined))?.median
}

function outsideNetwork({ mean, parts }: Timer): number | undefined {
  const network = parts?.timeToLastBytes
  return mean === undefined || network === undefined ? undefined : mean - network
}

/** The requests that no run of the baseline has, by the action that usually sends them. */
function addedRequests(run: ReportFigures, baseline: Baseline): Map<string, string[]> {
  const actions = run.timers('actions')
  const earlier = new Set(baseline.runs.flatMap((one) => [...namesOf(one).keys()]))
  // Where an action had no requests before, it was only named in another way.
  const known = new Set([...earlier].map((name) => actionOf(name, actions)))
  const added = new Map<string, string[]>()
  for (const [name, count] of namesOf(run)) {
    const action = earlier.has(name) ? undefined : actionOf(name, actions)
    if (action === undefined || !known.has(action)) continue
    if (count >= (actions.get(action)?.count ?? Infinity) * usualShare)
      added.set(action, [...(added.get(action) ?? []), name])
  }
  return added
}

/** How often each request was sent, whatever status its answers had. */
function namesOf(run: ReportFigures): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { name, count = 0 } of run.timers('requests').values()) {
    const plain = withoutStatus(name)
    if (count > 0) counts.set(plain, (counts.get(plain) ?? 0) + count)
  }
  return counts
}

/** The engine calls the requests of an action `Home` by `Home.1` or `Home.1.2`; its usual rules, `Home` or `Home Images`. */
function actionOf(request: string, actions: ReadonlyMap<string, unknown>): string | undefined {
  if (request.length > longestName) return undefined
  const ends = [...request.matchAll(/[. ]|$/g)].map(({ index }) => index)
  return ends
    .map((end) => request.slice(0, end))
    .reverse()
    .find((name) => actions.has(name))
}
