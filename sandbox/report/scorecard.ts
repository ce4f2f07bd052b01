import { simulateFigures, type Figures } from './figures.js'
import { checkRun, type SimulatedRun } from './simulated-run.js'
import { element, xmlFile, type XmlElement } from './xml.js'

/** A scorecard with its results: rules applied to the figures of the run. */
export interface Scorecard {
  groups: Group[]
  testFailed: boolean
  /** Set if a rule could not be evaluated; then points and rating are absent. */
  error?: string
  points: number
  totalPoints: number
  rating?: string
}

export interface Group {
  id: string
  name: string
  rules: Rule[]
  result: Result
}

export type Result = 'PASSED' | 'NOTPASSED' | 'ERROR'

export interface Rule {
  id: string
  name: string
  failsTest: boolean
  points: number
  /** XPath into testreport.xml. */
  selector: string
  /** Such as "<= 500". */
  condition: string
  /** As written in testreport.xml; absent if the selector finds nothing. */
  value?: string
  result: Result
  message: string
}

const ratings = [
  { id: 'poor', name: 'Poor', value: 50, failsTest: true },
  { id: 'ok', name: 'Ok', value: 95, failsTest: false },
  { id: 'success', name: 'Success', value: 100, failsTest: false },
]

/** The text of scorecard.xml; undefined for a run without a scorecard. */
export function scorecardXml(run: SimulatedRun): string | undefined {
  checkRun(run)
  const scorecard = evaluateScorecard(run, simulateFigures(run))
  return scorecard && scorecardText(scorecard)
}

/**
 * The verdict follows from the rules, not the other way round: for "passed" the limits are above the run's figures;
 * "failed" adds a rule whose limit is below the figure.
 */
export function evaluateScorecard(run: SimulatedRun, figures: Figures): Scorecard | undefined {
  if (run.scorecard === 'none') return undefined
  const { requests, actions } = figures.kinds
  const { p95 = 0, p99 = 0 } = requests.summary.times.percentiles
  const homepage = actions.timers.find((timer) => timer.name === 'Homepage')?.times.percentiles['p95']
  const cpu = Math.max(...figures.agents.map((agent) => agent.totalCpuUsage.mean))

  const stability = [
    rule('requestErrors', 'Request errors', true, 10, {
      selector: '/testreport/summary/requests/errors',
      limit: above(requests.summary.errors, 100),
      value: String(requests.summary.errors),
    }),
    rule('agentCpu', 'CPU of the load generators', false, 0, {
      selector: 'max(/testreport/agents/agent/totalCpuUsage/mean)',
      limit: 80,
      value: cpu.toFixed(3),
    }),
  ]
  const times = [
    rule('requestP95', 'Requests, 95%', true, 10, {
      selector: '/testreport/summary/requests/percentiles/p95',
      limit: above(p95, 1000),
      value: p95.toFixed(3),
    }),
    rule('homepageP95', 'Homepage, 95%', false, 5, {
      selector: "/testreport/actions/action[name = 'Homepage']/percentiles/p95",
      limit: above(homepage ?? 0, 1000),
      ...(homepage === undefined ? {} : { value: homepage.toFixed(3) }),
    }),
  ]
  if (run.scorecard !== 'passed') {
    const limit = Math.floor((p99 * 0.8) / 10) * 10
    const selector = '/testreport/summary/requests/percentiles/p99'
    times.push(rule('requestP99', 'Requests, 99%', true, 5, { selector, limit, value: p99.toFixed(3) }))
  }
  if (run.scorecard === 'error') {
    const selector = "/testreport/requests/request[name = 'Newsletter.1']/percentiles/p95"
    times.push(rule('newsletterP95', 'Newsletter, 95%', true, 5, { selector, limit: 1000 }))
  }
  return judged([group('stability', 'Stability', stability), group('times', 'Response times', times)])
}

/** The usual limit, or the next round number above a figure that exceeds it. */
function above(value: number, usual: number): number {
  return value <= usual ? usual : Math.ceil(value / usual) * usual
}

function rule(
  id: string,
  name: string,
  failsTest: boolean,
  points: number,
  check: { selector: string; limit: number; value?: string },
): Rule {
  const common = { id, name, failsTest, points, selector: check.selector, condition: `<= ${check.limit}` }
  if (check.value === undefined) {
    const message = `[Check #0] No item found for selector '${check.selector}'`
    return { ...common, result: 'ERROR', message }
  }
  const held = Number(check.value) <= check.limit
  return {
    ...common,
    value: check.value,
    result: held ? 'PASSED' : 'NOTPASSED',
    message: held ? `${name}: within the limit` : `${name}: above the limit`,
  }
}

