import { BlobRefusal } from './blob-refusal.js'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a signed address allows: to write the blob or to read it. */
export type BlobRight = 'cw' | 'r'

/** Account and container; an address with an IP needs both before the blob's name. */
export const blobPrefix = '/productionresults/actions-results/'

const minutes = 60_000

/**
 * Addresses of blobs with permission, expiry and headers signed into the query, like Azure's shared access
 * signatures.
 */
export class BlobAddresses {
  readonly #secret = randomBytes(32)

  /**
   * @param disposition the content-disposition of the answer to a GET
   * @param type its content type
   * @param lifetime in ms
   */
  sign(
    origin: string,
    name: string,
    right: BlobRight,
    disposition = '',
    type = '',
    lifetime = 60 * minutes,
  ): string {
    const url = new URL(`${blobPrefix}${name}`, origin)
    url.searchParams.set('sv', '2026-04-06')
    url.searchParams.set('sr', 'b')
    url.searchParams.set('sp', right)
    url.searchParams.set('se', new Date(Date.now() + lifetime).toISOString())
    if (disposition) url.searchParams.set('rscd', disposition)
    if (type) url.searchParams.set('rsct', type)
    url.searchParams.set('sig', this.#signature(url).toString('base64'))
    return url.href
  }

  /** @throws BlobRefusal if the address does not allow this */
  check(url: URL, method: string): void {
    const given = Buffer.from(url.searchParams.get('sig') ?? '', 'base64')
    const due = this.#signature(url)
    if (given.length !== due.length || !timingSafeEqual(given, due))
      throw unsigned('Signature did not match.')
    const end = new Date(url.searchParams.get('se') ?? '')
    if (!(end > new Date())) throw unsigned(`Signature not valid after ${end.toISOString()}.`)
    const needed: BlobRight = method === 'PUT' ? 'cw' : 'r'
    if (url.searchParams.get('sp') === needed) return
    throw new BlobRefusal(403, 'AuthorizationPermissionMismatch', `The signature does not allow ${method}.`)
  }

  #signature(url: URL): Buffer {
    const signed = ['sv', 'sr', 'sp', 'se', 'rscd', 'rsct'].map((name) => url.searchParams.get(name) ?? '')
    return createHmac('sha256', this.#secret)
      .update([url.pathname, ...signed].join('\n'))
      .digest()
  }
}

const unsigned = (why: string) => new BlobRefusal(403, 'AuthenticationFailed', why)
