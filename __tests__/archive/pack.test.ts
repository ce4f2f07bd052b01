import { createHash, randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import {
  appendFile,
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  utimes,
} from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import AdmZip from 'adm-zip'
import { daily, thorough } from '../daily.js'
import { deflate } from '../../src/archive/deflate.js'
import { listFiles, type SourceFile } from '../../src/archive/listing.js'
import { checkLimits, packSource, type PackOptions } from '../../src/archive/archive.js'
import { preflight, preflightPacked } from '../../src/archive/code-archive.js'
import { exists, Folder, messageOf, python, run } from './folder.js'

let at: Folder
beforeEach(async () => {
  at = await Folder.make()
})
afterEach(() => at.remove())

/** Contains `w`, a repository with everything that is hard for a ZIP, and its archive. No test changes it. */
let hard: Folder
let packed: Awaited<ReturnType<typeof packSource>>
let expected: Record<string, string>
beforeAll(async () => {
  hard = await Folder.make()
  await hardRepository()
  packed = await packSource({
    ...{ source: hard.at('w'), exclude: [], topLevel: 'somebody/top', target: hard.at('out.zip') },
  })
  expected = await tree(hard.at('w'))
})
afterAll(() => hard.remove())

const pack = (options: Partial<PackOptions> = {}): ReturnType<typeof packSource> =>
  packSource({ source: at.at('w'), exclude: [], target: at.at('out.zip'), ...options })

async function hardRepository(): Promise<void> {
  await hard.write({
    'w/pom.xml': '<project/>\n'.repeat(100),
    'w/empty.txt': '',
    'w/random.bin': randomBytes(5000),
    'w/large.bin': Buffer.concat([randomBytes(1 << 20), Buffer.alloc(9 << 20, 'abc\n'), randomBytes(1000)]),
    'w/ünï cödé/日本語 😀.txt': 'text\n'.repeat(50),
    'w/with space/a+b&c=d\'e"f.txt': 'x',
    'w/-dash/--help': 'y',
    [`w/${'long-'.repeat(40)}/${'name-'.repeat(40)}.txt`]: 'z',
    'w/proto/__proto__': '1',
    'w/constructor': '2',
  })
  await hard.write({ 'w/mvnw': '#!/bin/sh\n', 'w/bin/tool': '\x7fELF' }, 0o775)
  await hard.write({ 'w/only-group.sh': '' }, 0o654)
  await hard.link('w/link', 'pom.xml')
  await hard.link('w/bin/up', '../ünï cödé')
  await hard.link('w/dangling', 'not/there')
  await hard.commitAll('w')
}

/** Path to content, of a folder on disk, without `.git`. */
async function tree(folder: string, prefix = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
    const name = prefix + entry.name
    const path = join(folder, name)
    if (entry.isSymbolicLink()) found[name] = `link ${await readlink(path)}`
    else if (!entry.isDirectory()) {
      const digest = createHash('sha1')
        .update(await readFile(path))
        .digest('hex')
      found[name] = `${(await lstat(path)).mode & 0o100 ? 'exec' : 'file'} ${digest}`
    } else if (entry.name !== '.git') Object.assign(found, await tree(folder, `${name}/`))
  }
  return found
}

