import { defined } from '../../text/fields.js'
import { ReportError } from '../../errors.js'
import { oneLine } from '../../text/foreign-text.js'
import { isPercentile, requestPartNames, type ErrorGroup, type Timer, type TimerSection } from '../report.js'
import { figure, kept, leaf, parent, pushBounded, type Element } from '../xml.js'

const maxTimers = 250_000
const maxNameLength = 16 * 1024
const maxLabels = 1000
const maxPercentiles = 100

const figures = [
  'count',
  'errors',
  'errorPercentage',
  'countPerSecond',
  'countPerMinute',
  'countPerHour',
  'min',
  'max',
  'mean',
  'median',
  'deviation',
] as const

/** A list of timers, such as `requests` with its `request` elements. Names are unique in it. */
export function timerListElement(item: string, section: TimerSection): Element {
  const names = new Set<string>()
  return parent({
    [item]: timerElement((timer) => {
      // With two rows of the same name, a gate could pass on one of them and miss the other.
      if (names.has(timer.name)) {
        throw new ReportError(
          `The testreport.xml of the report is refused: two of its ${item} timers are named "${oneLine(timer.name, 120)}", so their figures are ambiguous.`,
        )
      }
      names.add(timer.name)
      pushBounded(section.timers, timer, maxTimers, `${item} timers`)
    }),
  })
}

/** The row over all timers of a kind. */
export function summaryElement(section: TimerSection): Element {
  return timerElement((timer) => {
    if (section.summary) standsTwice(section.summary, 'summary')
    section.summary ??= timer
  })
}

function standsTwice(timer: Timer, figure: string): void {
  timer.twice = [...new Set([...(timer.twice ?? []), figure])]
}

/** One timer: a row of a list, or the summary over a kind. */
function timerElement(done: (timer: Timer) => void): Element {
  let timer: Timer = emptyTimer()
  let percentile = ''
  let percentiles = 0
  const percentileValue = figure((value) => {
    if (percentiles++ >= maxPercentiles) return
    if (timer.percentiles[percentile] !== undefined) standsTwice(timer, percentile)
    timer.percentiles[percentile] ??= value
  })
  const children: Record<string, Element> = {
    name: leaf((text) => {
      if (text.length > maxNameLength) {
        throw new ReportError(
          `The testreport.xml of the report is refused: a timer has a name of more than ${maxNameLength} characters.`,
        )
      }
      timer.name = kept(text, maxNameLength)
    }),
    labels: leaf((text) => {
      timer.labels = kept(text, maxNameLength)
        .split(/\s+/)
        .filter((label) => label !== '')
        .slice(0, maxLabels)
    }),
    percentiles: {
      child: (name) => {
        if (!isPercentile(name)) return undefined
        percentile = name
        return percentileValue
      },
    },
    apdex: parent({ value: figure((value) => (timer.apdex ??= value)) }),
  }
  for (const name of figures) {
    children[name] = figure((value) => {
      if (timer[name] !== undefined) standsTwice(timer, name)
      timer[name] ??= value
    })
  }
  for (const name of requestPartNames) {
    children[name] = parent({ mean: figure((value) => ((timer.parts ??= {})[name] ??= value)) })
  }
  return parent(children, {
    start: () => {
      timer = emptyTimer()
      percentiles = 0
    },
    end: () => done(measured(timer)),
  })
}

function emptyTimer(): Timer {
  return { name: '', labels: [], percentiles: {} }
}

/**
 * Without the zeros of a timer that measured nothing, and with the error percentage that engines before 8.2 leave
 * out.
 */
function measured(timer: Timer): Timer {
  const { name, labels, count, errors } = timer
  if (count === 0) {
    return { name, labels, count, ...defined({ errors, twice: timer.twice }), percentiles: {} }
  }
  if (timer.errorPercentage === undefined && count !== undefined && errors !== undefined) {
    timer.errorPercentage = (errors * 100) / count
  }
  return timer
}

const maxGroups = 10_000
const maxPlaces = 100
const maxMessageLength = 2000
const others = '(other messages)'

/**
 * `errors/error` has one row for each stack trace; rows with the same message are one group here. Messages are
 * distinguished by their first 2,000 characters; beyond 10,000 groups, the other messages are counted together.
 */
export class ErrorGroups {
  readonly #groups = new Map<string, { count: number; places: Set<string> }>()

  element(): Element {
    let row: { message?: string; count?: number; transaction?: string; action?: string } = {}
    return parent({
      error: parent(
        {
          message: leaf((text) => (row.message ??= kept(text.trim(), maxMessageLength))),
          count: figure((value) => (row.count ??= value)),
          testCaseName: leaf((text) => (row.transaction ??= kept(text.trim(), maxMessageLength))),
          actionName: leaf((text) => (row.action ??= kept(text.trim(), maxMessageLength))),
        },
        {
          start: () => {
            row = {}
          },
          // A row without a count stands for at least one error.
          end: () => this.#add(row.message || '(no message)', row.count ?? 1, row.action || row.transaction),
        },
      ),
    })
  }

  /** Most frequent first. */
  sorted(): ErrorGroup[] {
    return [...this.#groups]
      .map(([message, { count, places }]) => ({ message, count, places: [...places] }))
      .sort((a, b) => b.count - a.count || (a.message < b.message ? -1 : 1))
  }

  #add(message: string, count: number, place: string | undefined): void {
    const key = this.#groups.has(message) || this.#groups.size < maxGroups ? message : others
    const group = this.#groups.get(key) ?? { count: 0, places: new Set() }
    group.count += count
    if (place !== undefined && group.places.size < maxPlaces) group.places.add(place)
    this.#groups.set(key, group)
  }
}
