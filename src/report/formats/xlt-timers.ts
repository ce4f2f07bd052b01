import { defined } from '../../text/fields.js'
import { ReportError } from '../../errors.js'
import {
  isPercentile,
  ofKinds,
  requestPartNames,
  type Report,
  type Timer,
  type TimerKind,
} from '../report.js'
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

/** The lists of timers, such as `requests` with its `request` elements, by their names. */
export function timerLists(report: Report): Record<string, Element> {
  return byPlural((kind) =>
    parent({ [timerElements[kind]]: timerElement((timer) => addTimer(report, kind, timer)) }),
  )
}

/** The rows over all timers of a kind, by their names. */
export function timerSummaries({ timers }: Report): Record<string, Element> {
  return byPlural((kind) =>
    timerElement((timer) => {
      if (timers[kind].summary) throw ambiguous(`two rows for all its ${timerElements[kind]} timers`)
      timers[kind].summary = timer
    }),
  )
}

function byPlural(make: (kind: TimerKind) => Element): Record<string, Element> {
  const elements = Object.values(ofKinds((kind) => [`${timerElements[kind]}s`, make(kind)] as const))
  return Object.fromEntries(elements)
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
