import type { Failure } from './visit.js'
import { element, type XmlElement } from './xml.js'

/** One error of testreport.xml: failures with the same trace, in the same transaction and action. */
export interface ErrorGroup {
  count: number
  transaction: string
  action: string
  message: string
  trace: string
  /** Folders of the result with an example. */
  examples: string[]
}

/** Most frequent first. Several groups can share a message, because each trace is a separate entry. */
export function errorGroups(failures: readonly Failure[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>()
  for (const failure of failures) {
    const message = errorMessage(failure)
    const trace = stackTrace(failure, message)
    const key = JSON.stringify([failure.transaction.name, failure.action, trace])
    const group = groups.get(key) ?? {
      count: 0,
      transaction: failure.transaction.name,
      action: failure.action,
      message,
      trace,
      examples: [],
    }
    group.count++
    if (group.examples.length < 3) {
      group.examples.push(`${failure.transaction.name}/${failure.user}/output/${group.count}`)
    }
    groups.set(key, group)
  }
  return [...groups.values()].sort((one, other) => other.count - one.count)
}

export function errorsElement(failures: readonly Failure[]): XmlElement {
  const groups = errorGroups(failures)
  const codes = [...new Set(failures.map(({ code }) => code))].sort((one, other) => one - other)
  const messages = [...new Set(groups.map(({ message }) => message))]
  return element('errors', [
    ...groups.map((group, index) =>
      element('error', [
        element('count', group.count),
        element('testCaseName', group.transaction),
        element('actionName', group.action),
        element('message', group.message),
        element('trace', group.trace),
        element('detailChartID', index),
        element(
          'directoryHints',
          group.examples.map((example) => element('string', example)),
        ),
      ]),
    ),
    element(
      'requestErrorOverviewCharts',
      codes.map((code) => element('chart', [element('id', code)])),
    ),
    element(
      'transactionErrorOverviewCharts',
      messages.map((message, index) => element('chart', [element('id', index), element('title', message)])),
    ),
  ])
}

function errorMessage({ code, address }: Failure): string {
  return code === 0
    ? `Read timed out after 30000 ms for URL: ${address}`
    : `Unexpected response code <${code}> for URL: ${address}`
}

function stackTrace({ transaction, action, code }: Failure, message: string): string {
  const exception =
    code === 0 ? 'java.net.SocketTimeoutException' : 'com.example.webshop.loadtest.HttpErrorException'
  const line = transaction.actions.findIndex((model) => model.name === action) * 11 + 34
  return [
    `${exception}: ${message}`,
    '\tat com.example.webshop.loadtest.Shop.load(Shop.java:71)',
    `\tat com.example.webshop.loadtest.Shop.${action}(Shop.java:${action.length * 9 + 60})`,
    `\tat ${transaction.className}.run(${transaction.name}.java:${line})`,
    '\tat java.base/java.lang.Thread.run(Thread.java:1583)',
  ].join('\n')
}
