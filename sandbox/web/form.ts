import { oneLine } from '../../src/text/foreign-text.js'

/** The fields of a form that was sent. */
export class Form {
  readonly #fields: [string, unknown][]

  constructor(body: unknown) {
    this.#fields = typeof body === 'object' && body !== null ? Object.entries(body) : []
  }

  /** One line; empty if the field was not sent. */
  text(name: string): string {
    return oneLine(this.all(name)[0] ?? '', 1000)
  }

  /** Every value of a field that may be sent several times. */
  all(name: string): string[] {
    const value = this.#fields.find(([key]) => key === name)?.[1]
    return [value].flat().filter((one) => typeof one === 'string')
  }
}
