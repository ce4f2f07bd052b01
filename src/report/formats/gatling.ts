import { ReportError } from '../../errors.js'
import { defined, fieldsOf, isFields, parsedJson, textOf, type Fields } from '../../text/fields.js'
import type { Format } from '../format.js'
import { isPercentile, type Report, type Timer } from '../report.js'
import {
  addRow,
  addTimer,
  reportBy,
  figureOf,
  figuresOf,
  percentilesAmong,
  timerOf,
  unambiguous,
} from './timers.js'
import { textOfPart } from './text-rows.js'

/**
 * Gatling's HTML report. Until 3.13 its figures are in js/stats.js, a program of which only the one object is read, as
 * data, and until 3.12 in js/stats.json too; which percentiles these are says index.html alone. Since 3.14 all is in the
 * table of index.html.
 */
export const gatling: Format = {
  tool: 'Gatling',
  name: "Gatling's report (the folder with index.html and js/stats.js)",
  files: /(?:^|\/)(?:index\.html|stats\.js(?:on)?)$/,
  beside: { below: 'js/', names: /^stats\.js(?:on)?$/ },
  usualName: 'index.html',
  mostBytes: 256_000_000,
  isRaw: false,
  has: /^(?:requests|transactions) (?:count|err.*|throughput|min|max|mean|median|deviation|p[\d.]+)$/,
  unless: [
    [
      / (?:median|p[\d.]+)$/,
      'gatling.charting.indicators has it, and index.html, which says so, is in the folder',
    ],
  ],
  recognises: ({ name, text }) =>
    isPage(text) ||
    /^\s*(?:(?:var|const|let) stats\s*=\s*)?\{\s*"?type"?: ?"GROUP"/.test(text) ||
    name === 'stats.js',
  async read([part], [script]) {
    const report = reportBy('Gatling', 1)
    const text = await textOfPart(part)
    if (isPage(text)) readPage(text, script && (await textOfPart(script)), report)
    else readGroup(objectIn(text), report, [])
    return { report: unambiguous(report) }
  },
}

function isPage(text: string): boolean {
  return /^\s*<(?:[^]*<)?title>Gatling Stats - Global/.test(text)
}

/** The titles of its table, by their columns. */
function titlesIn(page: string): Map<string, string> {
  const titles = page.matchAll(/<th id="(col-\d+)"[^>]{0,400}>(.{0,400}?)<\/th>/g)
  return new Map([...titles].map(([, column = '', title = '']) => [column, title.replace(/<[^>]*>/g, '')]))
}

/** `p95` for `95th pct`; undefined for a title of something else. */
function percentileOf(title: string): string | undefined {
  const number = /^(.+?)(?:st|nd|rd|th) pct$/.exec(title)?.[1]
  return number === undefined ? undefined : `p${number}`
}

const pageNames: Readonly<Record<string, keyof typeof figureNames | 'errors'>> = {
  ...{ Total: 'count', KO: 'errors', 'Cnt/s': 'countPerSecond' },
  ...{ Min: 'min', Max: 'max', Mean: 'mean', 'Std Dev': 'deviation' },
}

/** The rows of its table, or those of its script, which the table is made of. @throws ReportError if it is cut */
function readPage(text: string, script: string | undefined, report: Report): void {
  if (!text.trimEnd().endsWith('</html>')) throw noData()
  const date = Date.parse(/Date: <\/span>\s*<span>([^<]{1,40})</.exec(text)?.[1] ?? '')
  if (!Number.isNaN(date)) report.general.startTime = date
  const titles = titlesIn(text)
  if (text.includes('id="stats-table-ROOT"')) {
    readRows(text, titles, report)
    return
  }
  if (script === undefined) {
    throw new ReportError(
      'It is a page of a Gatling report whose figures are in js/stats.js, and that is not in its folder. Judge the whole folder.',
    )
  }
  readGroup(
    objectIn(script),
    report,
    [...titles.values()].flatMap((title) => percentileOf(title) ?? []),
  )
}

/** Each row has the group that it is in. */
function readRows(text: string, titles: ReadonlyMap<string, string>, report: Report): void {
  const [, ...rows] = text.split('<tr ')
  // Of the groups that rows are in, by their ids.
  const paths = new Map([['ROOT', '']])
  for (const row of rows) {
    const { id, name, within } = rowOfPage(row)
    const figures = figuresIn(row, titles)
    const above = paths.get(within)
    if (above === undefined || figures.count === undefined) throw noData()
    const isAll = id === 'ROOT'
    const path = isAll ? '' : above === '' ? name : `${above} / ${name}`
    paths.set(id, path)
    addRow(report, id.startsWith('group_') ? 'transactions' : 'requests', isAll, timerOf(path, figures))
  }
}

function rowOfPage(row: string): { id: string; name: string; within: string } {
  const [, within = 'ROOT'] = /^[^>]*data-parent="([^"]*)"/.exec(row) ?? []
  const [, id = '', name = ''] = /id="stats-table-([^"]*)" class="ellipsed-name">([^<]+)</.exec(row) ?? []
  if (name === '') throw noData()
  return { id, name: plain(name), within }
}

