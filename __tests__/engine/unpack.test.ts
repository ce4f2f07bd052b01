import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import AdmZip from 'adm-zip'
import { unpack } from '../../sandbox/engine/unpack.js'

let folder: string
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'unpack-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Names with content, or with the target of a link. */
function zipOf(files: Record<string, string | { link: string } | { program: string }>): string {
  const zip = new AdmZip()
  for (const [name, content] of Object.entries(files)) {
    const [text, mode] =
      typeof content === 'string'
        ? [content, 0o100644]
        : 'link' in content
          ? [content.link, 0o120777]
          : [content.program, 0o100755]
    const entry = zip.addFile(name, Buffer.from(text))
    entry.entryName = name
    entry.attr = (mode << 16) >>> 0
  }
  const file = path.join(folder, 'suite.zip')
  writeFileSync(file, zip.toBuffer())
  return file
}

test('files come with their modes and links', async () => {
  const zip = zipOf({ 's/mvnw': { program: 'run' }, 's/a/b.txt': 'text', 's/c': { link: 'a/b.txt' } })
  const suite = await unpack(zip, path.join(folder, 'out'))
  expect(path.basename(suite)).toBe('s')
  expect(statSync(path.join(suite, 'mvnw')).mode & 0o111).toBe(0o111)
  expect(lstatSync(path.join(suite, 'c')).isSymbolicLink()).toBe(true)
  expect(readFileSync(path.join(suite, 'c'), 'utf8')).toBe('text')
})

test.each<[string, string]>([
  ['leads up', '../../outside'],
  ['is absolute', '/etc/passwd'],
])('a link that %s is refused', async (_, link) => {
  const out = path.join(folder, 'out')
  await expect(unpack(zipOf({ 's/l': { link }, 's/m': 'x' }), out)).rejects.toThrow(
    'The link s/l leads out of the archive.',
  )
  expect(existsSync(path.join(out, 's/l'))).toBe(false)
})

test.each(['../outside', '/outside', 's/../../outside'])(
  'a name that leads out of the folder is refused: %s',
  async (name) => {
    const zip = zipOf({ 's/pom.xml': 'x', [name]: 'evil' })
    await expect(unpack(zip, path.join(folder, 'out'))).rejects.toThrow(/invalid|absolute|relative/)
    expect(readdirSync(folder).filter((one) => one.startsWith('outside'))).toEqual([])
  },
)