describe('read back', () => {
  daily('unzip finds no fault and restores the working tree: names, exec bits, links, bytes', async () => {
    expect(packed.name).toBe('top')
    expect(await run('unzip', ['-t', packed.path])).toContain('No errors detected')
    await run('unzip', ['-q', packed.path, '-d', at.at('unpacked')])
    expect(await readdir(at.at('unpacked'))).toEqual(['top'])
    expect(await tree(at.at('unpacked/top'))).toEqual(expected)
    expect(Object.keys(expected)).toHaveLength(packed.files)
    const listing = await run('unzip', ['-Z', packed.path])
    expect(listing).toMatch(/^-rwxr-xr-x .* unx .* 80-Feb-01 00:00 top\/mvnw$/m)
    expect(listing).toMatch(/^-rw-r--r-- .* top\/only-group\.sh$/m)
    expect(listing).toMatch(/^lrwxrwxrwx .* top\/link$/m)
    expect(listing).not.toMatch(/\/$/m)
  })

  daily('python3 reads the same names, modes, checksums and bytes', async () => {
    const read: unknown = JSON.parse(
      await python(
        `
import zipfile, hashlib, json, sys
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None and z.comment == b''
out = {}
for i in z.infolist():
    data = z.read(i)
    mode = i.external_attr >> 16
    assert i.create_system == 3 and i.date_time == (1980, 2, 1, 0, 0, 0) and i.flag_bits == 0x800
    assert i.compress_size <= i.file_size or i.file_size > 8 << 20
    kind = 'exec' if mode == 0o100755 else 'file' if mode == 0o100644 else 'link' if mode == 0o120777 else oct(mode)
    out[i.filename[4:]] = kind + ' ' + (data.decode() if kind == 'link' else hashlib.sha1(data).hexdigest())
json.dump(out, sys.stdout)`,
        packed.path,
      ),
    )
    expect(read).toEqual(expected)
  })

  daily('the figures are those of the file, and the preflight agrees', async () => {
    const zip = await readFile(packed.path)
    expect(packed.bytes).toBe(zip.length)
    expect(packed.sha512).toBe(createHash('sha512').update(zip).digest('hex'))
    const [largest] = packed.entries.toSorted((a, b) => b.bytes - a.bytes)
    expect(largest).toMatchObject({ name: 'top/large.bin' })
    const sizes = await Promise.all(
      Object.keys(expected).map(async (n) => (await lstat(hard.at(`w/${n}`))).size),
    )
    expect(packed.uncompressedBytes).toBe(sizes.reduce((a, b) => a + b, 0))
    // Read back, it is what the preflight takes from the listing.
    expect(await preflight(packed.path)).toEqual(preflightPacked(packed))
  })
})

describe('the same bytes', () => {
  daily('of two clones, in two time zones, with other umasks, times and orders of creation', async () => {
    const program = `
      import { packSource } from './src/archive/archive.ts'
      const [source, target] = process.argv.slice(2)
      packSource({ source, exclude: [], target, topLevel: 'w' }).then(({ sha512 }) => console.log(sha512))`
    await build({
      stdin: { contents: program, resolveDir: process.cwd(), loader: 'ts' },
      ...{ outfile: at.at('pack.cjs'), bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' },
    })
    const packIn = async (clone: string, zone: string, umask: string): Promise<string> => {
      await run('sh', ['-c', `umask ${umask} && git clone -q '${hard.at('w')}' '${at.at(clone)}'`])
      return run(process.execPath, [at.at('pack.cjs'), at.at(clone), at.at(`${clone}.zip`)], {
        TZ: zone,
        LC_ALL: 'C',
      })
    }
    const one = await packIn('one', 'Pacific/Kiritimati', '022')
    const two = await packIn('two', 'America/Los_Angeles', '077')
    expect(one).toMatch(/^[0-9a-f]{128}\n$/)
    expect(two).toBe(one)
    expect((await readFile(at.at('two.zip'))).equals(await readFile(at.at('one.zip')))).toBe(true)

    const copy = Object.keys(await tree(at.at('one'))).reverse()
    expect(copy.length).toBeGreaterThan(10)
    for (const name of copy) {
      const stats = await lstat(at.at(`one/${name}`))
      await mkdir(at.at(`three/${name}/..`), { recursive: true })
      if (stats.isSymbolicLink()) await at.link(`three/${name}`, await readlink(at.at(`one/${name}`)))
      else {
        await copyFile(at.at(`one/${name}`), at.at(`three/${name}`))
        await utimes(at.at(`three/${name}`), 1e9, 1e9)
      }
    }
    const third = await pack({ source: at.at('three'), topLevel: 'w', target: at.at('three.zip') })
    expect(`${third.sha512}\n`).toBe(one)
  })

  daily('however files are grouped into batches', async () => {
    await at.write(
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`w/f${i}`, `${i} `.repeat(i * 10)])),
    )
    const { files } = await listFiles(at.at('w'), { exclude: [] })
    // As text, because two buffers are compared byte by byte.
    const deflated = async (batch: readonly SourceFile[]) =>
      (await deflate(batch)).map((entry) => ({ ...entry, data: Buffer.from(entry.data).toString('latin1') }))
    const alone = (await Promise.all(files.map((file) => deflated([file])))).flat()
    expect(alone).toEqual(await deflated(files))
    const [half, rest] = [files.slice(0, 7), files.slice(7)]
    expect([...(await deflated(half)), ...(await deflated(rest))]).toEqual(alone)
  })
})

