import type { Place } from '../service/visit.js'
import { address } from './address.js'
import type { SourceReport } from './comparison.js'
import { foreign, markup, moment, type Markup } from './markup.js'

/** A link to the load test of a source report, with the label that the report had. */
export function sourceLink({ number, name, createdAt, label }: SourceReport, place: Place): Markup {
  const tag = label === undefined ? '' : markup`<strong>${foreign(label)}</strong><br>`
  return markup`${tag}<a href="${address.loadTest(place, number)}">${foreign(name === '' ? '(no name)' : name)}</a> <span class="quiet">#${number}, ${moment(createdAt)}</span>`
}
