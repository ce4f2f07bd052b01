import { executionState } from '../service/load-test.js'
import { markup, type Markup } from './markup.js'
import type { StartedLoadTest } from './place.js'
import { stateClass, stateMark, states } from './state.js'
import { table } from './table.js'

interface Slice {
  state: string
  count: number
  /** Shares of the circle, 0 to 1: those before it, and its own. */
  from: number
  share: number
}

const caption = 'Load tests by state'

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
  return markup`<div class="card pie"><svg viewBox="-50 -50 100 100" role="img" aria-label="${caption}: ${words}">${slices.map(sliceSvg)}</svg>
${table({ caption, columns, empty: 'No load test was started yet.' }, rows, { stacked: false })}</div>`
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