describe('limits', () => {
  daily('the limits are exactly those of the format, in entries and in bytes', () => {
    const file = (bytes: number, i = 0): { name: string; bytes: number } => ({ name: `f${i}`, bytes })
    const many = (count: number): { name: string; bytes: number }[] =>
      Array.from({ length: count }, (_, i) => file(0, i))
    expect(() => checkLimits(many(65_534))).not.toThrow()
    expect(() => checkLimits(many(65_535))).toThrow('has 65535 files')
    expect(() => checkLimits([file(2 ** 31), file(2 ** 31 - 1, 1)])).not.toThrow()
    expect(() => checkLimits([file(2 ** 31), file(2 ** 31, 1)])).toThrow(
      /at most 4 GiB\. The largest are "f0" \(2\.1 GB\)/,
    )
    expect(() => checkLimits([])).toThrow('no files to pack')
  })

  daily('more than 4 GiB are refused before anything is read', async () => {
    await at.write({ 'w/pom.xml': '' })
    await run('truncate', ['-s', '5G', at.at('w/holes.bin')])
    expect(await messageOf(pack())).toContain('"w/holes.bin"'.replace('w/', ''))
    expect(await readdir(at.path)).toEqual(['w'])
  })

  daily('an empty folder, or one in which everything is ignored, is refused', async () => {
    await mkdir(at.at('w'))
    expect(await messageOf(pack())).toMatch(
      /no files to pack: .*Add a step with actions\/checkout before this one/,
    )
    await at.write({ 'w/.gitignore': '*\n', 'w/x': '' })
    await at.commitAll('w')
    expect(await messageOf(pack())).toContain(
      'check the inputs source and exclude. Of a folder that Git ignores, make a ZIP',
    )
  })
})

describe('trouble', () => {
  const listed = async (): Promise<SourceFile> => {
    const { files } = await listFiles(at.at('w'), { exclude: [] })
    const [file] = files
    if (!file) throw new Error('nothing listed')
    return file
  }

  daily.each([
    ['grew', 100],
    ['grew, though large', 9 << 20],
  ])('a file that %s is noticed', async (_, bytes) => {
    await at.write({ 'w/a.log': Buffer.alloc(bytes, 'x') })
    const file = await listed()
    await appendFile(file.path, 'more')
    expect(await messageOf(deflate([file]))).toMatch(
      /^ArchiveError: "a\.log" changed while it was being packed\. Make sure that nothing/,
    )
  })

  daily(
    'a file that was replaced by another of the same size, by a link or by a pipe, or is gone, is noticed',
    async () => {
      await at.write({ 'w/a': 'one', b: 'two' })
      await Promise.all([utimes(at.at('w/a'), 1e9, 1e9), utimes(at.at('b'), 1e9, 1e9)])
      const file = await listed()
      await run('mv', [at.at('b'), file.path])
      expect(await messageOf(deflate([file]))).toContain('changed while it was being packed')
      await run('rm', [file.path])
      expect(await messageOf(deflate([file]))).toContain('changed while it was being packed')
      await at.link('w/a', '/etc/hostname')
      expect(await messageOf(deflate([file]))).toContain('changed while it was being packed')
      await run('rm', [file.path])
      await run('mkfifo', [file.path])
      expect(await messageOf(deflate([file]))).toContain('changed while it was being packed')
    },
  )

  daily('a file that gives more than its size says is noticed while it is read', async () => {
    const path = '/proc/version'
    const stats = await lstat(path).catch(() => undefined)
    if (stats?.size !== 0) {
      console.warn('No /proc on this machine: there is no such file.')
      return
    }
    const file = {
      name: 'version',
      path,
      bytes: 0,
      executable: false,
      modified: stats.mtimeMs,
      inode: stats.ino,
    }
    expect(await messageOf(deflate([file]))).toContain('"version" changed while it was being packed')
  })

  thorough('a failure in the middle leaves no partial archive', async () => {
    await at.write(Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`w/f${i}`, `${i}`])))
    await at.write({ 'w/z.log': 'z' })
    // Far enough from the end, so that the last file was not read ahead.
    const progress: NonNullable<PackOptions['progress']> = ({ files }) => {
      if (files === 500) appendFileSync(at.at('w/z.log'), 'more')
    }
    expect(await messageOf(pack({ progress }))).toContain('"z.log" changed while it was being packed')
    expect(await readdir(at.path)).toEqual(['w'])
  })

  daily('progress ends with all bytes', async () => {
    await at.write(Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`w/f${i}`, 'abc'])))
    const seen: unknown[] = []
    await pack({ progress: (done) => seen.push(done) })
    expect(seen).toEqual([
      { files: 500, ofFiles: 700, bytes: 1500, ofBytes: 2100 },
      { files: 700, ofFiles: 700, bytes: 2100, ofBytes: 2100 },
    ])
  })

  daily('a full disk is named', async () => {
    if (!(await exists('test', '-c', '/dev/full'))) return
    await at.write({ 'w/pom.xml': 'x' })
    await at.link('full', '/dev/full')
    expect(await messageOf(pack({ target: at.at('full') }))).toMatch(
      /could not be written: .*Free some disk space/,
    )
  })

  daily('a second pack replaces the first, even inside the folder itself', async () => {
    await at.write({ 'w/pom.xml': 'x' })
    const target = at.at('w/out.zip')
    const first = await pack({ target })
    const second = await pack({ target })
    expect(second.sha512).toBe(first.sha512)
    expect(second.files).toBe(1)
  })

  // Root can read everything.
  const testAsUser = process.getuid?.() === 0 ? test.skip : daily
  testAsUser('a file that its owner may not read is named', async () => {
    await at.write({ 'w/pom.xml': 'x' })
    await chmod(at.at('w/pom.xml'), 0)
    expect(await messageOf(pack())).toContain('"pom.xml" could not be read')
  })
})

