import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import AdmZip from 'adm-zip'
import { ArchiveError } from '../../src/errors.js'
import { AnswerError } from '../../src/service/failure.js'
import type { Client } from '../../src/service/service.js'
import type { Body } from '../../src/service/transport.js'
import { prepareArchive, uploadArchive, withoutPath } from '../../src/start/code-archive.js'
import { Folder } from '../archive/folder.js'
import { answered, calls, fakeService } from '../fake-service.js'
import { keptLog } from '../kept-log.js'

let at: Folder
beforeEach(async () => {
  at = await Folder.make()
  await at.write({ 'w/pom.xml': '<project/>', 'w/config/project.properties': 'a=1', 'w/notes.txt': 'n' })
})
afterEach(() => at.remove())

const sha512 = (bytes: Uint8Array) => createHash('sha512').update(bytes).digest('hex')

async function prepared(
  wish: Partial<Parameters<typeof prepareArchive>[0]> = {},
  signal = new AbortController().signal,
) {
  const { log, lines } = keptLog()
  const archive = await prepareArchive(
    { source: at.at('w'), exclude: [], ...wish },
    { log, signal, temp: at.path, topLevel: 'shop', deflateWorker: new URL('file:///none') },
  )
  const files = new Map(
    new AdmZip(archive.path).getEntries().map((entry) => [entry.entryName, entry.getData().toString()]),
  )
  return { archive, lines, files }
}

describe('the archive that is made', () => {
  test('has the folder below the name of the repository, and the log has its size and SHA-512', async () => {
    const { archive, lines, files } = await prepared()
    const bytes = readFileSync(at.at('code-archive.zip'))
    const checked = { name: 'shop', files: 3, bytes: bytes.length, sha512: sha512(bytes) }
    expect(archive).toEqual({ ...checked, path: at.at('code-archive.zip') })
    expect(withoutPath(archive)).toEqual(checked)
    expect([...files.keys()].sort()).toEqual([
      'shop/config/project.properties',
      'shop/notes.txt',
      'shop/pom.xml',
    ])
    expect(lines).toEqual([
      `Packed 3 files, 14 bytes, from ${at.at('w')}`,
      `The archive has 3 files below shop/ and ${bytes.length} bytes`,
      `SHA-512 ${sha512(bytes)}`,
    ])
  })

  test('lacks what is excluded', async () => {
    const { lines, files } = await prepared({ exclude: ['*.txt'] })
    expect([...files.keys()]).not.toContain('shop/notes.txt')
    expect(lines.filter((line) => line.startsWith('Left out'))).toEqual([])
  })

  test('lacks the products of builds, of which ten are named', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `m${String(i).padStart(2, '0')}/target/`)
    await at.write(Object.fromEntries(names.map((name) => [`w/${name}x`, 'x'])))
    const { archive, lines } = await prepared()
    expect(archive.files).toBe(3)
    expect(lines).toContain(`Left out: ${names.slice(0, 10).join(', ')}`)
  })

  test('has the properties at the end of their file, and the log only names them', async () => {
    const entries = [
      ['users', '5'],
      ['password', 'c29tZSBzM2NyM3Q='],
    ] as const
    const properties = { file: 'config/project.properties', entries: [...entries] }
    const { lines, files } = await prepared({ properties })
    expect(files.get('shop/config/project.properties')).toBe(`a=1\n\nusers=5\npassword=c29tZSBzM2NyM3Q\\=\n`)
    expect(readFileSync(at.at('w/config/project.properties'), 'utf8')).toBe('a=1')
    expect(lines[0]).toBe('Appended to config/project.properties in the archive: users, password')
    expect(lines.join('\n')).not.toContain('c29tZ')
  })

  test('warns about files that look like secrets', async () => {
    await at.write({ 'w/.env': 'x' })
    const { lines } = await prepared()
    expect(lines.filter((line) => line.startsWith('warning'))).toEqual([
      'warning: The archive contains files that look like secrets: shop/.env. They are uploaded with it. Name them in the input exclude if the test suite does not need them.',
    ])
  })

  test('is not made once the step is cancelled', async () => {
    await expect(prepared({}, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled')
  })
})

test('an archive that exists is checked as it is, and stays so', async () => {
  const zip = new AdmZip()
  zip.addFile('top/pom.xml', Buffer.from('<project/>'))
  const bytes = zip.toBuffer()
  writeFileSync(at.at('own.zip'), bytes)
  const { archive, lines } = await prepared({ archive: at.at('own.zip'), exclude: [] })
  const path = at.at('own.zip')
  expect(archive).toEqual({ path, name: 'top', files: 1, bytes: bytes.length, sha512: sha512(bytes) })
  expect(lines).toHaveLength(2)
  expect(readFileSync(path).equals(bytes)).toBe(true)
})

test('an archive from which nothing can be built is refused before anything is sent', async () => {
  await at.write({ 'x/notes.txt': 'n' })
  await expect(prepared({ source: at.at('x') })).rejects.toThrow(ArchiveError)
})

