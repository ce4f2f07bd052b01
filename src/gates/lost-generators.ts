import type { Report } from '../report/report.js'
import { oneLine } from '../text/foreign-text.js'
import { nameList } from './name-list.js'
import { median } from './noise/robust.js'

/** A load generator reports on itself after ten seconds. One that was lost before that has the name of its results. */
const ownName = /^Agent-/
const firstReport = 10
/** A load generator with less than this share of what it usually does was lost on the way. */
const leastShare = 2 / 3
/** With fewer transactions the share of a load generator is chance. */
const fewestTransactions = 50

/** Why a run lacks load generators, as sentences; none if nothing says so. */
export function lostGenerators(report: Report): string[] {
  return [...withoutResults(report), ...lostAtOnce(report)]
}

/** The engine says so where it could not fetch the results of a machine. */
function withoutResults({ partial }: Report): string[] {
  return partial === undefined
    ? []
    : [`The run has partial results only: ${oneLine(partial, 160).replace(/\.$/, '')}.`]
}

function lostAtOnce({ agents, general: { duration = 0 } }: Report): string[] {
  const lost = agents.filter(({ name, ownMean = 0 }) => !ownName.test(name) && ownMean === 0)
  if (duration <= firstReport || lost.length === agents.length || lost.length === 0) return []
  return [
    `${lost.length} of ${agents.length} load generators ended early: ${nameList(lost.map(({ name }) => name))}.`,
  ]
}

/**
 * A load generator that made far fewer transactions beside the others than any did in the earlier runs, as a sentence.
 * Machines may differ, so without earlier runs nothing is known.
 */
export function lostOnTheWay(report: Report, earlier: readonly Report[]): string | undefined {
  const now = leastBusy(report)
  const usual = earlier.flatMap((one) => {
    const least = one.agents.length === report.agents.length ? leastBusy(one) : undefined
    return least === undefined ? [] : [least.share]
  })
  if (now === undefined || usual.length === 0) return undefined
  const expected = median(usual)
  if (expected * now.total < fewestTransactions || now.share >= expected * leastShare) return undefined
  return `The load generator ${nameList([now.agent.name])} made ${now.made} of ${now.total} transactions, ${shown(now.share)} instead of its usual ${shown(expected)}: it may have ended early.`
}

function leastBusy({ agents }: Report) {
  const made = agents.flatMap((agent) =>
    agent.transactions === undefined ? [] : [{ agent, made: agent.transactions }],
  )
  const total = made.reduce((sum, one) => sum + one.made, 0)
  if (made.length < agents.length || total === 0) return undefined
  const least = made.reduce((fewest, one) => (one.made < fewest.made ? one : fewest))
  return { ...least, total, share: least.made / total }
}

function shown(share: number): string {
  return `${Math.round(share * 100)}%`
}
