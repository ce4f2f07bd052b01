import { ReportError } from '../../errors.js'
import { ofKinds, timerKinds, type Scorecard, type ScorecardRule, type TimerKind } from '../report.js'
import { kept, leaf, numberOf, parent, pushBounded, readXml, type Element } from '../xml.js'
import { timerElements } from './xlt-timers.js'

const maxRows = 10_000
const maxTextLength = 4000

/** A rule, group or rating as the scorecard's configuration has it. */
interface Defined {
  name?: string
  failsTest?: boolean
  points?: number
}

interface Definitions {
  rules: Map<string, Defined>
  groups: Map<string, Defined>
  ratings: Map<string, Defined>
  /** XPath expressions, by their ids. */
  selectors: Map<string, string>
  /** What the rules check: an expression, or the id of one. */
  checked: string[]
}

/** `outcome` with references that are still to be resolved, since either part may come first. */
interface RawOutcome {
  testFailed?: string
  points?: number
  totalPoints?: number
  pointsPercentage?: number
  error: string
  rating?: string
  rules: RawRule[]
}

interface RawRule {
  id: string
  groupId: string
  result: string
  failedTest: boolean
  points?: number
  message?: string
  values: string[]
}

/**
 * Reads scorecard.xml. Its verdict is the engine's own: an error of the evaluation (`outcome/error`) takes precedence
 * over `outcome/@testFailed`, which then says "false"; nothing is recomputed.
 *
 * @throws ReportError if it is truncated, foreign or hostile, or has no verdict: a missing verdict never passes
 */