describe('properties', () => {
  const name = 'config/project.properties'
  const properties = { file: name, entries: [['shop.url', 'https://pr-7.example.com']] as const }
  beforeEach(async () => {
    await at.write({
      'w/pom.xml': '<project/>',
      [`w/${name}`]: 'shop.url = http://localhost \\',
      'w/.gitignore': 'out/',
    })
    await at.write({ 'w/out/p.properties': '' })
    await at.commitAll('w')
  })

  it('are appended to the file in the archive; the working tree does not change, and the digest covers them', async () => {
    const plain = await pack()
    const packed = await pack({ properties })
    const bytes = 'shop.url = http://localhost \\\n\nshop.url=https\\://pr-7.example.com\n'
    const read = await python(
      `import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); sys.stdout.write(z.read([n for n in z.namelist() if n.endswith('project.properties')][0]).decode())`,
      at.at('out.zip'),
    )
    expect(read).toBe(bytes)
    expect(await readFile(at.at(`w/${name}`), 'utf8')).toBe('shop.url = http://localhost \\')
    expect(packed.sha512).not.toBe(plain.sha512)
    expect((await pack({ properties })).sha512).toBe(packed.sha512)
    expect((await preflight(at.at('out.zip'))).files).toBe(3)
  })

  it.each([
    ['config/other.properties', 'is not among the packed files'],
    ['out/p.properties', 'is not among the packed files'],
    ['link.properties', 'is a link'],
    ['large.properties', 'has 2.0 MB'],
  ])('%s: a sentence', async (file, why) => {
    await at.link('w/link.properties', name)
    await at.write({ 'w/large.properties': 'x'.repeat(2e6) })
    expect(await messageOf(pack({ properties: { ...properties, file } }))).toContain(
      `properties are appended to "${file}", which ${why}.`,
    )
  })
})

// archive.ts uses more of adm-zip than its documentation shows. If this fails after an update of adm-zip, its
// headers have changed: adapt archive.ts before the update goes in.
test('the archive equals, byte for byte, the one that adm-zip makes of the same files', async () => {
  const at = await Folder.make()
  const text = 'a line of text that can be deflated\n'.repeat(200)
  await at.write({ 'w/pom.xml': text, 'w/empty': '', 'w/ünï/ß.txt': `${text}!` })
  await at.write({ 'w/mvnw': `#!/bin/sh\n${text}` }, 0o755)
  await packSource({ source: at.at('w'), exclude: [], target: at.at('a.zip'), topLevel: 'top' })

  const own = new AdmZip({ noSort: true })
  const add = (name: string, content: string, mode: number): void => {
    const entry = own.addFile(`top/${name}`, Buffer.from(content), '', mode)
    entry.header.timeval = 0x0041_0000
    entry.header.made = 0x0314
  }
  add('empty', '', 0o644)
  add('mvnw', `#!/bin/sh\n${text}`, 0o755)
  add('pom.xml', text, 0o644)
  add('ünï/ß.txt', `${text}!`, 0o644)
  expect((await readFile(at.at('a.zip'))).toString('hex')).toBe(own.toBuffer().toString('hex'))

  const read = new AdmZip(at.at('a.zip')).getEntries()
  expect(read.map((entry) => entry.entryName)).toEqual([
    'top/empty',
    'top/mvnw',
    'top/pom.xml',
    'top/ünï/ß.txt',
  ])
  expect(read[2]?.getData().toString()).toBe(text)
  await at.remove()
})
