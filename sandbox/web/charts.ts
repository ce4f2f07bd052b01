import { plural } from '../../src/text/plural.js'
import { calendarDay, markup, type Markup } from './markup.js'
import type { StartedLoadTest } from './place.js'
import { table } from './table.js'
import { executionState } from '../service/load-test.js'
import { stateClass, stateMark, states } from './state.js'

const day = 24 * 60 * 60 * 1000
const height = 150
const caption = 'Load tests per day over the last six months'

interface Day {
  /** `2026-01-17`, UTC. */
  date: string
  count: number
}

/** The load tests per day over the last six months, as bars and as a table. */
export function activity(loadTests: readonly StartedLoadTest[], now: number): Markup {
  const days = daysOf(loadTests, now)
  const most = Math.max(1, ...days.map(({ count }) => count))
  const active = days.filter(({ count }) => count > 0)
  const sum = active.reduce((total, { count }) => total + count, 0)
  const summary = `${plural(sum, 'load test')} on ${active.length} of ${plural(days.length, 'day')}, at most ${most} per day`
  const columns = [{ title: 'Day' }, { title: 'Load tests', numeric: true }]
  const rows = active.toReversed().map(({ date, count }) => [calendarDay(date), count])
  if (sum === 0) {
    return markup`<div class="card"><p class="quiet">No load test was started in the last six months.</p></div>`
  }
  const bars = days.flatMap((one, index) => (one.count === 0 ? [] : [bar(one, index, days.length, most)]))
  return markup`<figure class="card chart"><figcaption>${summary}.</figcaption>
<svg role="img" aria-label="${caption}: ${summary}" height="${height + 24}">
<text class="quiet" x="0" y="11">${most}</text><line x1="0" x2="100%" y1="16" y2="16"/><line x1="0" x2="100%" y1="${height}" y2="${height}"/>
${bars}
${months(days)}</svg>
<details><summary>Days with load tests</summary>${table({ caption, columns, empty: '' }, rows, { stacked: false })}</details></figure>`
}

/** From the same day six months ago to today, including days without load tests. */
function daysOf(loadTests: readonly StartedLoadTest[], now: number): Day[] {
  const counts = new Map<string, number>()
  for (const { run } of loadTests) {
    const date = dateOf(run.createdAt)
    counts.set(date, (counts.get(date) ?? 0) + 1)
  }
  const first = new Date(now)
  const today = first.getUTCDate()
  first.setUTCMonth(first.getUTCMonth() - 6)
  // The sixth month before may end earlier.
  if (first.getUTCDate() !== today) first.setUTCDate(0)
  const days = Math.round((Date.parse(dateOf(now)) - Date.parse(dateOf(first.getTime()))) / day) + 1
  return Array.from({ length: days }, (_, index) => {
    const date = dateOf(first.getTime() + index * day)
    return { date, count: counts.get(date) ?? 0 }
  })
}

function dateOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}

function bar({ date, count }: Day, index: number, days: number, most: number): Markup {
  const tall = ((height - 16) * count) / most
  const [x, width] = [percent(index / days), percent(0.8 / days)]
  return markup`<rect x="${x}" y="${(height - tall).toFixed(1)}" width="${width}" height="${tall.toFixed(1)}"><title>${date}: ${plural(count, 'load test')}</title></rect>`
}

/** The names of the months below their first days, except one that the edge would cut. */
function months(days: readonly Day[]): Markup[] {
  return days.flatMap(({ date }, index) => {
    if (!date.endsWith('-01') || index > days.length * 0.93) return []
    const name = new Date(date).toLocaleDateString('en', { month: 'short', timeZone: 'UTC' })
    return [markup`<text class="quiet" x="${percent(index / days.length)}" y="${height + 18}">${name}</text>`]
  })
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`
}

interface Slice {
  state: string
  count: number
  /** Shares of the circle, 0 to 1: those before it, and its own. */
  from: number
  share: number
}

const pieCaption = 'Load tests by state'

/** The started load tests by state, as a pie and as the table that explains it. */
export function statePie(loadTests: readonly StartedLoadTest[], now: number): Markup {
  const slices = slicesOf(loadTests, now)
  const words = slices.map(({ state, count }) => `${state} ${count}`).join(', ')
  const columns = [
    { title: 'State' },
    { title: 'Load tests', numeric: true },
    { title: 'Share', numeric: true },
  ]
  const rows = slices.map(({ state, count, share }) => [
    stateMark(state),
    count,
    `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)}%`,
  ])
  return markup`<div class="card pie"><svg viewBox="-50 -50 100 100" role="img" aria-label="${pieCaption}: ${words}">${slices.map(sliceSvg)}</svg>
${table({ caption: pieCaption, columns, empty: 'No load test was started yet.' }, rows, { stacked: false })}</div>`
}

function slicesOf(loadTests: readonly StartedLoadTest[], now: number): Slice[] {
  const counts = new Map<string, number>()
  for (const loadTest of loadTests) {
    const { state } = executionState(loadTest, now)
    counts.set(state, (counts.get(state) ?? 0) + 1)
  }
  let from = 0
  return states.flatMap((state) => {
    const count = counts.get(state) ?? 0
    if (count === 0) return []
    const slice = { state, count, from, share: count / loadTests.length }
    from += slice.share
    return [slice]
  })
}

function sliceSvg({ state, count, from, share }: Slice): Markup {
  const title = markup`<title>${state}: ${count}</title>`
  // An arc whose ends meet is not drawn.
  if (share === 1) return markup`<circle class="${stateClass(state)}" r="48">${title}</circle>`
  const arc = `A48 48 0 ${share > 0.5 ? 1 : 0} 1 ${onCircle(from + share)}`
  return markup`<path class="${stateClass(state)}" d="M0 0L${onCircle(from)}${arc}Z">${title}</path>`
}

/** Clockwise from the top. */
function onCircle(share: number): string {
  const angle = share * 2 * Math.PI
  return `${(48 * Math.sin(angle)).toFixed(2)} ${(-48 * Math.cos(angle)).toFixed(2)}`
}
