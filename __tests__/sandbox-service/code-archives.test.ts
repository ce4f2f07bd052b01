import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
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

test.each<[string, Buffer, RegExp]>([
  ['no ZIP', Buffer.from('PK this is none'), /not a readable ZIP file/],
  ['two top-level directories', zipOf({ 'a/pom.xml': '', 'b/c': '' }), /exactly one .* but has a\/, b\//],
  ['a file beside the directory', zipOf({ 'a/pom.xml': '', 'notes.txt': '' }), /but has a\/, notes\.txt/],
  ['no build file', zipOf({ 'a/src/A.java': '' }), /no Maven or Gradle build file in a\//],
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
