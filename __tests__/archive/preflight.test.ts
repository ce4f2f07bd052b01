import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { PackedArchive } from '../../src/archive/archive.js'
import { pointer as lfsPointer } from '../../src/archive/deflate.js'
import { archiveLimitBytes, preflight, preflightPacked } from '../../src/archive/code-archive.js'
import { checkCodeArchive } from '../../sandbox/service/code-archive.js'
import { asAssumed } from '../../sandbox/service/assumptions.js'
import { zipOf } from '../unpack/archives.js'
import { exists, Folder, messageOf, python, run } from './folder.js'
import { python3 } from '../python.js'
import { refusedMutants } from './mutants.js'

/** One Python carries out all scripts, since starting it takes longer than a script. */
const loop = `
import json, sys, traceback
for line in sys.stdin:
    said = ''
    try: exec(json.loads(line), {})
    except BaseException: said = traceback.format_exc()
    print(json.dumps(said), flush=True)`

let at: Folder
let interpreter: ChildProcessByStdio<Writable, Readable, null>
let answers: AsyncIterator<string>
beforeAll(async () => {
  at = await Folder.make()
  interpreter = spawn(python3(), ['-S', '-c', loop], { stdio: ['pipe', 'pipe', 'inherit'] })
  answers = createInterface(interpreter.stdout)[Symbol.asyncIterator]()
})
afterAll(async () => {
  interpreter.stdin.end()
  await once(interpreter, 'close')
  await at.remove()
})

/** Writes a.zip with Python's zipfile: `z` is the open ZipFile, `add(name, data, mode, …)` adds an entry. */
async function made(script: string): Promise<string> {
  const path = at.at('a.zip')
  const whole = `
import zipfile, sys, struct, warnings, os
warnings.simplefilter('ignore')
path = ${JSON.stringify(path)}
def add(name, data=b'', mode=0o100644, system=3, method=zipfile.ZIP_DEFLATED):
    i = zipfile.ZipInfo(name)
    i.create_system = system
    i.external_attr = mode << 16
    i.compress_type = method
    z.writestr(i, data)
def link(name, target): add(name, target, 0o120777)
def patch(change):
    b = bytearray(open(path, 'rb').read())
    b = change(b) or b
    open(path, 'wb').write(bytes(b))
def central(b, n=0):
    at = -1
    for _ in range(n + 1): at = b.index(b'PK\\x01\\x02', at + 1)
    return at
with zipfile.ZipFile(path, 'w') as z:
${script
  .split('\n---\n')
  .map((part, i) => (i === 0 ? part.replace(/^/gm, '    ') : part))
  .join('\n')}
`
  interpreter.stdin.write(`${JSON.stringify(whole)}\n`)
  const answer: unknown = await answers.next()
  expect(answer).toEqual({ done: false, value: '""' })
  return path
}

const fault = async (script: string): Promise<string> => messageOf(preflight(await made(script)))
const pom = `add('top/pom.xml', b'<project/>' * 50)`

