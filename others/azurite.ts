import { createHmac, randomBytes } from 'node:crypto'
import { spawn } from 'node:child_process'
import path from 'node:path'
import { npmPackages } from './cache.js'
import { ask, blobCalls, differences, signed, type BlobPlace } from './blob-calls.js'
import { equal, type Trial } from './trial.js'

const account = 'productionresults'
const container = 'actions-results'
const apiVersion = '2021-08-06'

/** Headers that only Azurite sends, and that the artifact client does not read. */
const more = new Set([
  ...['server', 'date', 'connection', 'keep-alive', 'transfer-encoding'],
  // Computed by Azurite if no MD5 was sent.
  'x-ms-content-crc64',
  // Tiers of storage, which the sandbox does not have.
  ...['x-ms-access-tier', 'x-ms-access-tier-inferred'],
  // Azure has them only for a range, or not at all for blobs committed as blocks.
  ...['content-md5', 'x-ms-blob-content-md5'],
])

/** Microsoft's emulator of blob storage, compared with the table that the sandbox's blob store is tested with. */
export async function azurite(): Promise<Trial[]> {
  // Its telemetry is off here. The release that it asks for brings 200 MB, and packages that some registries lack.
  const overrides = { applicationinsights: '1.8.10' }
  const folder = await npmPackages('azurite', '3.37.0', { overrides })
  return [
    {
      what: `${blobCalls.length} calls of the artifact client are answered as the sandbox's blob store answers`,
      async try() {
        const key = randomBytes(32).toString('base64')
        const { origin, close } = await startAzurite(folder, key)
        try {
          equal(await faultsOf(await makePlace(origin, key)), [])
        } finally {
          close()
        }
      },
    },
  ]
}

async function faultsOf(place: BlobPlace): Promise<string[]> {
  const faults: string[] = []
  for (const call of blobCalls) {
    const got = await ask(place, call)
    const found = differences(call, got)
      // Its first check of a request refuses without a code.
      .filter(
        (one) => got.status !== call.answer.status || got.error !== undefined || !one.startsWith('error'),
      )
      .concat(
        got.status < 300
          ? Object.keys(got.headers ?? {}).flatMap((name) =>
              more.has(name) || known.has(name) ? [] : [`it has the header ${name}`],
            )
          : [],
      )
    if (call.azurite === undefined) faults.push(...found.map((one) => `${call.what}: ${one}`))
    else if (found.length === 0)
      faults.push(`${call.what}: Azurite answers as the table says: remove the reason`)
  }
  return faults
}

/** The headers that the sandbox's blob store has too. */
const known = new Set([
  ...['etag', 'last-modified', 'x-ms-request-id', 'x-ms-version', 'x-ms-creation-time', 'content-range'],
  ...blobCalls.flatMap(({ answer }) => Object.keys(answer.headers ?? {})),
])

async function startAzurite(folder: string, key: string): Promise<{ origin: string; close: () => void }> {
  const options = ['--inMemoryPersistence', '--skipApiVersionCheck', '--disableTelemetry', '--silent']
  const child = spawn(
    process.execPath,
    [path.join(folder, 'node_modules/azurite/dist/src/blob/main.js'), '--blobPort', '0', ...options],
    { env: { ...process.env, AZURITE_ACCOUNTS: `${account}:${key}` }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const close = () => void child.kill()
  const origin = await new Promise<string>((resolve, reject) => {
    let shown = ''
    const late = setTimeout(() => reject(new Error(`Azurite does not listen after 60 s: ${shown}`)), 60_000)
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString()
      const url = /successfully listens on (http:\S+)/.exec(shown)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.on('close', () => reject(new Error(`Azurite ended before it listened: ${shown}`)))
    child.on('spawn', () => undefined)
    void late.unref()
  }).catch((error: unknown) => {
    close()
    throw error
  })
  return { origin, close }
}

/** A container, and signed addresses of a blob in it. */
async function makePlace(origin: string, key: string): Promise<BlobPlace> {
  const sign = (lines: string[]) =>
    createHmac('sha256', Buffer.from(key, 'base64')).update(lines.join('\n')).digest('base64')
  const end = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString().replace(/\.\d+/, '')
  const hour = 3_600_000
  const url = `${origin}/${account}/${container}`

  const forAccount = { sv: apiVersion, ss: 'b', srt: 'sco', sp: 'rwc', se: end(hour) }
  const sig = sign([account, 'rwc', 'b', 'sco', '', forAccount.se, '', '', apiVersion, '', ''])
  const made = await fetch(
    `${url}?${new URLSearchParams({ restype: 'container', ...forAccount, sig }).toString()}`,
    {
      method: 'PUT',
    },
  )
  equal(made.status, 201)

  const address = (sp: string, se: string, rscd = '', rsct = '') => {
    const blob = `/blob/${account}/${container}/artifacts/a`
    const lines = [sp, '', se, blob, '', '', '', apiVersion, 'b', '', '', '', rscd, '', '', rsct]
    const query = { sv: apiVersion, sr: 'b', sp, se, ...(rscd ? { rscd, rsct } : {}), sig: sign(lines) }
    return `${url}/artifacts/a?${new URLSearchParams(query).toString()}`
  }
  const read = (milliseconds: number) => address('r', end(milliseconds), signed.disposition, signed.type)
  return { write: address('cw', end(hour)), read: read(hour), ended: read(-hour) }
}
