import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fastify } from 'fastify'
import { ask, blobCalls, differences, signed, type BlobPlace } from '../../others/blob-calls.js'
import { BlobAddresses } from '../../sandbox/github/blob-address.js'
import { BlobStore } from '../../sandbox/github/blob-store.js'

/** `npm run others` compares Azurite with the same table. */

const folder = mkdtempSync(path.join(tmpdir(), 'blobs-'))
const app = fastify({ forceCloseConnections: true })
let place: BlobPlace

beforeAll(async () => {
  const addresses = new BlobAddresses()
  const store = new BlobStore(folder, addresses)
  await app.register(store.routes)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  store.create('artifacts/a')
  const { disposition, type } = signed
  const read = (milliseconds?: number) =>
    addresses.sign(origin, 'artifacts/a', 'r', disposition, type, milliseconds)
  place = { write: addresses.sign(origin, 'artifacts/a', 'cw'), read: read(), ended: read(-1000) }
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

test.each(blobCalls)('$what', async (call) => {
  expect(differences(call, await ask(place, call))).toEqual([])
})
