import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import AdmZip from 'adm-zip'
import { ArchiveError } from '../../src/errors.js'
import type { Body } from '../../src/service/transport.js'
import { prepareArchive, withoutPath } from '../../src/archive/code-archive.js'
import { uploadArchive } from '../../src/start/start.js'
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
    { log, signal, temp: at.path, topLevel: 'shop' },
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
  const content = Buffer.alloc(6_000_000, 'abc')
  beforeEach(() => writeFileSync(at.at('a.zip'), content))

  async function uploaded(answer?: string | Error, bytes = content.length) {
    const { log, lines } = keptLog()
    const bodies: Body[] = []
    const { client, asked } = fakeService({
      upload: async (body: Body) => {
        bodies.push(body)
        if (answer instanceof Error) throw answer
        return answer
      },
    })
    const archive = { path: at.at('a.zip'), name: 'top', files: 1, bytes, sha512: '5a12' }
    const end = await uploadArchive(client, archive, log).catch((error: unknown) => error)
    const [sent, ...more] = bodies
    // Not even after a refusal is it sent again.
    if (!sent || more.length > 0) throw new Error(`It was sent ${bodies.length} times.`)
    return { end, asked, sent, lines }
  }
  const fault = (status: number) => answered(status, calls.upload())

  test('has a SHA-512 and returns the id; it can be sent again, and if it is large, says how far it is', async () => {
    const { end, asked, sent, lines } = await uploaded('ca-1')
    expect([end, asked, sent.bytes]).toEqual(['ca-1', ['upload 5a12'], content.length])
    expect((await buffer(sent.open())).equals(content)).toBe(true)
    expect((await buffer(sent.open())).equals(content)).toBe(true)
    const told = lines.filter((line) => /^Uploaded [\d.]+ MB of 6(?:\.0)? MB$/.test(line))
    expect([told.length, lines.length]).toEqual([10, 10])
  })

  test('that is refused ends in that fault, and one that is too large says how large it is', async () => {
    expect((await uploaded(fault(400))).end).toEqual(fault(400))
    const { end } = await uploaded(fault(413))
    expect(end).toHaveProperty('message', expect.stringContaining('has 6.0 MB (6000000 bytes). Leave out'))
  })

  test.each([
    ['shorter', 9],
    ['longer', 11],
  ])('of an archive that is %s now than it was is a fault', async (_, bytes) => {
    const { sent } = await uploaded('ca-1', 10)
    writeFileSync(at.at('a.zip'), 'x'.repeat(bytes))
    await expect(buffer(sent.open())).rejects.toThrow(
      `the archive changed while it was sent: ${at.at('a.zip')}`,
    )
  })

  test('of an archive that is gone is a fault', async () => {
    const { sent } = await uploaded()
    rmSync(at.at('a.zip'))
    await expect(buffer(sent.open())).rejects.toThrow('ENOENT')
  })
})
