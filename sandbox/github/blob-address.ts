import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a signed address allows: to write the blob or to read it. */
export type BlobRight = 'cw' | 'r'

/** Account and container; an address by IP needs both before the blob's name. */
export const blobPrefix = '/productionresults/actions-results/'

const minutes = 60_000

/** Addresses of blobs with their right, end and headers signed into the query, as Azure's shared access signatures. */
export class BlobAddresses {
  readonly #secret = randomBytes(32)
  readonly #lifetime: number

  /** @param lifetime of an address in ms */
  constructor(lifetime = 60 * minutes) {
    this.#lifetime = lifetime
  }

  /**
   * @param disposition the content-disposition of the answer to a GET
   * @param type its content type
   */
  sign(origin: string, name: string, right: BlobRight, disposition = '', type = ''): string {
    const url = new URL(`${blobPrefix}${name}`, origin)
    url.searchParams.set('sv', '2026-04-06')
    url.searchParams.set('sr', 'b')
    url.searchParams.set('sp', right)
    url.searchParams.set('se', new Date(Date.now() + this.#lifetime).toISOString())
    if (disposition) url.searchParams.set('rscd', disposition)
    if (type) url.searchParams.set('rsct', type)
    url.searchParams.set('sig', this.#signature(url).toString('base64'))
    return url.href
  }

  /** Why the address does not allow this, or undefined where it does. */
  fault(url: URL, method: string): string | undefined {
    const given = Buffer.from(url.searchParams.get('sig') ?? '', 'base64')
    const due = this.#signature(url)
    if (given.length !== due.length || !timingSafeEqual(given, due)) return 'Signature did not match.'
    const end = new Date(url.searchParams.get('se') ?? '')
    if (!(end > new Date())) return `Signature not valid after ${end.toISOString()}.`
    const needed: BlobRight = method === 'PUT' ? 'cw' : 'r'
    if (url.searchParams.get('sp') !== needed) return `The signature does not allow ${method}.`
    return undefined
  }

  #signature(url: URL): Buffer {
    const signed = ['sv', 'sr', 'sp', 'se', 'rscd', 'rsct'].map((name) => url.searchParams.get(name) ?? '')
    return createHmac('sha256', this.#secret)
      .update([url.pathname, ...signed].join('\n'))
      .digest()
  }
}
