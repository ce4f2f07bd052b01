import { durationSeconds, reportName, simulatedNote, type SimulatedRun } from './simulated-run.js'
import { webshop } from './webshop.js'
import { element, type XmlElement } from './xml.js'

/** A setting that looks like a secret: whatever reads the report must never show it. */
export const secretProperty = { name: 'webshop.admin.password', value: 'simulated-secret-do-not-print' }

/** `configuration` of testreport.xml: the settings of the run. */
export function configurationElement(run: SimulatedRun): XmlElement {
  const { productName, logogram, version } = engine(run)
  return element('configuration', [
    element(
      'properties',
      properties(run).map(({ name, value }) => element('property', [], { name, value })),
    ),
    element('reportGeneratorConfiguration', [
      element('slowestRequestsPerBucket', 2),
      element('slowestRequestsTotal', 30),
      element('slowestRequestsMinRuntime', 0),
      element('slowestRequestsMaxRuntime', 600_000),
      element('dynamicChartsEnabled', 'false'),
      element('timeZoneLabel', 'UTC'),
      element('timeZoneOffset', 0),
    ]),
    element('version', [
      element('buildDate', '2026-01-05 00:00:00 UTC'),
      element('productName', productName),
      element('logogram', logogram),
      element('productURL', 'https://example.com/'),
      element('revisionNumber', 'simulated'),
      element('vendorName', 'Nobody'),
      element('version', version),
    ]),
    element('customJvmArgs', [element('string', '-Xmx384m')]),
    element('loadProfile', loadProfile(run)),
    element(
      'comments',
      comments(run).map((comment) => element('string', comment)),
    ),
    run.projectName === undefined ? undefined : element('projectName', run.projectName),
    element('chartHeight', 300),
    element('chartWidth', 900),
  ])
}

/** The engine's parts: "ABC 9.2.0" has its own logogram. */
export function engine(run: SimulatedRun): { productName: string; logogram: string; version: string } {
  const [, logogram = 'SIM', version = run.engineVersion] =
    /^(\S+)\s+(\S.*)$/.exec(run.engineVersion.trim()) ?? []
  return { productName: 'Simulated load-test engine', logogram, version }
}

/** The report's name, its description with line breaks, and a note on the figures. */
function comments(run: SimulatedRun): string[] {
  return [reportName(run), run.description, simulatedNote].filter((comment) => comment !== '')
}

function properties(run: SimulatedRun): { name: string; value: string }[] {
  return [
    { name: 'webshop.url', value: 'https://shop.example.com/' },
    { name: 'webshop.admin.user', value: 'loadtest' },
    secretProperty,
    { name: 'loadtests', value: webshop.map((transaction) => transaction.name).join(', ') },
    { name: 'measurementPeriod', value: String(durationSeconds(run)) },
    { name: 'simulation.seed', value: String(run.seed) },
  ]
}

const separated = new Intl.NumberFormat('en-US')

/** Numbers are text, with thousands separators and ranges, as the engine writes them. */
function loadProfile(run: SimulatedRun): XmlElement[] {
  const allUsers = webshop.reduce((sum, transaction) => sum + transaction.users, 0)
  return webshop.map(({ name, className, users }) =>
    element('testCase', [
      element('initialDelay', 0),
      element('measurementPeriod', separated.format(durationSeconds(run))),
      element('numberOfIterations', 0),
      element('numberOfUsers', `1...${users}`),
      element('numberOfUsersPercentage', ((users / allUsers) * 100).toFixed(3)),
      element('rampUpPeriod', 30),
      element('shutdownPeriod', 0),
      element('testCaseClassName', className),
      element('userName', name),
      element('warmUpPeriod', 0),
      element('actionThinkTime', 420),
      element('actionThinkTimeDeviation', 150),
    ]),
  )
}
