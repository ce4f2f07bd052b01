/** A refusal of the REST API, with GitHub's words and shape. */
export class Refusal extends Error {
  override name = 'Refusal'

  constructor(
    readonly status: number,
    message: string,
    readonly extra: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }

  body(): Record<string, unknown> {
    return {
      message: this.message,
      ...this.extra,
      documentation_url: 'https://docs.github.com/rest',
      status: String(this.status),
    }
  }
}

export function notFound(): Refusal {
  return new Refusal(404, 'Not Found')
}

/** The number in a path; anything else is answered with 404. */
export function pathNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw notFound()
  return Number(text)
}