function group(id: string, name: string, rules: Rule[]): Group {
  const results = rules.map((one) => one.result)
  const result = results.includes('ERROR') ? 'ERROR' : results.includes('NOTPASSED') ? 'NOTPASSED' : 'PASSED'
  return { id, name, rules, result }
}

function judged(groups: Group[]): Scorecard {
  const rules = groups.flatMap((one) => one.rules)
  const points = earned(rules)
  const totalPoints = rules.reduce((sum, one) => sum + one.points, 0)
  const broken = rules.find((one) => one.result === 'ERROR')
  if (broken) {
    // A trap of the engine: after an evaluation error no rule fails the test any more.
    const error = `Error evaluating rule '${broken.id}': ${broken.message}`
    return { groups, testFailed: false, error, points, totalPoints }
  }
  const percentage = totalPoints === 0 ? 0 : (points / totalPoints) * 100
  const rating = ratings.find((one) => percentage <= one.value)
  const testFailed = rules.some(failsTest) || rating?.failsTest === true
  return { groups, testFailed, points, totalPoints, ...(rating ? { rating: rating.id } : {}) }
}

function earned(rules: Rule[]): number {
  return rules.reduce((sum, one) => sum + (one.result === 'PASSED' ? one.points : 0), 0)
}

function failsTest(one: Rule): boolean {
  return one.failsTest && one.result === 'NOTPASSED'
}

export function scorecardText(scorecard: Scorecard): string {
  return xmlFile(element('scorecard', [configuration(scorecard), outcome(scorecard)]))
}

function configuration({ groups }: Scorecard): XmlElement {
  const switches = (fails: boolean) => ({ enabled: 'true', failsTest: String(fails) })
  const ruleElement = ({ id, name, failsTest: fails, points, selector, condition }: Rule) => {
    const check = element('check', [element('selector', selector), element('condition', condition)], {
      index: '0',
      enabled: 'true',
      displayValue: 'true',
    })
    const attributes = { id, name, ...switches(fails), negateResult: 'false', points: String(points) }
    const messages = [
      element('successMessage', `${name}: within the limit`),
      element('failMessage', `${name}: above the limit`),
    ]
    return element('rule', [element('checks', [check]), ...messages], attributes)
  }
  const groupElement = ({ id, name, rules }: Group) => {
    const references = rules.map((one) => element('rule', [], { 'ref-id': one.id }))
    return element('group', [element('rules', references)], {
      id,
      name,
      ...switches(false),
      mode: 'allPassed',
    })
  }
  return element(
    'configuration',
    [
      element('selectors'),
      element(
        'rules',
        groups.flatMap((one) => one.rules.map(ruleElement)),
      ),
      element('groups', groups.map(groupElement)),
      element(
        'ratings',
        ratings.map(({ id, name, value, failsTest: fails }) =>
          element('rating', [], { id, name, value: value.toFixed(1), ...switches(fails) }),
        ),
      ),
    ],
    { version: '2' },
  )
}

function outcome({ groups, testFailed, error, points, totalPoints, rating }: Scorecard): XmlElement {
  const failed = (fails: boolean) => String(error === undefined && fails)
  const ruleElement = (one: Rule) => {
    const found = one.value === undefined ? element('errorMessage', one.message) : element('value', one.value)
    return element(
      'rule',
      [
        element('checks', [element('check', [element('result', one.result), found], { index: '0' })]),
        element('result', one.result),
        element('message', one.message),
      ],
      { points: String(earned([one])), 'ref-id': one.id, testFailed: failed(failsTest(one)) },
    )
  }
  const groupElement = ({ id, rules, result }: Group) => {
    // A group with an error has no points.
    const sum = (value: number) => String(result === 'ERROR' ? 0 : value)
    const total = rules.reduce((all, one) => all + one.points, 0)
    return element('group', [element('rules', rules.map(ruleElement)), element('result', result)], {
      'ref-id': id,
      points: sum(earned(rules)),
      totalPoints: sum(total),
      testFailed: 'false',
    })
  }
  const score = {
    pointsPercentage: (totalPoints === 0 ? 0 : (points / totalPoints) * 100).toFixed(1),
    points: String(points),
    totalPoints: String(totalPoints),
  }
  return element(
    'outcome',
    [
      element('groups', groups.map(groupElement)),
      rating === undefined ? undefined : element('rating', rating),
      error === undefined ? undefined : element('error', error),
    ],
    { ...(error === undefined ? score : {}), testFailed: String(testFailed) },
  )
}
