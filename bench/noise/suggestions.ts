import { judge } from '../../src/gates/gates.js'
import type { Gate } from '../../src/language/gate.js'
import { parseGates } from '../../src/language/language.js'
import type { GateResult } from '../../src/gates/result.js'
import { suggestionOf, type Suggestion } from '../../src/gates/suggested-gates.js'
import type { Report } from '../../src/report/report.js'
import { makeSystem, simulateRun, studied, type Shape, type System } from './load.js'
import { Random } from './random.js'
import { isRed, percents } from './trial.js'
import { comparedWith, judgedAfter, type PastRun } from './sequences.js'
import { few, shapes } from './tables.js'

/** How suggested gates judge later runs, in percent. */
export class Shares {
  private of = 0
  private red = 0
  /** The chances that were promised. */
  private promises = 0

  add(isRed: boolean, promised = 0): void {
    this.of++
    this.promises += promised
    if (isRed) this.red++
  }

  get measured(): number {
    return (100 * this.red) / this.of
  }

  get promised(): number {
    return (100 * this.promises) / this.of
  }
}

export interface Found {
  unchanged: Shares
  /** All requests slower. */
  all: Shares
  /** The request that takes most of the time slower, in runs like those of the history, and in runs twice as long. */
  one: Shares
  twice: Shares
}

/** The usual number of earlier runs that a run is compared with. */
const compared = 5
/** The first later runs of a history are also tried with a change. */
const changed = 4
const slow = 1.2
/** Runs of a history, and how many of them are simulated. */
const histories = [
  [10, 100],
  [30, 15],
  [100, 4],
] as const
export const failures = 3
/** Of each request, in a run. */
const errors = 1

// The others hardly move a mean, and suggested gates look at means.
const told = [
  ...shapes.filter(([, { tail, edges, step }]) => tail === 0 && edges === 0 && step === 0),
  ['20 to 300 samples', few] as const,
]

export const suggested = {
  columns: [
    ...['shape', 'unchanged, in 10 runs', 'in 30', 'in 100', 'all +20%'],
    ...['one +20%: promised', 'found', 'twice as long: promised', 'found'],
  ],
  rows: told.length,
  linesOf: judgeShape,
}

async function judgeShape(row: number): Promise<string[][]> {
  const [title, shape] = told[row] ?? ['', studied]
  const found = histories.map(nothing)
  for (const [index, [length, repetitions]] of histories.entries()) {
    for (let at = 0; at < repetitions; at++) {
      const history = { length, seed: 1009 * at + length }
      await judgeHistory({ ...shape, failures, errors }, history, found[index] ?? nothing())
    }
  }
  const { all, one, twice } = found[0] ?? nothing()
  const unchanged = found.map((each) => each.unchanged.measured)
  const heaviest = [one.promised, one.measured, twice.promised, twice.measured]
  return [[title, ...percents([...unchanged, all.measured, ...heaviest])]]
}

export function nothing(): Found {
  return { unchanged: new Shares(), all: new Shares(), one: new Shares(), twice: new Shares() }
}

/** The gates that are suggested after the sixth run, or as soon as one passes, judge all runs after that. */
export async function judgeHistory(
  shape: Shape,
  { length, seed }: { length: number; seed: number },
  found: Found,
): Promise<void> {
  const random = new Random(seed)
  const system = makeSystem(shape, random)
  const past = green(Array.from({ length: compared }, (_, at) => simulateRun(system, random, { at })))
  let suggestion: Suggestion | undefined
  for (let at = compared; at < length; at++) {
    const run = simulateRun(system, random, { at })
    if (!suggestion) {
      suggestion = await suggestedAfter(run, past)
      past.push({ report: run, isRed: false })
      continue
    }
    const judged = await judgedAfter(past, run, gatesOf(suggestion))
    found.unchanged.add(judged.isRed)
    if (at <= compared + changed) await tryChanges({ system, random, suggestion }, past, found)
    past.push(judged)
  }
}

/** Changed runs in place of the next one of the system. */
async function tryChanges(
  { system, random, suggestion }: { system: System; random: Random; suggestion: Suggestion },
  past: readonly PastRun[],
  found: Found,
): Promise<void> {
  const at = past.length
  const whole = simulateRun(system, random, { at, slower: () => slow })
  found.all.add(isRed(await judgedBy(suggestion, whole, past)))
  const [heaviest] = suggestion.power
  if (!heaviest) return
  const { subject, chance, chanceIfTwice } = heaviest
  const slowed = system.parts.findIndex(({ name }) => subject === `request "${name}"`)
  const slower = (index: number) => (index === slowed ? slow : 1)
  const run = simulateRun(system, random, { at, slower })
  found.one.add(names(subject, await judgedBy(suggestion, run, past)), chance)
  if (at > compared + 1) return
  const longer = { ...system, parts: system.parts.map((part) => ({ ...part, samples: 2 * part.samples })) }
  const before = green(past.map((_, index) => simulateRun(longer, random, { at: index })))
  const last = simulateRun(longer, random, { at, slower })
  found.twice.add(names(subject, await judgedBy(suggestion, last, before)), chanceIfTwice)
}

function green(reports: readonly Report[]): PastRun[] {
  return reports.map((report) => ({ report, isRed: false }))
}

async function suggestedAfter(run: Report, past: readonly PastRun[]): Promise<Suggestion | undefined> {
  const before = comparedWith(past, compared)
  if (!before) return undefined
  const { noise } = await judge({ gates: [], report: run, baseline: before })
  return suggestionOf(run, noise)
}

function gatesOf({ gates }: Suggestion): Gate[] {
  return parseGates(gates.map(({ gate }) => gate).join('\n')).gates
}

async function judgedBy(
  suggestion: Suggestion,
  report: Report,
  past: readonly PastRun[],
): Promise<GateResult[]> {
  const baseline = comparedWith(past, compared)
  const judged = await judge({ gates: gatesOf(suggestion), report, ...(baseline ? { baseline } : {}) })
  return judged.results
}

/** Whether the gate about the mean of a request failed. */
function names(subject: string, results: readonly GateResult[]): boolean {
  return results.some((one) => one.subject === subject && one.metric === 'mean' && one.result === 'failed')
}
