import { byteNames, timeNames, type RequestFigures, type TimerFigures } from './figures.js'
import type { Spread } from './statistics.js'
import { apdexThreshold } from './webshop.js'
import { element, type XmlElement } from './xml.js'

/** Three decimals, as the engine writes means, rates and percentages. */
export function decimal(value: number): string {
  return value.toFixed(3)
}

/** Errors in percent of the count; 0 for no count. */
export function errorPercentage({ errors, times }: TimerFigures): number {
  return times.count === 0 ? 0 : (errors * 100) / times.count
}

/** The engine writes a bare 0 if nothing was counted. */
function errorPercentageText(timer: TimerFigures): string {
  return timer.times.count === 0 ? '0' : decimal(errorPercentage(timer))
}

export interface TimerSetting {
  /** Seconds; the base of the rates. */
  duration: number
  /** Engines before 8.2 leave out errorPercentage. */
  withErrorPercentage: boolean
}

/** A timer of testreport.xml, such as `<request>` in `requests` or `<requests>` in `summary`. */
export function timerElement(tag: string, timer: TimerFigures, setting: TimerSetting): XmlElement {
  const { times, labels, events, apdex, traffic } = timer
  return element(tag, [
    element('name', timer.name),
    labels.length > 0 ? element('labels', labels.join(' ')) : undefined,
    element('count', times.count),
    ...rates(times.count, setting.duration),
    element('errors', timer.errors),
    setting.withErrorPercentage ? element('errorPercentage', errorPercentageText(timer)) : undefined,
    element('min', times.min),
    element('max', times.max),
    element('median', decimal(times.median)),
    element('mean', decimal(times.mean)),
    element('deviation', decimal(times.deviation)),
    element(
      'percentiles',
      Object.entries(times.percentiles).map(([name, value]) => element(name, decimal(value))),
    ),
    ...(traffic ? requestElements(traffic, times.count, setting.duration) : []),
    tag.startsWith('action') ? apdexElement(apdex, times.count) : undefined,
    events === undefined ? undefined : element('events', events),
  ])
}

export function rates(count: number, duration: number): XmlElement[] {
  const perSecond = count / duration
  return [
    element('countPerSecond', decimal(perSecond)),
    element('countPerMinute', decimal(perSecond * 60)),
    element('countPerHour', decimal(perSecond * 3600)),
    element('countPerDay', decimal(perSecond * 86_400)),
  ]
}

/** `whole`: the smallest and largest value have no decimals, like bytes and milliseconds. */
export function spreadElement(name: string, spread: Spread, whole: boolean): XmlElement {
  return element(name, spreadElements(spread, whole))
}

function spreadElements({ min, max, mean, deviation }: Spread, whole: boolean): XmlElement[] {
  return [
    element('min', whole ? min : decimal(min)),
    element('max', whole ? max : decimal(max)),
    element('mean', decimal(mean)),
    element('deviation', decimal(deviation)),
  ]
}

function requestElements(
  { bytes, times, perInterval, urls }: RequestFigures,
  count: number,
  duration: number,
): XmlElement[] {
  return [
    ...byteNames.map((name) =>
      element(name, [
        ...spreadElements(bytes[name], true),
        element('totalCount', bytes[name].total),
        ...rates(bytes[name].total, duration),
      ]),
    ),
    ...timeNames.map((name) => spreadElement(name, times[name], true)),
    element(
      'countPerInterval',
      perInterval.map((within) => element('int', within)),
    ),
    element(
      'percentagePerInterval',
      perInterval.map((within) => element('big-decimal', decimal(count === 0 ? 0 : (within * 100) / count))),
    ),
    element('urls', [
      element('total', urls.length),
      element(
        'list',
        urls.map((url) => element('string', url)),
      ),
    ]),
  ]
}

/** The star marks an Apdex of a small group: fewer than 100 samples. */
function apdexElement(apdex: number | undefined, count: number): XmlElement {
  const value = apdex === undefined ? 'NS' : apdex.toFixed(2)
  return element('apdex', [
    element('longValue', `${value} [${(apdexThreshold / 1000).toFixed(2)}]${count < 100 ? '*' : ''}`),
    element('value', value),
  ])
}
