import { once } from 'node:events'
import { chown, lstat, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'

import { cause } from '../../src/archive/faults.js'
import { listFiles, type ListOptions } from '../../src/archive/listing.js'
import { Folder, messageOf, python, run } from './folder.js'

let at: Folder
beforeEach(async () => {
  at = await Folder.make()
})
afterEach(() => at.remove())

const names = async (source: string, options: Partial<ListOptions> = {}): Promise<string[]> =>
  (await listFiles(source, { exclude: [], ...options })).files.map((file) => file.name)

/** Empty files, by their names with blanks between them. */
const empty = (all: string) => Object.fromEntries(all.split(' ').map((name) => [name, '']))

describe('in a Git repository', () => {
  test('tracked and untracked files are listed, ignored and deleted ones are not', async () => {
    await at.write({
      '.gitignore': '*.log\n/cache/\n',
      'pom.xml': '<project/>',
      'src/A.java': 'A',
      'gone.txt': '',
    })
    await at.commitAll()
    await at.write({
      'new.txt': 'n',
      'a.log': 'l',
      'cache/x': 'x',
      'src/B.java': 'B',
      'src/A.java': 'changed',
    })
    await rm(at.at('gone.txt'))
    const { files, absent } = await listFiles(at.path, { exclude: [] })
    expect(absent).toEqual(['gone.txt'])
    expect(files.map((f) => f.name)).toEqual(['.gitignore', 'new.txt', 'pom.xml', 'src/A.java', 'src/B.java'])
    expect(files.find((f) => f.name === 'src/A.java')?.bytes).toBe('changed'.length)
  })

  test('build products and IDE folders are left out, unless Git tracks them', async () => {
    await at.write({ 'pom.xml': '', 'target/tracked.txt': '', '.idea/codeStyle.xml': '' })
    await at.commitAll()
    await at.write(
      empty('target/classes/A.class module/target/B.class build/libs/x.jar results/r1/timers.csv'),
    )
    await at.write(empty('.idea/workspace.xml .vscode/settings.json .settings/org.eclipse.prefs'))
    await at.write(empty('sub/.svn/entries targets/kept.txt'))
    const { files, leftOut } = await listFiles(at.path, { exclude: [] })
    const kept = '.idea/codeStyle.xml pom.xml target/tracked.txt targets/kept.txt'
    expect(files.map((f) => f.name).join(' ')).toBe(kept)
    expect(leftOut.join(' ')).toBe('.idea/ .settings/ .vscode/ build/ module/target/ results/ target/')
  })

  test('exclude also applies to tracked files, supports comments, negation and case, and can include build folders', async () => {
    await at.write({ 'a.csv': '', 'keep.csv': '', 'A.CSV': '', 'docs/x.md': '', 'src/build/T.java': '' })
    await at.commitAll()
    await at.write({ 'lib/build/new.txt': '' })
    expect(
      await names(at.path, { exclude: ['# data', '*.csv', '!keep.csv', 'docs/', '!lib/build/'] }),
    ).toEqual(['A.CSV', 'keep.csv', 'lib/build/new.txt', 'src/build/T.java'])
  })

  test('for a subfolder only its files are listed', async () => {
    await at.write({ 'work/suite/pom.xml': '', 'work/suite/.gitignore': 'x\n', 'work/other/file': '' })
    await at.commitAll('work')
    await at.write({ 'work/suite/x': '', 'work/suite/new': '' })
    const listing = await listFiles(at.at('work/suite'), { exclude: [] })
    expect(listing.files.map((f) => f.name)).toEqual(['.gitignore', 'new', 'pom.xml'])
  })

  test('files of submodules are listed recursively, and a missing submodule causes a notice', async () => {
    await at.write({ ...empty('inner/deep.txt middle/m.txt outer/pom.xml'), 'middle/.gitignore': '*.tmp\n' })
    for (const name of ['inner', 'middle', 'outer']) await at.commitAll(name)
    await at.git('middle', 'submodule', 'add', '-q', at.at('inner'), 'in')
    await at.git('middle', 'commit', '-q', '-m', 'in')
    await at.git('outer', 'submodule', 'add', '-q', at.at('middle'), 'mid')
    await at.git('outer', 'commit', '-q', '-m', 'mid')
    const before = await listFiles(at.at('outer'), { exclude: [] })
    expect(before.notices).toEqual([expect.stringMatching(/^The submodule "mid\/in" is not checked out/)])
    await at.git('outer', 'submodule', '--quiet', 'update', '--init', '--recursive')
    await at.write({ 'outer/mid/new.txt': '', 'outer/mid/x.tmp': '' })
    const listing = await listFiles(at.at('outer'), { exclude: [] })
    expect(listing.notices).toEqual([])
    expect(listing.files.map((f) => f.name).join(' ')).toBe(
      '.gitmodules mid/.gitignore mid/.gitmodules mid/in/deep.txt mid/m.txt mid/new.txt pom.xml',
    )
    expect(await names(at.at('outer'), { exclude: ['mid/'] })).toEqual(['.gitmodules', 'pom.xml'])
  })

  test('an untracked repository inside is listed by its own rules, and causes a notice', async () => {
    await at.write({ 'pom.xml': '' })
    await at.commitAll()
    await at.write({ 'nested/.gitignore': 'x\n', 'nested/x': '', 'nested/y': '' })
    await at.commitAll('nested')
    const listing = await listFiles(at.path, { exclude: [] })
    expect(listing.files.map((f) => f.name)).toEqual(['nested/.gitignore', 'nested/y', 'pom.xml'])
    expect(listing.notices).toEqual([expect.stringContaining('"nested/"')])
    expect(await names(at.path, { exclude: ['nested'] })).toEqual(['pom.xml'])
  })

  test('a file with a merge conflict is listed once', async () => {
    await at.write({ 'a.txt': '1\n' })
    await at.commitAll()
    await at.git('', 'checkout', '-q', '-b', 'other')
    await at.write({ 'a.txt': '2\n' })
    await at.git('', 'commit', '-qam', 'two')
    await at.git('', 'checkout', '-q', 'main')
    await at.write({ 'a.txt': '3\n' })
    await at.git('', 'commit', '-qam', 'three')
    await expect(at.git('', 'merge', '-q', 'other')).rejects.toThrow()
    expect((await at.git('', 'ls-files')).match(/a\.txt/g)).toHaveLength(3)
    expect(await names(at.path)).toEqual(['a.txt'])
  })

  test('tracked files below a folder that became a link are gone, as they are to Git', async () => {
    await at.write({ 'dir/f.txt': 'tracked', 'other/f.txt': 'another' })
    await at.commitAll()
    await rm(at.at('dir'), { recursive: true })
    await at.link('dir', 'other')
    expect(await names(at.path)).toEqual(['dir', 'other/f.txt'])
  })

  test('a file that became a folder, and a folder that became a file, are packed as they are now', async () => {
    await at.write({ a: '', 'b/c': '' })
    await at.commitAll()
    await rm(at.at('a'))
    await rm(at.at('b'), { recursive: true })
    await at.write({ 'a/new': '', b: '' })
    expect(await names(at.path)).toEqual(['a/new', 'b'])
  })

  test('exec bits come from disk, or from the index if the disk has none', async () => {
    await at.write({ mvnw: '', 'tool.sh': '' }, 0o755)
    await at.write({ 'plain.txt': '' }, 0o664)
    await at.commitAll()
    await at.write({ mvnw: '', 'tool.sh': '' }, 0o644)
    await at.write({ 'plain.txt': '' }, 0o777)
    await at.write({ 'sub/gradlew': '', 'new.sh': '' }, 0o644)
    const executables = async (options: Partial<ListOptions>): Promise<string[]> =>
      (await listFiles(at.path, { exclude: [], ...options })).files
        .filter((f) => f.executable)
        .map((f) => f.name)
    expect(await executables({ modes: 'disk' })).toEqual(['plain.txt'])
    expect(await executables({ modes: 'index' })).toEqual(['mvnw', 'sub/gradlew', 'tool.sh'])
    await at.git('', 'config', 'core.fileMode', 'false')
    expect(await executables({ modes: 'disk' })).toEqual(['mvnw', 'sub/gradlew', 'tool.sh'])
  })

  test('if the file system has no links, they are read from their text', async () => {
    await at.write({ 'a.txt': 'a' })
    await at.link('l', 'a.txt')
    await at.commitAll()
    await at.git('', 'config', 'core.symlinks', 'false')
    await rm(at.at('l'))
    await at.git('', 'checkout', '-q', '--', 'l')
    expect((await lstat(at.at('l'))).isFile()).toBe(true)
    const { files } = await listFiles(at.path, { exclude: [] })
    expect(files.find((f) => f.name === 'l')?.target).toBe('a.txt')
  })

  // Only root can give files away.
  const testAsRoot = process.getuid?.() === 0 ? test : test.skip
  testAsRoot('a workspace that belongs to another user is listed all the same', async () => {
    await at.write({ 'pom.xml': '', '.gitignore': 'x\n', x: '' })
    await at.commitAll()
    await chown(at.path, 65534, 65534)
    await chown(at.at('.git'), 65534, 65534)
    await expect(at.git('', 'status')).rejects.toThrow('dubious ownership')
    expect(await names(at.path)).toEqual(['.gitignore', 'pom.xml'])
  })

  test.each<[string, (name: string) => Promise<unknown>, string]>([
    ['a pipe', (name) => run('mkfifo', [name]), 'it is a pipe, not a file'],
    ['a link to a device', (name) => symlink('/dev/zero', name), 'it is a device, not a file'],
    ['a folder', (name) => mkdir(name), 'it is a folder, not a file'],
    ['huge', (name) => truncate(name, 3e9), 'it has 3.0 GB, and at most 2.0 MB are read'],
  ])('a file that Git would read is refused at once if it is %s', async (_, make, sentence) => {
    await at.write({ 'work/pom.xml': '', 'work/d/e/f.txt': '' })
    await at.commitAll('work')
    for (const name of ['work/.git/info/exclude', 'work/.gitignore']) {
      const large = sentence.includes('GB')
      if (large && name.includes('.git/')) continue
      await rm(at.at(name), { force: true })
      if (large) await at.write({ [name]: '' })
      await make(at.at(name))
      const message = await messageOf(listFiles(at.at('work'), { exclude: [] }))
      expect(message).toContain(`A file that Git needs cannot be read: ${sentence}: "${at.at(name)}".`)
      // Git also reads those above the packed folder.
      if (name.endsWith('work/.gitignore'))
        expect(await messageOf(listFiles(at.at('work/d'), { exclude: [] }))).toContain(sentence)
      await rm(at.at(name), { recursive: true })
    }
    expect(await names(at.at('work'))).toEqual(['d/e/f.txt', 'pom.xml'])
  })

  test('files that core.worktree places elsewhere are an error', async () => {
    await at.write({ 'repo/pom.xml': '', 'elsewhere/x': '' })
    await at.commitAll('repo')
    await at.write({ 'repo/new.txt': '' })
    await at.git('repo', 'config', 'core.worktree', at.at('elsewhere'))
    expect(await messageOf(listFiles(at.at('repo'), { exclude: [] }))).toContain(
      `keeps its files in another folder, as its setting core.worktree says: "${at.at('elsewhere')}". Remove`,
    )
    await at.git('repo', 'config', 'core.worktree', '../../repo')
    expect(await names(at.at('repo'))).toEqual(['new.txt', 'pom.xml'])
  })

  test('paths that the system does not accept are an error, unless they are left out', async () => {
    await at.write({ 'pom.xml': '', 'sub/pom.xml': '' })
    await at.commitAll()
    await python(
      `
import os, sys
os.chdir(sys.argv[1])
for i in range(22):
    os.mkdir('x' * 200)
    os.chdir('x' * 200)
open('lost.txt', 'w').close()
`,
      at.at('sub'),
    )
    try {
      const message = await messageOf(listFiles(at.path, { exclude: [] }))
      expect(message).toMatch(/Folders that Git cannot open \(its path is too long\): "sub\/xxx[^"]+"\. Make/)
      expect(await messageOf(listFiles(at.at('sub'), { exclude: [] }))).toMatch(/: "xxx[^"]+"\. Make/)
      expect(await names(at.path, { exclude: ['xx*/'] })).toEqual(['pom.xml', 'sub/pom.xml'])
    } finally {
      await run('rm', ['-rf', at.at('sub')])
    }
  })

  /** @param path of programs */
  async function faultWith(path: string, source: string): Promise<string> {
    const before = process.env.PATH
    process.env.PATH = path
    return messageOf(listFiles(source, { exclude: [] })).finally(() => (process.env.PATH = before))
  }

  test('all folders that Git cannot open are one reason', async () => {
    await at.write({ 'w/pom.xml': '' })
    await at.commitAll('w')
    const said = "warning: could not open directory '%s/': Permission denied\\n"
    const real = `PATH='${process.env.PATH ?? ''}' exec git "$@"`
    await at.write({ 'bin/git': `#!/bin/sh\nprintf "${said}" a b >&2\n${real}\n` }, 0o755)
    expect(await faultWith(at.at('bin'), at.at('w'))).toContain(
      'cannot be packed. Folders that Git cannot open (Permission denied): "a", "b", "a", "b". Make',
    )
  })

  test('without git, a repository is an error, so ignored files are never packed', async () => {
    await at.write({ 'pom.xml': '', '.gitignore': 'secret\n', secret: '' })
    await at.commitAll()
    expect(await faultWith(at.at('nowhere'), at.path)).toMatch(
      /^ArchiveError: .*the program git was not found.*Install git/,
    )
  })

  test('a broken repository is an error that quotes git', async () => {
    await at.write({ 'pom.xml': '', '.git': 'gitdir: /nowhere/at/all\n' })
    expect(await messageOf(listFiles(at.path, { exclude: [] }))).toMatch(
      /Git could not list the files of .*not a git repository/,
    )
  })
})

describe('outside Git', () => {
  test('every file except metadata and build products is listed', async () => {
    const left = '.svn/entries sub/.hg/store target/a m/build/b results/c .idea/d'
    await at.write({ ...empty(`pom.xml src/A.java ünï/ß.txt ${left}`), '.gitignore': '*.java\n' })
    const listing = await listFiles(at.path, { exclude: ['!.svn/'] })
    expect(listing.files.map((f) => f.name)).toEqual(['.gitignore', 'pom.xml', 'src/A.java', 'ünï/ß.txt'])
    expect(listing.leftOut).toEqual(['.idea/', 'm/build/', 'results/', 'target/'])
  })

  test('a repository in a subfolder keeps its own rules', async () => {
    await at.write({ 'app/.gitignore': 'secret\n', 'app/secret': '', 'app/pom.xml': '', 'other.txt': '' })
    await at.commitAll('app')
    const listing = await listFiles(at.path, { exclude: [] })
    expect(listing.files.map((f) => f.name)).toEqual(['app/.gitignore', 'app/pom.xml', 'other.txt'])
    expect(listing.notices).toHaveLength(1)
  })

  test('sockets and pipes are refused by name', async () => {
    await at.write({ 'pom.xml': '' })
    await run('mkfifo', [at.at('pipe')])
    const server = createServer().listen(at.at('socket'))
    await once(server, 'listening')
    const message = await messageOf(listFiles(at.path, { exclude: [] }))
    server.close()
    expect(message).toContain('Sockets, pipes and devices: "pipe", "socket". Remove them')
    expect(await names(at.path, { exclude: ['pipe', 'socket'] })).toEqual(['pom.xml'])
  })

  test('a source that is missing, or is a file, is refused', async () => {
    await at.write({ 'a.zip': '' })
    expect(await messageOf(listFiles(at.at('none'), { exclude: [] }))).toContain('does not exist')
    expect(await messageOf(listFiles(at.at('a.zip'), { exclude: [] }))).toContain('which is a file')
  })

  test('the source may be given as a link', async () => {
    await at.write({ 'real/pom.xml': '' })
    await at.link('via', 'real')
    expect(await names(at.at('via'))).toEqual(['pom.xml'])
  })

  test('a signal ends the listing', async () => {
    await at.write({ 'pom.xml': '' })
    const reason = new Error('cancelled')
    await expect(listFiles(at.path, { exclude: [], signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await at.commitAll()
    await expect(listFiles(at.path, { exclude: [], signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

describe('names and links', () => {
  test.each([false, true])('all faults are reported together (in Git: %s)', async (inGit) => {
    await at.write({ 'w/pom.xml': '', 'w/a\\b': '', 'outside.txt': '' })
    await writeFile(Buffer.concat([Buffer.from(at.at('w/caf')), Buffer.from([0xe9])]), '')
    await at.link('w/abs', '/etc/passwd')
    await at.link('w/up', '../outside.txt')
    await symlink(Buffer.from([0x78, 0xff]), at.at('w/raw'))
    if (inGit) await at.commitAll('w')
    const message = await messageOf(listFiles(at.at('w'), { exclude: [] }))
    expect(message).toMatch(/^ArchiveError: The folder ".*" cannot be packed, for 5 reasons:\n/)
    expect(message).toContain('not UTF-8: "caf\\xe9".')
    expect(message).toContain('backslash, which is a separator on some systems only: "a\\b".')
    expect(message).toContain('Symbolic links with an absolute target: "abs -> /etc/passwd".')
    expect(message).toContain('Symbolic links that leave the tree: "up -> ../outside.txt".')
    expect(message).toContain('Symbolic links whose target is not UTF-8: "raw".')
  })

  test.each([false, true])(
    'a name that is not UTF-8 can be left out, and a colon does not make a drive (in Git: %s)',
    async (inGit) => {
      await at.write({ 'pom.xml': '', 'a:b': '', 'z:/x': '' })
      await mkdir(Buffer.concat([Buffer.from(at.at('d')), Buffer.from([0xff, 0xfe])]))
      await writeFile(
        Buffer.concat([Buffer.from(at.at('d')), Buffer.from([0xff, 0xfe]), Buffer.from('/f')]),
        '',
      )
      await writeFile(
        Buffer.concat([Buffer.from(at.at('caf')), Buffer.from([0xe9]), Buffer.from('.txt')]),
        '',
      )
      if (inGit) await at.commitAll()
      const message = await messageOf(listFiles(at.path, { exclude: [] }))
      expect(message).toContain('"caf\\xe9.txt"')
      expect(await names(at.path, { exclude: ['caf*.txt', 'd??/'] })).toEqual(['a:b', 'pom.xml', 'z:/x'])
    },
  )

  test('a link that leaves through another one is caught, packed or not', async () => {
    await at.write({ 'w/x/y/z.txt': '', 'secret.txt': '' })
    await at.link('w/deep', 'x/y')
    // By the file system this stays inside, since deep is two levels down.
    await at.link('w/x/esc', '../deep/../../../secret.txt')
    expect(await messageOf(listFiles(at.at('w'), { exclude: [] }))).toContain('"x/esc -> ')
    await rm(at.at('w/x/esc'))
    await at.link('w/hidden', '..')
    await at.link('w/via', 'hidden/secret.txt')
    expect(await messageOf(listFiles(at.at('w'), { exclude: ['/hidden'] }))).toContain(
      '"via -> hidden/secret.txt"',
    )
  })
})

test('names are sorted by their bytes, not by locale or UTF-16', async () => {
  await at.write({ b: '', B: '', 'a/x': '', 'a-b': '', 'a.b': '', '\u{1F600}': '', '\uFF5E': '', é: '' })
  const expected = (await names(at.path)).toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)))
  expect(await names(at.path)).toEqual(expected)
  expect(expected.indexOf('\uFF5E')).toBeLessThan(expected.indexOf('\u{1F600}'))
})

test('why a file cannot be read is said without the path of this machine', () => {
  const gone = new Error("ENOENT: no such file or directory, scandir '/home/runner/work'")
  expect(cause(gone)).toBe('ENOENT: no such file or directory')
})
