import { defined } from '../../text/fields.js'
import type { Format } from '../format.js'
import { errorsIn, parseScorecard } from './xlt-scorecard.js'
import { parseTestReport } from './xlt-report.js'

/** The charts of XLT's report: those of the whole run, and one of the times of each timer. */
const chartFiles =
  /(?:^|\/)charts\/(?:[A-Z][A-Za-z]+|agents\/All Agents\/CpuUsage|(?:transactions|actions|requests|pageLoadTimings|custom)\/[^/]+(?<!_(?:Average|CountPerSecond|Histogram|ResponseSize|ArrivalRate|ConcurrentUsers)))\.webp$/

/** The report of XLT: testreport.xml, with the scorecard.xml beside it. */
export const xlt: Format = {
  tool: 'XLT',
  name: "XLT's report (testreport.xml)",
  files: /(?:^|\/)testreport\.xml$/,
  beside: /(?:^|\/)scorecard\.xml$/,
  charts: chartFiles,
  usualName: 'testreport.xml',
  // It has some 10 MB.
  mostBytes: 256_000_000,
  isRaw: false,
  has: /^/,
  recognises: ({ name, text }) =>
    name === 'testreport.xml' || (/^\s*</.test(text) && /<testreport[\s/>]/.test(text)),
  async read([part], [beside], { label }) {
    const report = await parseTestReport(part.bytes(), label)
    const scorecard = beside && (await parseScorecard(beside.bytes()))
    const xml = part.file === undefined ? undefined : { file: part.file, errorsIn }
    return { report, ...defined({ scorecard, xml }) }
  },
}