export async function parseScorecard(source: AsyncIterable<Uint8Array> | Uint8Array): Promise<Scorecard> {
  const definitions: Definitions = {
    ...{ rules: new Map(), groups: new Map(), ratings: new Map() },
    ...{ selectors: new Map(), checked: [] },
  }
  const outcomes: RawOutcome[] = []
  await readXml(source, {
    name: 'scorecard.xml',
    root: 'scorecard',
    element: parent({
      configuration: parent({
        selectors: parent({ selector: selectorElement(definitions.selectors) }),
        rules: definedElement('rule', definitions.rules, checksElement(definitions.checked)),
        groups: definedElement('group', definitions.groups),
        ratings: definedElement('rating', definitions.ratings),
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
  return joined(outcome, definitions)
}

function joined(outcome: RawOutcome, { rules, groups, ratings, selectors, checked }: Definitions): Scorecard {
  const joinedRules = outcome.rules.map((raw): ScorecardRule => {
    const defined = rules.get(raw.id)
    const rule: ScorecardRule = {
      name: defined?.name ?? raw.id,
      group: groups.get(raw.groupId)?.name ?? raw.groupId,
      result: ruleResult(raw.result),
      failsTest: defined?.failsTest ?? false,
      failedTest: raw.failedTest,
      values: raw.values,
    }
    if (raw.points !== undefined) rule.points = raw.points
    if (defined?.points !== undefined) rule.totalPoints = defined.points
    if (raw.message !== undefined) rule.message = raw.message
    return rule
  })
  const { error } = outcome
  if (error !== '') return { verdict: 'error', error, rules: joinedRules }
  const scorecard: Scorecard = { verdict: verdict(outcome.testFailed), rules: joinedRules }
  const kinds = new Set(checked.flatMap((one) => errorsIn(selectors.get(one) ?? one)))
  if (kinds.size > 0) scorecard.errorsOf = timerKinds.filter((kind) => kinds.has(kind))
  const { points, totalPoints, pointsPercentage, rating } = outcome
  if (points !== undefined) scorecard.points = points
  if (totalPoints !== undefined) scorecard.totalPoints = totalPoints
  if (pointsPercentage !== undefined) scorecard.pointsPercentage = pointsPercentage
  if (rating !== undefined) scorecard.rating = ratings.get(rating)?.name ?? rating
  return scorecard
}

function verdict(testFailed: string | undefined): 'passed' | 'failed' {
  if (testFailed === 'true') return 'failed'
  if (testFailed === 'false') return 'passed'
  const found = testFailed === undefined ? 'no testFailed' : 'a testFailed that is neither true nor false'
  throw new ReportError(`The scorecard.xml of the report gives no verdict: its outcome has ${found}.`)
}

/** A result with an unknown name is an error, so it never passes. */
function ruleResult(text: string): ScorecardRule['result'] {
  switch (text) {
    case 'PASSED':
      return 'passed'
    case 'NOTPASSED':
    case 'FAILED':
      return 'not-passed'
    case 'SKIPPED':
      return 'skipped'
    default:
      return 'error'
  }
}

const sections = ofKinds((kind) => new RegExp(`\\b${timerElements[kind]}s?\\b`))

/** The kinds of timers whose errors an XPath expression looks at: those that it names, or else all. */
export function errorsIn(expression: string): readonly TimerKind[] {
  if (!/error/i.test(expression)) return []
  const named = timerKinds.filter((kind) => sections[kind].test(expression))
  return named.length > 0 ? named : timerKinds
}

function selectorElement(selectors: Map<string, string>): Element {
  let id = ''
  const expression = leaf((text) => {
    if (selectors.size < maxRows) selectors.set(id, kept(text, maxTextLength))
  })
  return parent({ expression }, { start: (attributes) => (id = attributes['id'] ?? '') })
}

/** The selectors of a rule's checks: an expression, or a reference to one. */
function checksElement(checked: string[]): Element {
  const add = (text = '') => {
    if (text.trim() !== '' && checked.length < maxRows) checked.push(kept(text, maxTextLength))
  }
  const selector: Element = { start: (attributes) => add(attributes['ref-id']), text: add }
  return parent({ check: parent({ selector }) })
}

function definedElement(item: string, defined: Map<string, Defined>, checks?: Element): Element {
  let isOn = true
  return parent({
    [item]: {
      child: (name) => (name === 'checks' && isOn ? checks : undefined),
      start: ({ id, name, failsTest, points, enabled }) => {
        isOn = enabled !== 'false'
        if (id === undefined || defined.size >= maxRows || defined.has(id)) return
        const one: Defined = { failsTest: failsTest === 'true' }
        if (name !== undefined && name.trim() !== '') one.name = kept(name, maxTextLength)
        const value = numberOf(points ?? '')
        if (value !== undefined) one.points = value
        defined.set(kept(id, maxTextLength), one)
      },
    },
  })
}

function outcomeElement(outcomes: RawOutcome[]): Element {
  let outcome: RawOutcome = { error: '', rules: [] }
  let groupId = ''
  const rule = ruleElement((raw) =>
    pushBounded(outcome.rules, { ...raw, groupId }, maxRows, 'scorecard rules'),
  )
  return parent(
    {
      groups: parent({
        group: parent(
          { rules: parent({ rule }) },
          { start: (attributes) => (groupId = kept(attributes['ref-id'] ?? '', maxTextLength)) },
        ),
      }),
      rating: leaf((text) => {
        if (text.trim() !== '') outcome.rating ??= kept(text.trim(), maxTextLength)
      }),
      error: errorElement((text) => (outcome.error ||= text)),
    },
    {
      start: ({ testFailed, ...attributes }) => {
        outcome = { error: '', rules: [] }
        if (testFailed !== undefined) outcome.testFailed = testFailed.trim()
        for (const name of ['points', 'totalPoints', 'pointsPercentage'] as const) {
          const value = numberOf(attributes[name] ?? '')
          if (value !== undefined) outcome[name] = value
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
  let own = ''
  let firstBelow = ''
  let isEmpty = true
  const below: Element = {
    ...words((text) => (firstBelow ||= text)),
    child: () => {
      isEmpty = false
      return below
    },
  }
  return {
    ...words((text) => (own = text)),
    child: (name) => below.child?.(name),
    start: (attributes) => {
      own = firstBelow = ''
      isEmpty = Object.keys(attributes).length === 0
    },
    end: () => {
      const text = own || firstBelow || (isEmpty ? '' : 'it has no text')
      if (text !== '') take(text)
    },
  }
}

function ruleElement(done: (rule: RawRule) => void): Element {
  let rule: RawRule = emptyRule()
  let checkError: string | undefined
  return parent(
    {
      checks: parent({
        check: parent({
          value: leaf((text) => {
            if (rule.values.length < 100) rule.values.push(kept(text.trim(), maxTextLength))
          }),
          errorMessage: words((text) => (checkError ??= text)),
        }),
      }),
      result: leaf((text) => (rule.result ||= text.trim())),
      message: words((text) => (rule.message ??= text)),
    },
    {
      start: (attributes) => {
        rule = emptyRule()
        checkError = undefined
        rule.id = kept(attributes['ref-id'] ?? '', maxTextLength)
        rule.failedTest = attributes['testFailed'] === 'true'
        const points = numberOf(attributes['points'] ?? '')
        if (points !== undefined) rule.points = points
      },
      end: () => {
        if (rule.message === undefined && checkError !== undefined) rule.message = checkError
        done(rule)
      },
    },
  )
}

/** A text that is not blank. */
function words(take: (text: string) => void): Element {
  return leaf((text) => {
    if (text.trim() !== '') take(kept(text.trim(), maxTextLength))
  })
}

function emptyRule(): RawRule {
  return { id: '', groupId: '', result: '', failedTest: false, values: [] }
}
