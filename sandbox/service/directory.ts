import type { RouteOptions } from 'fastify'
import type { ServiceSettings } from './settings.js'

interface Entry {
  method: string
  url: string
  pattern: RegExp
  offered: (settings: ServiceSettings) => boolean
}

/** Which operations there are, and which of them the settings offer. */
export class Directory {
  readonly #entries: Entry[] = []

  add({ method, url, config }: RouteOptions): void {
    const pattern = new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`)
    const isV1 = url.startsWith('/public/api/v1/')
    const offered = (settings: ServiceSettings) =>
      (settings.offerV1 || !isV1) && config?.offered?.(settings) !== false
    for (const one of [method].flat()) this.#entries.push({ method: one, url, pattern, offered })
  }

  /** Whether a route, named by its pattern, is offered. */
  offers(method: string, url: string, settings: ServiceSettings): boolean {
    return this.#entries.some((one) => one.method === method && one.url === url && one.offered(settings))
  }

  /** The methods that an address offers. */
  methodsAt(path: string, settings: ServiceSettings): string[] {
    return this.#entries
      .filter(({ pattern, offered }) => pattern.test(path) && offered(settings))
      .map(({ method }) => method)
  }
}
