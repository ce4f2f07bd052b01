import { unitOf } from '../../figures/metrics.js'
import type { History } from '../../outcome/history.js'
import type { ChangePoint, Series } from '../../gates/change-points.js'
import type { Outcome } from '../../outcome/outcome.js'
import type { TimerKind } from '../../report/report.js'
import { htmlText, webAddress } from '../../text/foreign-text.js'
import { metricTitle } from '../words/figure-text.js'
import { plainNumber, quantity } from '../../figures/quantity.js'
import { plural } from '../../text/plural.js'
import { historyStyle } from './style.js'
import { runTable, runText, changePointTable } from './tables.js'
import {
  historyHeadline,
  historyMeaning,
  isOf,
  keySeries,
  changePointText,
  changePointTone,
} from './words.js'
import { linkHtml, listHtml, tableHtml } from '../digest/html.js'
import { htmlPage, section } from '../digest/page.js'
import { heatMap } from './heat-map.js'
import { latestOf, seriesChart, sparkline } from './line-chart.js'
import { slowdownNote, trialTable } from './trial.js'
import { kindNames, kindsInOrder, kindTitles } from '../words/timer-rows.js'

/** Timers of a kind; more make a page slow on a phone. */
const mostTimers = 1000

/**
 * Hides the timers whose names do not contain the search text. It writes nothing but a count, so no text of a report
 * can become anything else. Without it the page is complete, and the browser's own search finds all names.
 */
const searchScript = `(()=>{
const box=document.getElementById('search'),input=box.querySelector('input'),found=box.querySelector('output')
const rows=[...document.querySelectorAll('.timer')].map(row=>[row,row.querySelector('.name').textContent.toLowerCase()])
box.hidden=false
input.addEventListener('input',()=>{
const wanted=input.value.trim().toLowerCase()
let count=0
for(const [row,name] of rows){row.hidden=!name.includes(wanted);if(!row.hidden)count++}
found.textContent=wanted===''?'':count+' of '+rows.length
})
})()`

/** The history as one HTML file, its charts drawn in it. */
export function renderHistory(outcome: Outcome, history: History): string {
  const { repository } = outcome.step
  const hasTimers = history.series.some(({ name }) => name !== undefined)
  return htmlPage({
    title: historyHeadline(history),
    style: historyStyle,
    script: hasTimers ? searchScript : undefined,
    tone: 'plain',
    tag: `Load tests${repository === undefined ? '' : ` of ${htmlText(repository, 140)}`}`,
    below: [`<p>${htmlText(historyMeaning(history))}</p>`, workflowLink(outcome)],
    sections: sections(outcome, history),
  })
}

function workflowLink({ step }: Outcome): string {
  const page = webAddress(step.workflowRunUrl)
  return page === undefined
    ? ''
    : `<p class="links">${linkHtml('Workflow run that wrote this page', page)}</p>`
}

function sections(outcome: Outcome, history: History): string[] {
  const rest = 'The outcome file has them all.'
  return [
    listHtml('Notes', outcome.notes, []),
    section('Key figures', keyCharts(history) + legend(history)),
    section('Gates', trialHtml(history)),
    section('Changes', tableHtml(changePointTable(outcome, history), rest) + changeNote(history)),
    section('Timers', timersHtml(history)),
    section('Runs', tableHtml(runTable(outcome, history), rest)),
  ]
}

function trialHtml({ trial, runs }: History): string {
  if (!trial || runs.length === 0) return ''
  const table = tableHtml(trialTable(trial), 'The outcome file has them all.')
  return `${heatMap(trial, runs)}\n${table}<p class="quiet">${htmlText(slowdownNote)}</p>`
}

function keyCharts(history: History): string {
  const charts = keySeries(history).map((series, index) =>
    seriesChart(series, history.runs, changesOf(history, series), `key-${index + 1}`),
  )
  return charts.length === 0 ? '' : `<div class="charts">${charts.join('\n')}</div>`
}

function legend({ runs, changePoints, series }: History): string {
  if (series.length === 0) return ''
  const has = (tone: string) => changePoints.some((change) => changePointTone(change) === tone)
  const all = [
    ...(has('bad') ? ['<span><i class="worse"></i>change for the worse</span>'] : []),
    ...(has('good') ? ['<span><i class="better"></i>change for the better</span>'] : []),
    ...(runs.some(({ verdict }) => verdict === 'failed')
      ? ['<span><i class="dot bad"></i>gates failed</span>']
      : []),
    ...(runs.some(({ acceptedBy }) => acceptedBy !== undefined)
      ? ['<span><i class="dot accepted"></i>accepted</span>']
      : []),
    '<span>All charts begin at 0. A gap is a run that did not measure the figure.</span>',
  ]
  return `<p class="legend">${all.join(' ')}</p>`
}

function changeNote({ runs, changePoints }: History): string {
  if (runs.length === 0) return ''
  const rule =
    'A change is marked at a run if it and the next one both differ from the runs before them by more than noise and 10%, in the same direction. The latest run cannot have one yet.'
  return `<p class="quiet">${changePoints.length === 0 ? `There is none. ${rule}` : rule}</p>`
}

function changesOf({ changePoints }: History, series: Series): ChangePoint[] {
  return changePoints.filter((change) => isOf(change, series))
}

function timersHtml(history: History): string {
  const kinds = kindsInOrder.map((kind) => kindHtml(history, kind)).filter((html) => html !== '')
  if (kinds.length === 0) return ''
  const search =
    '<p class="search" id="search" hidden><label for="wanted">Find timers</label> <input id="wanted" type="search" autocomplete="off"> <output for="wanted"></output></p>'
  return `${search}\n${kinds.join('\n')}`
}

function kindHtml(history: History, kind: TimerKind): string {
  const all = history.series
    .filter((series) => series.kind === kind && series.name !== undefined)
    .map((series) => ({ series, changes: changesOf(history, series) }))
  const [first] = all
  if (!first) return ''
  const newest = ({ changes }: { changes: readonly ChangePoint[] }) => changes.at(-1)?.run ?? -1
  const value = ({ series }: { series: Series }) => latestOf(series.values) ?? -1
  all.sort((a, b) => newest(b) - newest(a) || value(b) - value(a))
  const changed = all.filter(({ changes }) => changes.length > 0).length
  const title = `${kindTitles[kind]}, ${metricTitle(first.series.metric)}: ${plainNumber(all.length)}${changed > 0 ? `, of which ${plainNumber(changed)} changed` : ''}`
  const rows = all
    .slice(0, mostTimers)
    .map(({ series, changes }, index) => timerHtml(history, series, changes, `${kind}-${index + 1}`))
  const note =
    all.length > mostTimers
      ? `<p class="quiet">The first ${plainNumber(mostTimers)} of ${plural(all.length, kindNames[kind])} are shown. The outcome file has them all.</p>`
      : ''
  return `<details open><summary>${htmlText(title)}</summary>\n<ul class="timers">\n${rows.join('\n')}\n</ul>${note}</details>`
}

function timerHtml(history: History, series: Series, changes: readonly ChangePoint[], id: string): string {
  const unit = unitOf(series.metric)
  const last = changes.at(-1)
  const run = last && history.runs[last.run]
  const changed =
    last && run
      ? `<span class="${changePointTone(last)}">${htmlText(changePointText(last))}</span> from ${htmlText(runText(run))} on`
      : ''
  return `<li class="timer"><span class="name code"><bdi>${htmlText(series.name ?? '')}</bdi></span>${sparkline(series, changes, id)}<span class="now">${htmlText(quantity(latestOf(series.values), unit))}</span><span class="changed">${changed}</span></li>`
}
