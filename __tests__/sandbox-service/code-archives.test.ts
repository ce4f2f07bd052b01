import { createHash } from 'node:crypto'
import http from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readFileSync } from 'node:fs'
import AdmZip from 'adm-zip'
import { field, suite, visit, zipOf, type Visitor } from './visitor.js'

let visitor: Visitor
beforeEach(async () => {
  visitor = await visit({ seededArchive: false })
})
afterEach(() => visitor.leave())

const kept = () => visitor.service.books.archives
const base64 = (bytes: Buffer) => createHash('sha512').update(bytes).digest('base64')

test('an upload is stored byte for byte and answered with its record', async () => {
  const { status, body } = await visitor.upload(suite, { 'content-digest': `sha-512=:${base64(suite)}:` })
  expect(status).toBe(201)
  const sha512 = createHash('sha512').update(suite).digest('hex')
  expect(body).toEqual({
    success: true,
    data: {
      id: 'ca-1',
      fileName: 'suite.zip',
      size: suite.length,
      sha512,
      uploadedAt: Date.UTC(2026, 0, 17, 10, 15),
    },
  })
  const [archive] = kept()
  expect(archive).toMatchObject({ id: 'ca-1', project: 'webshop', foreign: false })
  expect(readFileSync(archive?.file ?? '').equals(suite)).toBe(true)
})

/** A name that ZIP writers would clean up, written byte by byte. */
function renamed(zip: Buffer, from: string, to: string): Buffer {
  expect(to).toHaveLength(from.length)
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1')
}

function encrypted(): Buffer {
  const bytes = Buffer.from(suite)
  const directory = bytes.indexOf('PK\x01\x02', 0, 'latin1')
  bytes.writeUInt16LE(bytes.readUInt16LE(directory + 8) | 1, directory + 8)
  return bytes
}

function damaged(): Buffer {
  const zip = new AdmZip()
  zip.addFile('suite/pom.xml', Buffer.from('<project>a suite that is stored</project>'))
  for (const entry of zip.getEntries()) entry.header.method = 0
  const bytes = zip.toBuffer()
  bytes.write('X', bytes.indexOf('a suite'))
  return bytes
}

test.each<[string, Buffer, RegExp]>([
  ['no ZIP', Buffer.from('PK this is none'), /not a readable ZIP file/],
  ['a ZIP that breaks off', suite.subarray(0, suite.length - 30), /not a readable ZIP file/],
  ['two top-level directories', zipOf({ 'a/pom.xml': '', 'b/c': '' }), /exactly one .* but has a\/, b\//],
  ['a file beside the directory', zipOf({ 'a/pom.xml': '', 'notes.txt': '' }), /but has a\/, notes\.txt/],
  ['no directory', zipOf({ 'pom.xml': '<project/>' }), /exactly one top-level directory/],
  ['nothing', zipOf({}), /but has nothing/],
  ['no build file', zipOf({ 'a/src/A.java': '' }), /no Maven or Gradle build file in a\//],
  ['a name that leaves', renamed(zipOf({ 'a/xx/pom.xml': '' }), 'a/xx/pom.xml', 'a/../pom.xml'), /damaged/],
  ['an absolute name', renamed(zipOf({ 'ab/pom.xml': '' }), 'ab/pom.xml', '/b/pom.xml'), /damaged/],
  ['a backslash', renamed(zipOf({ 'a/b.c': '', 'a/pom.xml': '' }), 'a/b.c', 'a\\b.c'), /damaged/],
  [
    'a name twice',
    renamed(zipOf({ 'a/pom.xml': '', 'a/pom.xmk': '' }), 'pom.xmk', 'pom.xml'),
    /same name twice/,
  ],
  ['an encrypted entry', encrypted(), /encrypted/],
  ['wrong bytes', damaged(), /damaged: wrong checksum of suite\/pom\.xml/],
])('refused with 400: %s', async (_, bytes, sentence) => {
  const { status, body } = await visitor.upload(bytes)
  expect(field(body, 'message')).toMatch(sentence)
  expect(status).toBe(400)
  expect(kept()).toEqual([])
})

test('a digest that does not match, or cannot be read, is refused', async () => {
  const wrong = await visitor.upload(suite, { 'content-digest': `sha-512=:${base64(Buffer.from('other'))}:` })
  expect([wrong.status, field(wrong.body, 'message')]).toEqual([
    400,
    expect.stringContaining('does not match'),
  ])
  const odd = await visitor.upload(suite, { 'content-digest': 'sha-512=abc' })
  expect([odd.status, field(odd.body, 'message')]).toEqual([400, expect.stringContaining('must be sha-512')])
  const beside = await visitor.upload(suite, {
    'content-digest': `sha-256=:AAAA:, sha-512=:${base64(suite)}:`,
  })
  expect(beside.status).toBe(201)
})

test('an archive above the limit is refused with 413, by its length or while it arrives', async () => {
  visitor.service.settings.archiveLimit = 300_000
  const large = Buffer.alloc(400_000)
  const told = await visitor.upload(large)
  expect([told.status, field(told.body, 'message')]).toEqual([413, expect.stringContaining('300000 bytes')])
  const found = await chunked(large, await visitor.token())
  expect(found).toBe(413)
  expect(kept()).toEqual([])
})

/** Sends a body without its length. */
async function chunked(bytes: Buffer, token: string): Promise<number | undefined> {
  const request = http.request(
    `${visitor.service.url}/public/api/v2/orgs/demo-org/projects/webshop/code-archives`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/zip', authorization: `Bearer ${token}` },
    },
  )
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject)
  })
  await pipeline(Readable.from([bytes.subarray(0, 200_000), bytes.subarray(200_000)]), request)
  const response = await answered
  response.resume()
  return response.statusCode
}