function figuresIn(row: string, titles: ReadonlyMap<string, string>): Partial<Timer> {
  const figures: Partial<Timer> = {}
  const percentiles: Record<string, number> = {}
  let passed: number | undefined
  for (const [, column = '', value = ''] of row.matchAll(/<td class="value \w+ (col-\d+)">([^<]*)</g)) {
    const title = titles.get(column) ?? ''
    const [name, percentile] = [pageNames[title], percentileOf(title)]
    const figure = figureOf(value)
    if (figure === undefined) continue
    if (title === 'OK') passed = figure
    else if (name !== undefined) figures[name] = figure
    else if (percentile !== undefined && isPercentile(percentile)) percentiles[percentile] = figure
  }
  // In a run where nothing failed, KO has a dash.
  if (passed !== undefined && passed === figures.count) figures.errors ??= 0
  return { ...figures, ...defined({ median: percentiles['p50'] }), percentiles }
}

/** What HTML 4 has names for: each name with its character. */
const signs =
  'quot" amp& lt< gt> nbsp\u00a0 iexcl¡ cent¢ pound£ curren¤ yen¥ brvbar¦ sect§ uml¨ copy© ordfª laquo« not¬ shy\u00ad reg® macr¯ deg° plusmn± sup2² sup3³ acute´ microµ para¶ middot· cedil¸ sup1¹ ordmº raquo» frac14¼ frac12½ frac34¾ iquest¿ ' +
  'AgraveÀ AacuteÁ AcircÂ AtildeÃ AumlÄ AringÅ AEligÆ CcedilÇ EgraveÈ EacuteÉ EcircÊ EumlË IgraveÌ IacuteÍ IcircÎ IumlÏ ETHÐ NtildeÑ OgraveÒ OacuteÓ OcircÔ OtildeÕ OumlÖ times× OslashØ UgraveÙ UacuteÚ UcircÛ UumlÜ YacuteÝ THORNÞ szligß ' +
  'agraveà aacuteá acircâ atildeã aumlä aringå aeligæ ccedilç egraveè eacuteé ecircê eumlë igraveì iacuteí icircî iumlï ethð ntildeñ ograveò oacuteó ocircô otildeõ oumlö divide÷ oslashø ugraveù uacuteú ucircû uumlü yacuteý thornþ yumlÿ ' +
  'OEligŒ oeligœ ScaronŠ scaronš YumlŸ fnofƒ circˆ tilde˜ AlphaΑ BetaΒ GammaΓ DeltaΔ EpsilonΕ ZetaΖ EtaΗ ThetaΘ IotaΙ KappaΚ LambdaΛ MuΜ NuΝ XiΞ OmicronΟ PiΠ RhoΡ SigmaΣ TauΤ UpsilonΥ PhiΦ ChiΧ PsiΨ OmegaΩ alphaα betaβ gammaγ deltaδ epsilonε zetaζ etaη thetaθ iotaι kappaκ lambdaλ muμ nuν xiξ omicronο piπ rhoρ sigmafς sigmaσ tauτ upsilonυ phiφ chiχ psiψ omegaω thetasymϑ upsihϒ pivϖ ensp\u2002 emsp\u2003 thinsp\u2009 zwnj\u200c zwj\u200d lrm\u200e ' +
  'rlm\u200f ndash– mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ dagger† Dagger‡ bull• hellip… permil‰ prime′ Prime″ lsaquo‹ rsaquo› oline‾ frasl⁄ euro€ imageℑ weierp℘ realℜ trade™ alefsymℵ larr← uarr↑ rarr→ darr↓ harr↔ crarr↵ lArr⇐ uArr⇑ rArr⇒ dArr⇓ hArr⇔ forall∀ part∂ exist∃ empty∅ nabla∇ isin∈ notin∉ ni∋ prod∏ sum∑ minus− lowast∗ radic√ prop∝ infin∞ ang∠ and∧ or∨ cap∩ cup∪ int∫ there4∴ sim∼ cong≅ asymp≈ ne≠ equiv≡ le≤ ge≥ sub⊂ sup⊃ nsub⊄ sube⊆ supe⊇ oplus⊕ otimes⊗ perp⊥ sdot⋅ lceil⌈ rceil⌉ lfloor⌊ rfloor⌋ lang〈 rang〉 loz◊ spades♠ clubs♣ hearts♥ diams♦'
