import { unitOf } from '../../figures/metrics.js'
import { plainNumber, quantity } from '../../figures/numbers.js'
import type { History, Outcome } from '../../outcome/outcome.js'
import type { TimerKind } from '../../report/report.js'
import { htmlText, webAddress } from '../../text/foreign-text.js'
import { metricTitle } from '../words/figure-text.js'
import { plural } from '../../text/plural.js'
import { linkHtml, listHtml, tableHtml, htmlPage, section } from '../digest/html.js'
import { digestStyle } from '../digest/style.js'
import { kindNames, kindsInOrder, kindTitles } from '../words/timer-rows.js'
import { changePointTone } from '../words/verdict-words.js'
import { wordsFor } from '../words/words.js'
import { changesOf, HistoryCharts, latestOf, type Charted } from './run-charts.js'
import { changePointTable, heatMap, runTable, slowdownNote, trialTable } from './tables.js'
import { historyHeadline, historyMeaning, keySeries } from '../words/history-words.js'

/** Timers of a kind; more make a page slow on a phone. */
const mostTimers = 1000
/** Changes in their table, and of a timer; the charts mark them all. */
const mostChanges = 20
const mostOfTimer = 3

/** The history as one HTML file, its charts drawn in it. */
export function renderHistory(outcome: Outcome, history: History): string {
  const { repository } = outcome.step
  const { icon, tone } = wordsFor(outcome)
  return htmlPage({
    title: historyHeadline(history),
    ...(history.runs.length === 0 ? { tone: 'plain' } : { icon, tone }),
    style: historyStyle,
    tag: `History of load tests${repository === undefined ? '' : ` of ${htmlText(repository, 140)}`}`,
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
  const charts = new HistoryCharts(outcome, history.runs)
  return [
    listHtml('Notes', outcome.notes, []),
    section('Key figures', keyCharts(charts, history) + legend(history)),
    section('Gates', trialHtml(history)),
    section(
      'Changes',
      tableHtml(changePointTable(outcome, history, mostChanges), rest) + changeNote(history),
    ),
    section('Timers', kindsInOrder.map((kind) => kindHtml(charts, history, kind)).join('')),
    section('Runs', tableHtml(runTable(outcome, history), rest)),
  ]
}

function trialHtml({ trial, runs }: History): string {
  if (!trial || runs.length === 0) return ''
  const table = tableHtml(trialTable(trial), 'The outcome file has them all.')
  return `${heatMap(trial, runs)}\n${table}<p class="quiet">${htmlText(slowdownNote)} These gates are the ones given to this history. The load tests themselves may have been judged by others: theirs are the limits in the charts.</p>`
}

function keyCharts(charts: HistoryCharts, history: History): string {
  const all = keySeries(history).map((series) =>
    charts.large({ series, changes: changesOf(history, series) }),
  )
  const [drawn, steady] = [true, false].map((isDrawn) =>
    all.filter((html) => html.startsWith('<figure') === isDrawn),
  )
  return `${drawn?.length ? `<div class="charts">${drawn.join('\n')}</div>` : ''}${steady?.join('\n') ?? ''}`
}

function legend({ runs, changePoints, series }: History): string {
  if (series.length === 0) return ''
  const has = (tone: string) => changePoints.some((change) => changePointTone(change) === tone)
  const marks: [isShown: boolean, look: string, text: string][] = [
    [has('bad'), 'worse', 'change for the worse'],
    [has('good'), 'better', 'change for the better'],
    [runs.some(({ verdict }) => verdict === 'failed'), 'dot bad', 'gates failed'],
    [runs.some(({ acceptedBy }) => acceptedBy !== undefined), 'dot accepted', 'accepted'],
    [true, 'noise', 'noise: two deviations around the median of a level, as its runs show them'],
  ]
  const shown = marks.flatMap(([isShown, look, text]) =>
    isShown ? [`<span><i class="${look}"></i>${text}</span>`] : [],
  )
  return `<p class="legend">${shown.join(' ')} <span>${chartNote}</span></p>`
}

const chartNote =
  'All charts begin at 0. A gap is a run that did not measure the figure. A dot leads to the digest of its run or, without one, to the run.'

function changeNote({ runs, changePoints }: History): string {
  if (runs.length === 0) return ''
  const rule =
    'A change is a figure that moved to another level and stayed there, by more than noise explains. The latest run cannot have one yet.'
  return `<p class="quiet">${changePoints.length === 0 ? `There is none. ${rule}` : rule}</p>`
}

function kindHtml(charts: HistoryCharts, history: History, kind: TimerKind): string {
  const all = history.series
    .filter((series) => series.kind === kind && series.name !== undefined)
    .map((series) => ({ series, changes: changesOf(history, series) }))
  const [first] = all
  if (!first) return ''
  const newest = ({ changes }: Charted) => changes.at(-1)?.run ?? -1
  const value = ({ series }: Charted) => latestOf(series.values) ?? -1
  all.sort((a, b) => newest(b) - newest(a) || value(b) - value(a))
  const changed = all.filter(({ changes }) => changes.length > 0).length
  const title = `${kindTitles[kind]}, ${metricTitle(first.series.metric)}: ${plainNumber(all.length)}${changed > 0 ? `, of which ${plainNumber(changed)} changed` : ''}`
  const rows = all.slice(0, mostTimers).map((one) => timerHtml(charts, one))
  const note =
    all.length > mostTimers
      ? `<p class="quiet">The first ${plainNumber(mostTimers)} of ${plural(all.length, kindNames[kind])} are shown. The outcome file has them all.</p>`
      : ''
  return `<details open><summary>${htmlText(title)}</summary>\n<ul class="timers">\n${rows.join('\n')}\n</ul>${note}</details>`
}

/** A line of the list. @returns the name, the chart, the latest figure, and the latest changes */
function timerHtml(charts: HistoryCharts, charted: Charted): string {
  const { series, changes } = charted
  const found = changes
    .slice(-mostOfTimer)
    .reverse()
    .map((change) => `<span>${charts.changeHtml(change, series)}</span>`)
  return `<li class="timer"><span class="name code"><bdi>${htmlText(series.name ?? '')}</bdi></span>${charts.small(charted)}<span class="now">${htmlText(quantity(latestOf(series.values), unitOf(series.metric)))}</span><span class="changed">${found.join(' ')}</span></li>`
}

/** The digest's style, and what the lines of a history need. */
const historyStyle = `${digestStyle}
.verdict.plain{background:var(--card);border-left-color:var(--run)}
figcaption b{display:block;font-size:1.35rem;line-height:1.3;font-weight:650;font-variant-numeric:tabular-nums}
.charts{grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr))}td a,th a{white-space:nowrap;overflow-wrap:normal}
.plot{padding-top:1.9rem}.spark{display:block;width:100%;height:4.6rem;padding:.3rem .3rem 1.3rem 4.2rem;font-size:.75rem}
svg .number{fill:var(--text);font-weight:650}
svg .band{fill:var(--run);opacity:.16}.legend i.noise{background:var(--run);opacity:.3}.found{margin:.5rem 0 0;padding-left:1.4rem;font-size:.85rem}.found li{margin:.2rem 0}
svg .dot{stroke:var(--run);stroke-width:7px;stroke-linecap:round}
svg .dot.small{stroke-width:4px}svg .dot.bad{stroke:var(--bad);stroke-linecap:square}svg .dot.accepted{stroke:var(--caution);stroke-width:11px}
svg .limit{stroke:var(--quiet);stroke-width:1.5px;stroke-dasharray:5 4}
svg .change{stroke-width:2px;stroke-dasharray:2 3}
svg .change.bad{stroke:var(--bad)}svg .change.good{stroke:var(--good);stroke-dasharray:7 3}
.legend i.limit{width:1.2rem;height:0;border-top:2px dashed var(--quiet);vertical-align:middle;border-radius:0}
.legend i.dot{border-radius:50%;width:.7rem;height:.7rem}
.legend i.bad{background:var(--bad);border-radius:1px}.legend i.accepted{background:var(--caution)}
.legend i.worse{width:0;height:.9rem;border-left:2px dotted var(--bad);border-radius:0;vertical-align:middle}
.legend i.better{width:0;height:.9rem;border-left:2px dashed var(--good);border-radius:0;vertical-align:middle}
.timers{list-style:none;padding:0}
.timer{display:grid;grid-template-columns:minmax(8rem,2fr) minmax(14rem,4fr) 5.5rem minmax(11rem,3fr);gap:.3rem 1rem;align-items:center;padding:.5rem .85rem;background:var(--card);border:1px solid var(--line);border-top:0;content-visibility:auto;contain-intrinsic-size:auto 5.6rem}
.timer:first-child{border-top:1px solid var(--line)}
.timer .name{overflow-wrap:anywhere}.timer .now{text-align:right;font-variant-numeric:tabular-nums}
.timer .changed{font-size:.85rem;color:var(--quiet)}.changed>span{display:block}.changed .bad,.found .bad{color:var(--bad);font-weight:600}.changed .good,.found .good{color:var(--good);font-weight:600}
.heat table{width:auto;border-collapse:separate;border-spacing:1px}
.heat th,.heat td{padding:.1rem .3rem;border:0;text-align:center;min-width:1.7rem;vertical-align:middle}
.heat thead a,.heat thead span{writing-mode:vertical-rl;white-space:nowrap;font-weight:400}
.heat tr>:first-child{position:sticky;left:0;z-index:1;background:var(--card);text-align:left;min-width:min(20rem,45vw);max-width:min(26rem,45vw)}
.heat .good,.mark.good{background:var(--good-soft)}.heat .bad,.mark.bad{background:var(--bad-soft)}.heat .caution,.mark.caution{background:var(--caution-soft)}
.mark{padding:0 .35rem}.heat+.legend{margin:.4rem 0 1rem}.mark.good{color:var(--good)}.mark.bad{color:var(--bad)}.mark.caution{color:var(--caution)}
@media (max-width:40rem){.heat table{display:table}.heat thead{display:table-header-group;position:static;clip-path:none}.heat tbody{display:table-row-group}.heat tr{display:table-row}
.heat th,.heat td{display:table-cell}.heat td::before{content:none}.heat thead a,.heat thead span{writing-mode:vertical-rl;white-space:nowrap;font-weight:400}
.heat tr>:first-child{font-size:.8rem}
.timer{grid-template-columns:1fr auto}.timer .spark{grid-column:1/-1;grid-row:2}.timer .changed{grid-column:1/-1}}
`
