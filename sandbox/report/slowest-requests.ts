import { byName } from './measurement.js'
import type { RequestMeasurement } from './request.js'
import { reportTime } from './simulated-run.js'
import { element, type XmlElement } from './xml.js'

/** The two slowest requests of each name; of these the slowest 30, slowest first. Addresses and forms are made up. */
export function slowestRequestsElement(
  requests: readonly RequestMeasurement[],
  startTime: number,
): XmlElement {
  const slowestFirst = (list: readonly RequestMeasurement[]) =>
    [...list].sort((one, other) => other.runtime - one.runtime || one.time - other.time)
  const slowest = byName(requests).flatMap(([, list]) => slowestFirst(list).slice(0, 2))
  return element(
    'slowestRequests',
    slowestFirst(slowest)
      .slice(0, 30)
      .map((request) => slowRequestElement(request, startTime)),
  )
}

export function slowRequestElement(request: RequestMeasurement, startTime: number): XmlElement {
  return element('request', [
    element('name', request.name),
    element('runtime', request.runtime),
    element('time', reportTime(startTime + request.time)),
    element('requestId'),
    element('httpMethod', request.method),
    element('url', request.url),
    element('formDataEncoding', request.formData ? 'application/x-www-form-urlencoded' : ''),
    element('formData', request.formData),
    element('responseId'),
    element('responseCode', request.code),
    element('contentType', request.contentType),
    element('bytesSent', request.bytesSent),
    element('bytesReceived', request.bytesReceived),
    element('dnsTime', request.dnsTime),
    element('connectTime', request.connectTime),
    element('sendTime', request.sendTime),
    element('serverBusyTime', request.serverBusyTime),
    element('receiveTime', request.receiveTime),
    element('timeToFirstBytes', request.timeToFirstBytes),
    element('timeToLastBytes', request.timeToLastBytes),
  ])
}
