import { ReportError } from '../../errors.js'
import { defined } from '../../text/fields.js'
import { ofKinds, timerKinds, type Scorecard, type ScorecardRule, type TimerKind } from '../report.js'
import { readXml, type Element } from '../../xml/xml.js'
import { kept, leaf, nonBlank, numberOf, parent, pushBounded, put, record, words } from '../elements.js'
import { timerElements } from './xlt-timers.js'

const maxRows = 10_000

/** A rule, group or rating as the scorecard's configuration has it. */
interface Defined {
  name?: string
  failsTest?: boolean
  points?: number
}

/** `outcome`, whose rules have ids for names: either part may come first. */
type RawOutcome = Partial<Omit<Scorecard, 'verdict'>> &
  Pick<Scorecard, 'rules'> & { testFailed?: string; error: string }

/**
 * Reads scorecard.xml. Its verdict is the engine's own: an error of the evaluation (`outcome/error`) takes precedence
 * over `outcome/@testFailed`, which then says "false"; nothing is recomputed.
 *
 * @throws ReportError if it is truncated, foreign or hostile, or has no verdict: a missing verdict never passes
 */
export async function parseScorecard(source: AsyncIterable<Uint8Array> | Uint8Array): Promise<Scorecard> {
  const rules = new Map<string, Defined>()
  const groups: typeof rules = new Map()
  const ratings: typeof rules = new Map()
  // XPath expressions, by their ids.
  const selectors = new Map<string, string>()
  // What the rules check: an expression, or the id of one.
  const checked: string[] = []
  const outcomes: RawOutcome[] = []
  await readXml(source, {
    name: 'scorecard.xml',
    root: 'scorecard',
    element: parent({
      configuration: parent({
        selectors: parent({ selector: selectorElement(selectors) }),
        rules: definedElement('rule', rules, checksElement(checked)),
        groups: definedElement('group', groups),
        ratings: definedElement('rating', ratings),
      }),
      outcome: outcomeElement(outcomes),
    }),
  })
  const [outcome] = outcomes
  if (outcome === undefined || outcomes.length > 1) {
    throw new ReportError(
      `The scorecard.xml of the report has ${outcomes.length === 0 ? 'no outcome' : 'more than one outcome'}, so it gives no verdict.`,
    )
  }
  const named = outcome.rules.map((rule): ScorecardRule => {
    const { points: totalPoints, ...known } = rules.get(rule.name) ?? {}
    const group = groups.get(rule.group)?.name ?? rule.group
    return { ...rule, ...known, ...defined({ totalPoints }), group }
  })
  const { testFailed, error, rating, ...points } = outcome
  if (error !== '') return { verdict: 'error', error, rules: named }
  const kinds = new Set(checked.flatMap((one) => errorsIn(selectors.get(one) ?? one)))
  return {
    ...{ verdict: verdict(testFailed), ...points, rules: named },
    ...(kinds.size > 0 ? { errorsOf: timerKinds.filter((kind) => kinds.has(kind)) } : {}),
    ...(rating === undefined ? {} : { rating: ratings.get(rating)?.name ?? rating }),
  }
}

function verdict(testFailed: string | undefined): 'passed' | 'failed' {
  if (testFailed === 'true') return 'failed'
  if (testFailed === 'false') return 'passed'
  const found = testFailed === undefined ? 'no testFailed' : 'a testFailed that is neither true nor false'
  throw new ReportError(`The scorecard.xml of the report gives no verdict: its outcome has ${found}.`)
}

/** One with an unknown name is an error, so it never passes. */
const ruleResults = new Map<string, ScorecardRule['result']>([
  ['PASSED', 'passed'],
  ['NOTPASSED', 'not-passed'],
  ['FAILED', 'not-passed'],
  ['SKIPPED', 'skipped'],
])

const sections = ofKinds((kind) => new RegExp(`\\b${timerElements[kind]}s?\\b`))

/** The kinds of timers whose errors an XPath expression looks at: `/testreport/errors` has messages, which are none's. */
export function errorsIn(expression: string): readonly TimerKind[] {
  // A name that it compares with says nothing about what it looks at.
  const asked = expression.replace(/"[^"]*"|'[^']*'/g, '')
  return /error/i.test(asked) ? timerKinds.filter((kind) => sections[kind].test(asked)) : []
}