const named = new Map(signs.split(' ').map((sign) => [sign.slice(0, -1), sign.slice(-1)]))

/** A text of HTML; what it names otherwise stays as it is. */
function plain(html: string): string {
  return html.replace(
    /&(?:#(\d{1,6})|(\w{2,8}));/g,
    (whole: string, code: string | undefined, word: string = '') =>
      code === undefined ? (named.get(word) ?? whole) : String.fromCodePoint(Number(code)),
  )
}

const deepest = 64
/** The name of a field, or what JSON has: a text, a number, a sign or a word. Anything else is a program. */
const token =
  /\s*(?:([A-Za-z_]\w*)(?=\s*:)|"(?:[^"\\\n\r]|\\.){0,100000}"|-?\d[\d.eE+-]*|[{}[\],:]|true|false|null)/y

/** @throws ReportError if there is no object, or more than data in it */
function objectIn(text: string): Fields {
  token.lastIndex = /^\s*(?:(?:var|const|let)\s+stats\s*=\s*)?(?=\{)/.exec(text)?.[0].length ?? text.length
  const json: string[] = []
  let depth = 0
  do {
    const [piece, name] = token.exec(text) ?? []
    if (piece === undefined) throw noData()
    const sign = piece.trimStart()
    if (sign === '{' || sign === '[') depth++
    if (sign === '}' || sign === ']') depth--
    if (depth > deepest) throw noData()
    // A program's text may escape what JSON does not.
    json.push(name === undefined ? sign.replace(/(\\["\\/bfnrtu])|\\/g, '$1') : `"${name}"`)
  } while (depth > 0)
  const value = parsedJson(json.join(''))
  if (!isFields(value)) throw noData()
  return value
}

function noData(): ReportError {
  return new ReportError(
    'It is not the statistics of a Gatling report: "var stats = {…}" with nothing but data in it, or since Gatling 3.14 the table of index.html. It may be cut, or of another tool; it is never run.',
  )
}

const figureNames = {
  count: 'numberOfRequests',
  min: 'minResponseTime',
  max: 'maxResponseTime',
  mean: 'meanResponseTime',
  deviation: 'standardDeviation',
  countPerSecond: 'meanNumberOfRequestsPerSecond',
}
/**
 * A group is a transaction, but for the outermost, which is all requests.
 *
 * @param names the percentiles that there are; a script does not say that itself
 */
function readGroup(group: Fields, report: Report, names: readonly string[], isAll = true): void {
  addRow(report, isAll ? 'requests' : 'transactions', isAll, timerOfRow(group, names, isAll))
  for (const row of Object.values(fieldsOf(group['contents'])).map(fieldsOf)) {
    if (row['type'] === 'GROUP') readGroup(row, report, names, false)
    else addTimer(report, 'requests', timerOfRow(row, names))
  }
}

/** Two requests of one name may be in different groups: `Visit / Home` */
function timerOfRow({ name, path, stats }: Fields, names: readonly string[], isAll = false): Timer {
  const all = fieldsOf(stats)
  const figure = (of: string, outcome = 'total') => figureOf(fieldsOf(all[of])[outcome])
  const found = figuresOf(figureNames, (of) => figure(of))
  const percentiles = percentilesAmong(names, (_, at) => figure(`percentiles${at + 1}`))
  const others = defined({ errors: figure('numberOfRequests', 'ko'), median: percentiles['p50'] })
  const shown = isAll
    ? ''
    : (textOf(path) ?? textOf(name) ?? '').replaceAll('&quot;', '"').replaceAll('&#92;', '\\')
  return timerOf(shown, { ...found, ...others, percentiles })
}
