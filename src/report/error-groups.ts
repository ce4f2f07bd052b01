import { figure, kept, leaf, parent } from './element.js'
import type { ErrorGroup } from './report.js'
import type { Element } from './xml.js'

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
