import { defined } from '../../text/fields.js'
import { ReportError } from '../../errors.js'
import { isPercentile, requestPartNames, timerKinds } from '../report.js'
import type { Report, Timer, TimerKind } from '../report.js'
import type { Element } from '../../xml/xml.js'
import { figure, kept, leaf, parent, row } from '../elements.js'
import { addTimer, type ErrorGroups } from './timers.js'

const maxNameLength = 16 * 1024
const maxPercentiles = 100

const figures = [
  'count',
  'errors',
  'countPerSecond',
  'countPerMinute',
  'countPerHour',
  'min',
  'max',
  'mean',
  'median',
  'deviation',
] as const

/** The element of one timer of a kind; those of all are in an element of its plural. */
export const timerElements: Record<TimerKind, string> = {
  transactions: 'transaction',
  actions: 'action',
  requests: 'request',
  pageLoads: 'pageLoadTiming',
  customTimers: 'customTimer',
}

/** By name, the lists of timers, such as `requests` with its `request` elements, and the rows over all of a kind. */
export function timerSections(report: Report) {
  const lists: Record<string, Element> = {}
  const summaries: Record<string, Element> = {}
  for (const kind of timerKinds) {
    const name = timerElements[kind]
    const of = report.timers[kind]
    lists[`${name}s`] = parent({ [name]: timerElement((timer) => addTimer(report, kind, timer)) })
    summaries[`${name}s`] = timerElement((timer) => {
      if (of.summary) throw ambiguous(`two rows for all its ${name} timers`)
      of.summary = timer
    })
  }
  return { lists, summaries }
}

/** With two of one figure, a gate could pass on one of them and miss the other. */
function ambiguous(what: string): ReportError {
  return new ReportError(
    `The testreport.xml of the report is refused: it has ${what}, so its figures are ambiguous.`,
  )
}

/** One timer: a row of a list, or the summary over a kind. */
function timerElement(done: (timer: Timer) => void): Element {
  let timer: Timer = { name: '', percentiles: {} }
  let percentiles = 0
  const once = (name: string, known: number | undefined): void => {
    if (known !== undefined) throw ambiguous(`${name} of a timer twice`)
  }
  /** By name: timers mostly have the same. */
  const elements = new Map<string, Element>()
  const percentileOf = (name: string) => {
    const element = figure((value) => {
      if (percentiles++ >= maxPercentiles) return
      once(name, timer.percentiles[name])
      timer.percentiles[name] = value
    })
    if (elements.size < maxPercentiles) elements.set(name, element)
    return element
  }
  const children: Record<string, Element> = {
    name: leaf((text) => {
      if (text.length > maxNameLength) {
        throw new ReportError(
          `The testreport.xml of the report is refused: a timer has a name of more than ${maxNameLength} characters.`,
        )
      }
      timer.name = kept(text, maxNameLength)
    }),
    percentiles: {
      child: (name) => elements.get(name) ?? (isPercentile(name) ? percentileOf(name) : undefined),
    },
    errorPercentage: figure((value) => {
      if (value < 0 || !timer.count || timer.errors === undefined) timer.errorPercentage = value
    }),
    apdex: parent({ value: figure((value) => (timer.apdex ??= value)) }),
  }
  for (const name of figures) {
    children[name] = figure((value) => {
      once(name, timer[name])
      timer[name] = value
    })
  }
  for (const name of requestPartNames) {
    children[name] = parent({ mean: figure((value) => ((timer.parts ??= {})[name] ??= value)) })
  }
  return parent(children, {
    start: () => {
      timer = { name: '', percentiles: {} }
      percentiles = 0
    },
    end: () => {
      const { name, count, errors } = timer
      // The zeros of a timer that measured nothing are no figures.
      done(count === 0 ? { name, count, ...defined({ errors }), percentiles: {} } : timer)
    },
  })
}

/** `errors/error` has one row for each stack trace; rows with the same message are one group. */
export function errorsElement(groups: ErrorGroups): Element {
  return parent({
    error: row(
      ['message', 'testCaseName', 'actionName'],
      ['count'],
      ({ message = '', testCaseName, actionName }, { count = 1 }) =>
        // A row without a count stands for at least one error.
        groups.add(message, count, actionName ?? testCaseName),
    ),
  })
}
