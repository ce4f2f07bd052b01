import { whatBecameOf, type GateOutcome } from '../../gates/result.js'
import type { Slowdown, Trial, TriedGate } from '../../outcome/history.js'
import { plural } from '../../text/plural.js'
import type { Cell, Table, Tone } from '../words/table.js'

/** What slowdowns in the table are, in a sentence. */
export const slowdownNote =
  'Finds +10%: of the runs that the gate passed, as many would have failed with all response times 10% higher.'

/** `With these gates, 2 of 30 runs would have failed, and 1 could not have been judged.` */
export function trialSentence({ verdicts }: Trial): string {
  return `With these gates, ${whatBecameOf(verdicts)}.`
}

/** A row for each gate: how often it would have failed, and how often it finds a slowdown. */
export function trialTable({ gates, verdicts }: Trial): Table {
  const percents = gates.flatMap(({ slowdowns = [] }) => slowdowns.map(({ percent }) => percent))
  const steps = [...new Set(percents)]
  return {
    title: `Gates, tried on ${plural(verdicts.length, 'run')}`,
    columns: [
      { title: 'Gate' },
      { title: 'Would have failed', numeric: true },
      { title: 'Not measured', numeric: true },
      ...steps.map((percent) => ({ title: `Finds +${percent}%`, numeric: true })),
    ],
    rows: gates.map((gate) => [
      { text: gate.gate, code: true, ...(gate.name === undefined ? {} : { detail: gate.name }) },
      failedCell(gate),
      unmeasuredCell(gate),
      ...steps.map((percent) => foundCell(gate.slowdowns?.find((one) => one.percent === percent))),
    ]),
  }
}

/** Only runs that the gate could judge count. */
function failedCell({ results }: TriedGate): Cell {
  const count = (wanted: GateOutcome) => results.filter(({ result }) => result === wanted).length
  const [failed, warned, passed] = [count('failed'), count('warned'), count('passed')]
  const tone: Tone | undefined = failed > 0 ? 'bad' : warned > 0 ? 'caution' : undefined
  return { ...share(failed + warned, failed + warned + passed), ...(tone === undefined ? {} : { tone }) }
}

function unmeasuredCell({ results }: TriedGate): Cell {
  const open = results.filter(({ result }) => result === 'not-measured')
  const reason = open.at(-1)?.reason
  return open.length === 0
    ? { text: '0' }
    : { text: String(open.length), tone: 'caution', ...(reason === undefined ? {} : { detail: reason }) }
}

function foundCell(slowdown: Slowdown | undefined): Cell {
  return share(slowdown?.found ?? 0, slowdown?.runs ?? 0)
}

function share(part: number, all: number): Cell {
  return { text: all === 0 ? '–' : `${part} of ${all}` }
}