describe('good archives', () => {
  test.each([
    ['pom.xml', pom],
    ['folders as entries', `add('top/', b'', 0o040755)\nadd('top/src/', b'', 0o040755)\n${pom}`],
    ['entries made on Windows', `add('top/pom.xml', b'x', 0, 0)`],
    ['stored entries', `add('top/pom.xml', b'x' * 100, method=zipfile.ZIP_STORED)`],
    ['names like those of objects', `${pom}\nadd('top/__proto__')\nadd('top/constructor/prototype')`],
    ['names with .. in a part', `${pom}\nadd('top/a..b')\nadd('top/...')\nadd('top/..x')`],
    ['links inside', `${pom}\nlink('top/a/l', '../pom.xml')\nlink('top/m', 'a/l')`],
    ['a comment', `${pom}\nz.comment = b'made by hand'`],
    ['a large file that shrinks well', `${pom}\nadd('top/data.csv', b'1,2,3\\n' * 2000000)`],
  ])('%s', async (_, script) => {
    const path = await made(script)
    const zip = await readFile(path)
    const checked = await preflight(path)
    expect(checked).toEqual({
      path,
      name: 'top',
      files: script.split(/^(?:add|link)\(/m).length - 1 - script.split(`/', `).length + 1,
      bytes: zip.length,
      sha512: createHash('sha512').update(zip).digest('hex'),
      suspicious: [],
    })
  })

  test('archives made by zip, and by a writer that streams', async () => {
    await at.write({ 'good/top/pom.xml': 'x'.repeat(1000), 'good/top/ünï.txt': 'u' })
    await at.link('good/top/l', 'pom.xml')
    const in_ = (command: string): Promise<string> => run('sh', ['-c', `cd '${at.at('good')}' && ${command}`])
    if (await exists('zip', '-v')) {
      await in_('zip -q -r -y ../zip.zip top')
      expect(await preflight(at.at('zip.zip'))).toMatchObject({ name: 'top', files: 3 })
      await in_('zip -q -r - top/pom.xml top/ünï.txt | cat > ../stream.zip')
      expect(await preflight(at.at('stream.zip'))).toMatchObject({ name: 'top', files: 2 })
    }
    await python(
      `
import zipfile, sys
class Pipe:
    def __init__(self, f): self.f = f
    def write(self, b): return self.f.write(b)
    def flush(self): self.f.flush()
with open(sys.argv[1], 'wb') as f, zipfile.ZipFile(Pipe(f), 'w', zipfile.ZIP_DEFLATED) as z:
    z.writestr('top/pom.xml', 'y' * 500)
    z.writestr('top/b', 'b')`,
      at.at('pipe.zip'),
    )
    expect(await preflight(at.at('pipe.zip'))).toMatchObject({ name: 'top', files: 2 })
  })

  test('files that look like secrets are named, but are no reason to refuse the archive', async () => {
    const path = await made(`${pom}\nadd('top/.env')\nadd('top/conf/Server.PEM')\nadd('top/.env.example')`)
    expect((await preflight(path)).suspicious).toEqual(['top/.env', 'top/conf/Server.PEM'])
  })
})

const pointer = (oid: string) =>
  `b'version https://git-lfs.github.com/spec/v1\\noid sha256:' + b'${oid}' * 32 + b'\\nsize 12345\\n'`

const of = (version: string) => `version ${version}\noid sha256:${'0f'.repeat(32)}\nsize 12345\n`

test.each<[string, string, boolean]>([
  ['of today', of('https://git-lfs.github.com/spec/v1'), true],
  ['by its earlier name', of('https://hawser.github.com/spec/v1'), true],
  ['by its first name', of('http://git-media.io/v/2'), true],
  ['with lines of Windows', of('https://git-lfs.github.com/spec/v1').replaceAll('\n', '\r\n'), true],
  ['without a last line break', of('https://git-lfs.github.com/spec/v1').trimEnd(), true],
  ['with an extension', of('https://git-lfs.github.com/spec/v1\next-0-case sha256:0f'), true],
  ['of something else', of('https://example.com/spec/v1'), false],
  ['with more after it', `${of('https://git-lfs.github.com/spec/v1')}x`, false],
])('a pointer of Git LFS %s is known as one', (_, text, is) => expect(lfsPointer.test(text)).toBe(is))

describe('what the service could not build', () => {
  test.each([
    [
      'pointers of Git LFS',
      `${pom}\nfor i in range(7): add(f'top/data/{i}.csv', ${pointer('0f')})\nadd('top/a.csv', ${pointer('0f')} + b'x')\nadd('top/b.csv', ${pointer('zz')})`,
      'Files that are only pointers of Git LFS: "top/data/0.csv", "top/data/1.csv", "top/data/2.csv", "top/data/3.csv", "top/data/4.csv" and 2 more. Set lfs: true of actions/checkout',
    ],
    [
      'several top-level directories',
      `${pom}\nadd('other/x')\nadd('README.md')\nlink('l', 'top')`,
      'The service requires exactly one top-level directory, but it has: "top/", "other/", "README.md (a file)", "l (a link)". Zip one directory',
    ],
    [
      'files next to the top-level directory',
      `${pom}\nadd('README.md')\nlink('l', 'top')`,
      'The step assumes that the service accepts nothing next to the top-level directory, but there is: "README.md (a file)", "l (a link)". Zip one directory',
    ],
    [
      'no top-level directory',
      `add('pom.xml')`,
      'The service requires exactly one top-level directory, but it has: "pom.xml (a file)"',
    ],
    ['the Finder’s folder', `${pom}\nadd('__MACOSX/._top')`, 'the Finder adds __MACOSX/'],
    ['nothing', `pass`, 'It has no entries'],
    [
      'no build file',
      `add('top/README.md')`,
      'The service builds with Maven or Gradle, but there is no build file (pom.xml, build.gradle or settings.gradle, also with .kts or .dcl) in "top/". Pack the folder',
    ],
    [
      'a build file that is too deep',
      `add('top/suite/pom.xml')`,
      'The step assumes that the service looks for the build file directly in "top/", but it is only in subfolders: "top/suite/pom.xml". Set the input source',
    ],
    [
      'a folder named like a build file',
      `add('top/pom.xml/', b'', 0o040755)\nadd('top/x')`,
      'there is no build file',
    ],
  ])('%s', async (_, script, sentence) => {
    expect(await fault(script)).toContain(sentence)
  })
})

describe('names that lead elsewhere', () => {
  test.each([
    ['absolute', `add('/etc/passwd')`, 'entry "/etc/passwd" has an absolute name. Create the archive again'],
    ['going up', `add('top/../../x')`, 'entry "top/../../x" leads out of the archive with ".."'],
    ['with a backslash', `add('top/a\\\\b')`, 'Names with a backslash'],
    ['with a drive letter', `add('C:/x')`, 'entry "C:/x" has an absolute name'],
    ['with an empty part', `add('top//x')`, 'empty or "." part: "top//x".'],
    ['with a dot', `add('top/./x')`, 'empty or "." part: "top/./x".'],
    [
      'with a NUL',
      `add('top/aXb')\n---\npatch(lambda b: b.replace(b'aXb', b'a\\0b'))`,
      'entry "top/a b" has a NUL character in its name',
    ],
    ['nested too deep', `add('top/' + 'd/' * 200 + 'x')`, 'lies more than 64 folders deep'],
    ['too long', `add('top/' + 'n' * 300)`, 'Names longer than 255 bytes'],
    ['twice', `add('top/x', b'1')\nadd('top/x', b'2')`, 'Names that occur more than once: "top/x".'],
    ['as file and folder', `add('top/x')\nadd('top/x/')`, 'Names that occur more than once: "top/x/".'],
    ['below a file', `add('top/x')\nadd('top/x/y')`, 'Entries below a file: "top/x/y".'],
    ['below a link', `link('top/l', 'x')\nadd('top/l/y')`, 'Entries below a symbolic link: "top/l/y".'],
    [
      'not UTF-8 though it says so',
      `add('top/\\u00e9')\n---\npatch(lambda b: b.replace(b'\\xc3\\xa9', b'\\xe9\\xe9'))`,
      'Names that are not UTF-8: "top/\ufffd\ufffd".',
    ],
    ['empty', `add('')`, 'empty or "." part: "".'],
  ])('%s', async (_, script, sentence) => {
    expect(await fault(`${pom}\n${script}`)).toContain(sentence)
  })

  test('control characters in names cannot forge lines or commands', async () => {
    const message = await fault(`${pom}\nadd('/top/a\\n::error::b\\u202e')`)
    expect(message).toContain('"/top/a ::error::b"')
  })
})

describe('links and devices', () => {
  test.each([
    ['absolute', `link('top/l', '/etc/passwd')`, 'absolute target: "top/l -> /etc/passwd".'],
    ['with a drive letter', `link('top/l', 'C:\\\\x')`, 'absolute target'],
    ['leaving', `link('top/l', '../../x')`, 'leave the tree: "top/l -> ../../x".'],
    ['leaving the top-level directory only', `link('top/l', '../x')`, 'leave the tree: "top/l -> ../x".'],
    [
      'through another',
      `link('top/a', '.')\nlink('top/b', 'a/../..')`,
      '".." after another link: "top/b -> a/../..".',
    ],
    [
      'without a target',
      `link('top/l', '')`,
      'Symbolic links without a usable target: "top/l". Put the files themselves there.',
    ],
    ['with a target that is not a path', `link('top/l', 'x' * 5000)`, 'without a usable target: "top/l".'],
    ['a device', `add('top/null', b'', 0o020666)`, 'entry "top/null" is a device or pipe'],
    ['a pipe', `add('top/pipe', b'', 0o010666)`, 'entry "top/pipe" is a device or pipe'],
    ['a socket', `add('top/sock', b'', 0o140666)`, 'entry "top/sock" is a device or pipe'],
  ])('%s', async (_, script, sentence) => {
    expect(await fault(`${pom}\n${script}`)).toContain(sentence)
  })
})

describe('archives that are broken, or made to deceive', () => {
  const two = `${pom}\nadd('top/x', b'abc' * 100)`
  /** Changes bytes of the first entry: where it is, and in the list. */
  const both = (local: string, central: string) => `def f(b):\n    ${local}\n    ${central}\npatch(f)`
  test.each([
    ['an encrypted entry', both('b[6] |= 1', 'b[central(b) + 8] |= 1'), 'entry "top/pom.xml" is encrypted'],
    ['strong encryption', both('pass', 'b[central(b) + 8] |= 0x41'), 'encrypt'],
    ['data after the end', `patch(lambda b: b + b'more')`, 'extra bytes at the end of the file'],
    ['data before the start', `patch(lambda b: b'#!/bin/sh\\n' + b)`, 'is damaged'],
    ['cut short', `patch(lambda b: b[:-30])`, 'is damaged'],
    ['cut in the last record', `patch(lambda b: b[:-3])`, 'is damaged'],
    ['several parts', `def f(b): b[-18] = 1\npatch(f)`, 'multi-disk'],
    ['more entries than there are', both('b[-14] += 1', 'b[-12] += 1'), 'is damaged'],
    ['damaged data', `def f(b): b[45] ^= 0xff\npatch(f)`, 'the checksum of "top/pom.xml" is wrong. Create'],
    [
      'another checksum',
      both('b[14] ^= 1', 'b[central(b) + 16] ^= 1'),
      'the checksum of "top/pom.xml" is wrong',
    ],
    ['more content than claimed', both('b[22] -= 1', 'b[central(b) + 24] -= 1'), 'too many bytes'],
    ['less content than claimed', both('b[22] += 1', 'b[central(b) + 24] += 1'), 'not enough bytes'],
    ['no ZIP at all', `patch(lambda b: b'hello, this is a text and not a ZIP')`, 'not a zip file'],
    [
      'another method',
      `import zlib\npatch(lambda b: b.replace(bytes([8, 0]), bytes([12, 0])))`,
      'unsupported compression method: 12. Create the archive again, from one folder, with the method Deflate and',
    ],
  ])('%s', async (_, script, sentence) => {
    expect(await fault(`${two}\n---\n${script}`)).toContain(sentence)
  })

  test('an archive bomb is refused for the size that it claims, without being unpacked', async () => {
    const message = await fault(`${pom}
add('top/bomb', b'')
---
def f(b):
    for o in (b.index(b'PK\\x03\\x04', 4) + 22, central(b, 1) + 24): struct.pack_into('<I', b, o, 0xfffffff0)
patch(f)`)
    expect(message).toContain('is refused: it unpacks to more than 4.3 GB')
  })

  test('all faults are listed at once; of many faulty files, a few are named', async () => {
    const message = await fault(`add('top/x')
add('top/x')
link('top/l', '/etc')
for i in range(500): add(f'other//x{i}')`)
    expect(message).toMatch(/^ArchiveError: The archive ".*a\.zip" cannot be used, for 3 reasons:\n- /)
    for (const part of ['more than once', '"other//x4" and 495 more', 'exactly one top-level']) {
      expect(message).toContain(part)
    }
    expect(message.length).toBeLessThan(1500)
  })
})

describe('size', () => {
  test('a large file that is not a ZIP is refused without being read', async () => {
    await writeFile(at.at('holes'), '')
    await truncate(at.at('holes'), 2 ** 40)
    expect(await messageOf(preflight(at.at('holes')))).toContain('not a zip file')
  })

  test('a missing file, an empty one and a folder', async () => {
    await writeFile(at.at('empty.zip'), '')
    expect(await messageOf(preflight(at.at('none.zip')))).toMatch(
      /none\.zip" does not exist\. Check the input source/,
    )
    expect(await messageOf(preflight(at.at('empty.zip')))).toContain('is empty')
    expect(await messageOf(preflight(at.path))).toContain('is not a file')
  })
})

const entriesOf = (...names: string[]) => names.map((name) => ({ name, bytes: 9 }))
const packedAs = { name: 'top', sha512: 'ab', entries: entriesOf('top/pom.xml') }
const packed = (more: Partial<PackedArchive>): PackedArchive => ({
  ...{ path: '/none.zip', files: 1, bytes: 9, uncompressedBytes: 9 },
  ...{ ...packedAs, notices: [], leftOut: [], unused: [], absent: [], ...more },
})

test('what the step has just written is checked without being read', () => {
  expect(archiveLimitBytes).toBe(100_000_000)
  const bytes = archiveLimitBytes + 1
  expect(preflightPacked(packed({ bytes: archiveLimitBytes }))).not.toHaveProperty('large')
  const files = Array.from({ length: 12 }, (_, at) => ({ name: `top/f${at + 1}`, bytes: (at + 1) * 1000 }))
  const listed = preflightPacked(
    packed({ bytes, entries: [...entriesOf('top/pom.xml'), ...files] }),
  ).large?.match(/(?<=^- "top\/f)\d+/gm)
  expect(listed).toEqual(['12', '11', '10', '9', '8', '7', '6', '5', '4', '3'])
  expect(preflightPacked(packed({ bytes, entries: entriesOf('top/.env', 'top/pom.xml') }))).toEqual({
    ...{ path: '/none.zip', name: 'top', files: 2, bytes, sha512: 'ab', suspicious: ['top/.env'] },
    large: expect.stringMatching(/may refuse it.*\n- "top\/pom.xml" \(9 bytes\)$/s) as string,
  })
  const entries = [...entriesOf('top/a/pom.xml'), { name: 'top/b', bytes: 9, isPointer: true }]
  expect(() => preflightPacked(packed({ entries }))).toThrow(
    /code archive cannot be used, for 2 reasons:.*only in subfolders: "top\/a\/pom.xml".*pointers of Git LFS: "b"/s,
  )
  expect(() => preflightPacked(packed({ entries: entriesOf('top/x') }))).toThrow('there is no build file')
})

test('a signal ends it', async () => {
  const reason = new Error('cancelled')
  await expect(preflight(await made(pom), AbortSignal.abort(reason))).rejects.toBe(reason)
})

test('whatever bytes are changed, it ends in a result or in an ArchiveError', async () => {
  const { refused } = await refusedMutants(at, 60)
  // Most changes matter; a few change times, or write the same bytes.
  expect(refused).toBeGreaterThan(40)
})

// The step and the local service judge an archive alike, as long as the service does what the step assumes.
const project = 'suite/pom.xml'
test.each<[string[], boolean]>([
  ...['pom.xml', 'build.gradle', 'build.gradle.kts', 'build.gradle.dcl'].map((name): [string[], boolean] => [
    [`suite/${name}`],
    true,
  ]),
  ...['settings.gradle', 'settings.gradle.kts', 'settings.gradle.dcl'].map((name): [string[], boolean] => [
    [`suite/${name}`],
    true,
  ]),
  ...['settings.gradle.bak', 'build.gradle.old', 'pom.xml.dcl', 'Pom.xml', 'gradle.dcl', 'README.md'].map(
    (name): [string[], boolean] => [[`suite/${name}`], false],
  ),
  [['suite/core/pom.xml'], false],
  [[project, 'README.md'], false],
  [[project, '.DS_Store'], false],
  [[project, 'other/a'], false],
  [[project, 'suite.txt'], false],
  [['pom.xml'], false],
  [[project, 'suite/deep/er/a'], true],
])('an archive of %j is accepted by both: %s', async (names, isAccepted) => {
  const file = at.at('rules.zip')
  await writeFile(file, zipOf(names.map((name) => [name, 'x'])))
  const accepts = async (judged: Promise<unknown>) =>
    judged.then(
      () => true,
      () => false,
    )
  expect([await accepts(preflight(file)), await accepts(checkCodeArchive(file, asAssumed))]).toEqual([
    isAccepted,
    isAccepted,
  ])
})
