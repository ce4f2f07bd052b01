import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { seededRandom, type Random } from '../report/random.js'
import { webshop, type RequestModel } from '../report/webshop.js'

/** How the shop behaves. Everything but port and seed may be changed while it runs. */
export interface ShopSettings {
  /** 0 = any free port. */
  port: number
  /** The n-th request of a path takes the same time in every shop with this seed. */
  seed: number
  /** Factor on every time; 1 = as the model says, 1.4 = a regression. */
  slowdown: number
  /** Share of the requests that are answered with 503, 0 to 1; never pictures and style sheets. */
  errorRate: number
  /** Share of the product pages that say Out of stock. */
  outOfStock: number
  /** The homepage's Server-Timing reports what the browsers of visitors measured. */
  visitors: boolean
}

/** The system under test: a small webshop on loopback that only takes its time. */
export interface Shop {
  /** Its address, with a trailing slash. */
  url: string
  settings: ShopSettings
  close(): Promise<void>
}

const models = new Map<string, RequestModel>(
  webshop.flatMap(({ actions }) =>
    actions.flatMap(({ requests }) =>
      requests.map((request): [string, RequestModel] => [`${request.method} ${request.path}`, request]),
    ),
  ),
)

export async function startShop(changes: Partial<ShopSettings> = {}): Promise<Shop> {
  const settings: ShopSettings = {
    ...{ port: 0, seed: 1, slowdown: 1, errorRate: 0, outOfStock: 0, visitors: false },
    ...changes,
  }
  const streams = new Map<string, Random>()
  const waiting = new Set<NodeJS.Timeout>()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://shop')
    const key = `${request.method ?? 'GET'} ${pathname}`
    const model = models.get(key)
    request.resume()
    if (!model) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end(`The shop has no ${pathname}.\n`)
      return
    }
    const random = streams.get(key) ?? seededRandom(settings.seed, key)
    streams.set(key, random)
    const wait = setTimeout(
      () => {
        waiting.delete(wait)
        answer(response, model, random, settings)
      },
      random.logNormal(model.median, model.sigma) * settings.slowdown,
    )
    waiting.add(wait)
  })
  // Longer than any client keeps idle connections: none breaks between two requests.
  server.keepAliveTimeout = 72_000
  server.listen(settings.port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The shop is not listening on a port.')
  return {
    url: `http://127.0.0.1:${address.port}/`,
    settings,
    async close() {
      for (const wait of waiting) clearTimeout(wait)
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answer(
  response: ServerResponse,
  { path, contentType, bytes }: RequestModel,
  random: Random,
  { errorRate, outOfStock, visitors }: ShopSettings,
): void {
  const failed = random.next() < errorRate && !path.startsWith('/static/')
  if (failed) {
    response.writeHead(503, { 'content-type': 'text/plain' }).end('The shop is overloaded.\n')
    return
  }
  const headers = {
    'content-type': contentType,
    ...(visitors && path === '/' ? { 'server-timing': visitorTimes(random) } : {}),
  }
  if (contentType === 'text/html') {
    const soldOut = path.startsWith('/product/') && random.next() < outOfStock
    response.writeHead(200, headers).end(pageHtml(path, bytes, soldOut))
    return
  }
  const body = contentType === 'application/json' ? JSON.stringify({ path, pad: ' '.repeat(bytes) }) : null
  response.writeHead(200, headers).end(body ?? Buffer.alloc(bytes, 32))
}

/** What one visitor's browser measured: milliseconds, except cls. */
function visitorTimes(random: Random): string {
  const figures = {
    ttfb: random.logNormal(180, 0.3),
    fcp: random.logNormal(900, 0.4),
    lcp: random.logNormal(1_900, 0.4),
    inp: random.logNormal(150, 0.5),
    cls: random.logNormal(0.06, 0.6),
    load: random.logNormal(1_400, 0.35),
  }
  return Object.entries(figures)
    .map(([name, figure]) => `${name};dur=${figure.toFixed(3)}`)
    .join(', ')
}

/** A page of the shop with about this many bytes. The homepage has a style sheet and a picture. */
function pageHtml(path: string, bytes: number, soldOut: boolean): string {
  const assets = path === '/' ? '<link rel="stylesheet" href="/static/shop.css">' : ''
  const hero = path === '/' ? '<img src="/static/hero.webp" alt="Posters">' : ''
  const stock = soldOut ? '<p>Out of stock</p>' : ''
  const head = `<!doctype html><html><head><title>Webshop ${path}</title>${assets}</head><body>${hero}${stock}`
  const line = '<p>Posters of mountains, cities and the sea.</p>\n'
  const lines = Math.max(0, Math.floor((bytes - head.length) / line.length))
  return `${head}\n${line.repeat(lines)}</body></html>\n`
}