describe('the upload', () => {
  const listed = (...ids: string[]) => ids.map((id) => ({ id, sha512: sum }))
  const other = { id: 'ca-x', sha512: 'another' }
  const patience = { firstPause: 1, longestPause: 1, total: 60_000 }
  const [sum, content] = ['5a12', Buffer.alloc(2_000_000, 'ab')]

  /** Each list of archives in turn, the last one again and again; each upload in turn. */
  async function uploaded(
    lists: (Awaited<ReturnType<Client['archives']>> | Error)[],
    ...uploads: (string | Error | undefined)[]
  ) {
    writeFileSync(at.at('a.zip'), content)
    const left = [...lists]
    let sent: Buffer | undefined
    const { client, asked } = fakeService({
      archives: async () => {
        const next = left.length > 1 ? left.shift() : left[0]
        if (next instanceof Error) throw next
        return next
      },
      upload: async (body: Body) => {
        const next = uploads.shift()
        sent = await buffer(body.open())
        if (next instanceof Error) throw next
        return next
      },
    })
    const { log, lines } = keptLog()
    const archive = { path: at.at('a.zip'), name: 'top', files: 1, bytes: content.length, sha512: sum }
    const signal = new AbortController().signal
    const id = await uploadArchive(client, archive, patience, { log, signal }).catch(
      (error: unknown) => error,
    )
    return { id, asked, lines, sent }
  }

  const lost = answered(502, calls.upload())
  const refused = answered(400, calls.upload())

  test('sends the bytes of the file with its SHA-512, and returns the id', async () => {
    const { id, asked, sent } = await uploaded([[]], 'ca-1')
    expect([id, asked]).toEqual(['ca-1', ['archives', `upload ${sum}`]])
    expect(sent?.equals(content)).toBe(true)
  })

  test.each<[string, Parameters<typeof uploaded>, unknown, string[]]>([
    ['has arrived: it is not sent again', [[[], [other, ...listed('ca-2')]], lost], 'ca-2', ['upload']],
    ['has not arrived: it is sent again', [[[other]], lost, 'ca-3'], 'ca-3', ['upload', 'upload']],
    [
      'may be one of two: it is sent again',
      [[[], listed('ca-2', 'ca-3')], lost, 'ca-4'],
      'ca-4',
      ['upload', 'upload'],
    ],
    ['was there before: it is sent again', [[listed('ca-1')], lost, 'ca-4'], 'ca-4', ['upload', 'upload']],
    [
      'has arrived beside an equal one: that is the new one',
      [[listed('ca-1'), listed('ca-1', 'ca-2')], lost],
      'ca-2',
      ['upload'],
    ],
    ['cannot be looked for: it is sent again', [[undefined], lost, 'ca-3'], 'ca-3', ['upload', 'upload']],
    [
      'cannot be looked for, since the list is refused: it is sent again',
      [[answered(403, calls.list())], lost, 'ca-3'],
      'ca-3',
      ['upload', 'upload'],
    ],
    [
      'cannot be found, since the answer is not a list: it is sent again',
      [[new AnswerError(calls.list(), 'is not a list')], lost, 'ca-3'],
      'ca-3',
      ['upload', 'upload'],
    ],
    ['was refused: nothing is sent again', [[[], listed('ca-2')], refused], refused, ['upload']],
  ])('whose answer was lost %s', async (_, [lists, ...uploads], due, sends) => {
    const { id, asked, lines } = await uploaded(lists, ...uploads)
    expect(id).toBe(due)
    expect(asked.flatMap((call) => call.split(' ')[0] ?? []).filter((call) => call === 'upload')).toEqual(
      sends,
    )
    expect(lines.some((line) => line.includes('The archive did arrive, as ca-2.'))).toBe(id === 'ca-2')
  })

  test('asks for the list once before it sends, and once after each answer that was lost', async () => {
    const { asked } = await uploaded([[]], lost, lost, 'ca-3')
    const send = `upload ${sum}`
    expect(asked).toEqual(['archives', send, 'archives', send, 'archives', send])
  })

  test('a fault of the list that the service did not cause ends it', async () => {
    const { id, asked } = await uploaded([new TypeError('broken')])
    expect([id, asked]).toEqual([new TypeError('broken'), ['archives']])
  })
})

describe('what is sent', () => {
  async function body(bytes: number) {
    const { log, lines } = keptLog()
    let sent: Body | undefined
    const { client } = fakeService({
      archives: async () => undefined,
      upload: async (one: Body) => void (sent = one),
    })
    const archive = { path: at.at('a.zip'), name: 'top', files: 1, bytes, sha512: '5a12' }
    const patience = { firstPause: 1, longestPause: 1, total: 1 }
    await uploadArchive(client, archive, patience, { log, signal: new AbortController().signal })
    return { sent, lines }
  }

  test('can be opened again, has its length, and a large one says how far it is', async () => {
    const content = Buffer.alloc(6_000_000, 'abc')
    writeFileSync(at.at('a.zip'), content)
    const { sent, lines } = await body(content.length)
    if (!sent) throw new Error('nothing was sent')
    expect(sent.bytes).toBe(content.length)
    expect((await buffer(sent.open())).equals(content)).toBe(true)
    expect((await buffer(sent.open())).equals(content)).toBe(true)
    const told = lines.filter((line) => /^Uploaded [\d.]+ MB of 6(?:\.0)? MB$/.test(line))
    expect([told.length, lines.length]).toEqual([10, 10])
  })

  test.each([
    ['shorter', 9],
    ['longer', 11],
  ])('an archive that is %s now than it was is a fault', async (_, bytes) => {
    writeFileSync(at.at('a.zip'), 'x'.repeat(bytes))
    const { sent } = await body(10)
    if (!sent) throw new Error('nothing was sent')
    await expect(buffer(sent.open())).rejects.toThrow(
      `the archive changed while it was sent: ${at.at('a.zip')}`,
    )
  })

  test('an archive that is gone is a fault', async () => {
    const { sent } = await body(10)
    if (!sent) throw new Error('nothing was sent')
    await expect(buffer(sent.open())).rejects.toThrow('ENOENT')
  })
})