function selectorElement(selectors: Map<string, string>): Element {
  let id = ''
  const expression = leaf((text) => {
    if (selectors.size < maxRows) selectors.set(id, kept(text))
  })
  return parent({ expression }, { start: (attributes) => (id = attributes['id'] ?? '') })
}

/** The selectors of a rule's checks: an expression, or a reference to one. */
function checksElement(checked: string[]): Element {
  const add = (text = '') => {
    if (text.trim() !== '' && checked.length < maxRows) checked.push(kept(text))
  }
  const selector: Element = { start: (attributes) => add(attributes['ref-id']), text: add }
  return parent({ check: parent({ selector }) })
}

function definedElement(item: string, known: Map<string, Defined>, checks?: Element): Element {
  let isOn = true
  return parent({
    [item]: {
      child: (name) => (name === 'checks' && isOn ? checks : undefined),
      start: ({ id, name, failsTest, points, enabled }) => {
        isOn = enabled !== 'false'
        if (id === undefined || known.size >= maxRows || known.has(id)) return
        const one = { name: nonBlank(name ?? ''), points: numberOf(points ?? '') }
        known.set(kept(id), { failsTest: failsTest === 'true', ...defined(one) })
      },
    },
  })
}

function outcomeElement(outcomes: RawOutcome[]): Element {
  let outcome: RawOutcome = { error: '', rules: [] }
  let group = ''
  const rule = ruleElement((one) => pushBounded(outcome.rules, { ...one, group }, maxRows, 'scorecard rules'))
  const groups = parent({
    group: parent(
      { rules: parent({ rule }) },
      { start: (attributes) => (group = kept(attributes['ref-id'] ?? '')) },
    ),
  })
  const rating = words((text) => put(outcome, 'rating', text))
  const error = errorElement((text) => (outcome.error ||= text))
  return parent(
    { groups, rating, error },
    {
      start: ({ testFailed, ...attributes }) => {
        outcome = { error: '', rules: [], ...defined({ testFailed: testFailed?.trim() }) }
        for (const name of ['points', 'totalPoints', 'pointsPercentage'] as const) {
          put(outcome, name, numberOf(attributes[name] ?? ''))
        }
        pushBounded(outcomes, outcome, 2, 'scorecard outcomes')
      },
    },
  )
}

/**
 * The error of an evaluation, from its own text or from what is below it, usually `message`. Only an empty element is
 * not an error.
 */
function errorElement(take: (text: string) => void): Element {
  let inner: string | undefined
  const below: Element = { ...words((text) => (inner ||= text)), child: () => below }
  return {
    start: (attributes) => (inner = Object.keys(attributes).length > 0 ? '' : undefined),
    child: () => {
      inner ??= ''
      return below
    },
    text: (own) => {
      if (inner !== undefined || own.trim() !== '') take(nonBlank(own) ?? (inner || 'it has no text'))
    },
  }
}

function ruleElement(done: (rule: ScorecardRule) => void): Element {
  return record(
    (attributes) => ({
      ...{ name: kept(attributes['ref-id'] ?? ''), group: '', result: '', checkError: '', message: '' },
      ...{ failsTest: false, failedTest: attributes['testFailed'] === 'true' },
      ...{ values: new Array<string>(), ...defined({ points: numberOf(attributes['points'] ?? '') }) },
    }),
    (rule) => {
      const value = leaf((text) => {
        if (rule().values.length < 100) rule().values.push(kept(text.trim()))
      })
      const errorMessage = words((text) => (rule().checkError ||= text))
      return {
        checks: parent({ check: parent({ value, errorMessage }) }),
        result: leaf((text) => (rule().result ||= text.trim())),
        message: words((text) => (rule().message ||= text)),
      }
    },
    ({ result, checkError, message, ...rule }) => {
      const said = message || checkError || undefined
      done({ ...rule, ...defined({ message: said }), result: ruleResults.get(result) ?? 'error' })
    },
  )
}
