import { plainNumber } from '../../figures/quantity.js'
import type { GateOutcome, GatesVerdict } from '../../gates/result.js'
import type { HistoryRun, Trial, TrialResult, TriedGate } from '../../outcome/history.js'
import { plural } from '../../text/plural.js'
import { htmlText, webAddress } from '../../text/foreign-text.js'
import { gateWords } from '../words/verdict-words.js'
import type { Tone } from '../words/table.js'
import { runText } from './tables.js'

/** Gates; more make a page slow on a phone. */
const mostGates = 100

/** What a cell shows beside its colour. */
const marks: Record<GateOutcome, string> = {
  failed: '✕',
  warned: '!',
  'not-measured': '?',
  'not-compared': '–',
  'left-out': '–',
  passed: '✓',
}

const ofVerdict: Record<GatesVerdict, GateOutcome> = {
  failed: 'failed',
  invalid: 'not-measured',
  passed: 'passed',
}

/** Gates down, runs across, as a table in a box that scrolls by itself; nothing without gates. */
export function heatMap({ gates, verdicts }: Trial, runs: readonly HistoryRun[]): string {
  if (gates.length === 0 || runs.length === 0) return ''
  const head = runs.map((run, at) => `<th scope="col">${runLink(run, at)}</th>`)
  const together = verdicts.map((verdict): TrialResult => ({ result: ofVerdict[verdict] }))
  const rows = gates.slice(0, mostGates).map((gate) => rowHtml(gateHtml(gate), gate.results, runs))
  const note =
    gates.length > mostGates
      ? `<p class="quiet">The first ${plainNumber(mostGates)} of ${plural(gates.length, 'gate')} are shown. The outcome file has them all.</p>`
      : ''
  return `<div class="box heat" role="region" aria-label="Gates and runs" tabindex="0"><table><caption>Gates and runs, the oldest first</caption>
<thead><tr><th scope="col">Gate</th>${head.join('')}</tr></thead>
<tbody>
${[rowHtml('All gates', together, runs), ...rows].join('\n')}
</tbody></table></div>
<p class="legend">${legend.join(' ')}</p>${note}`
}

const legend = (['passed', 'failed', 'warned', 'not-measured', 'not-compared'] as const).map((result) => {
  const { word, tone } = gateWords[result]
  return `<span><b class="mark ${tone}">${marks[result]}</b> ${word}</span>`
})

function runLink(run: HistoryRun, at: number): string {
  const number = at + 1
  const about = htmlText(runText(run), 200)
  const page = webAddress(run.url)
  return page === undefined
    ? `<span title="${about}">${number}</span>`
    : `<a href="${htmlText(page, 2000)}" title="${about}" rel="noopener noreferrer">${number}</a>`
}

function gateHtml({ gate, name }: TriedGate): string {
  const detail = name === undefined ? '' : `<span class="detail"><bdi>${htmlText(name, 100)}</bdi></span>`
  return `<span class="code"><bdi>${htmlText(gate, 200)}</bdi></span>${detail}`
}

function rowHtml(head: string, results: readonly TrialResult[], runs: readonly HistoryRun[]): string {
  const cells = runs.map((run, at) => cellHtml(results[at], run))
  return `<tr><th scope="row">${head}</th>${cells.join('')}</tr>`
}

function cellHtml(one: TrialResult | undefined, run: HistoryRun): string {
  if (!one) return '<td></td>'
  const { word, tone }: { word: string; tone: Tone } = gateWords[one.result]
  const reason = one.reason === undefined ? '' : `. ${one.reason}`
  return `<td class="${tone}" aria-label="${word}" title="${htmlText(`${runText(run)}: ${word}${reason}`, 400)}">${marks[one.result]}</td>`
}
