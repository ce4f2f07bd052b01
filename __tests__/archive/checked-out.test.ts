import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { checkedOut } from '../../src/archive/git.js'
import { ownFolder } from '../own-folder.js'

let top: string
beforeEach(() => {
  top = mkdtempSync(path.join(tmpdir(), 'checked-out-'))
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

const hash = 'a'.repeat(40)
const at = (...names: string[]) => path.join(top, ...names)
const own = [
  'user.name=t',
  'user.email=t@example.com',
  'protocol.file.allow=always',
  'maintenance.auto=false',
]
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', [...own.flatMap((one) => ['-c', one]), ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim()

function twoCommits(folder: string, ...init: string[]): string {
  git(folder, 'init', '-q', '-b', 'main', ...init)
  for (const text of ['one', 'two']) git(folder, 'commit', '--allow-empty', '-qm', text)
  return git(folder, 'rev-parse', 'HEAD')
}

const made = ownFolder()
const head = twoCommits(made)

/** A repository with two commits on main, made once. @returns the latest */
function repository(folder: string): string {
  cpSync(made, folder, { recursive: true })
  return head
}

const commitAt = (folder: string) => checkedOut(folder, top)?.commit

test('a branch, then a detached HEAD, as actions/checkout leaves it', () => {
  const latest = repository(top)
  expect(checkedOut(top, top)).toEqual({ commit: latest })
  const before = git(top, 'rev-parse', 'HEAD~1')
  git(top, 'checkout', '-q', '--detach', before)
  expect(commitAt(top)).toBe(before)
})

test('packed refs, also of a branch whose name begins another one', () => {
  const latest = repository(top)
  git(top, 'branch', 'main-2', 'HEAD~1')
  git(top, 'branch', 'x/main', 'HEAD~1')
  git(top, 'tag', '-am', 'annotated', 'v1')
  git(top, 'pack-refs', '--all')
  expect(commitAt(top)).toBe(latest)
  git(top, 'checkout', '-q', 'main-2')
  expect(commitAt(top)).toBe(git(top, 'rev-parse', 'HEAD~0'))
  expect(commitAt(top)).not.toBe(latest)
})

test('a folder below, a nested repository with hashes of 64 digits, and none', () => {
  const latest = repository(at('shop'))
  mkdirSync(at('shop', 'suite', 'config'), { recursive: true })
  expect(commitAt(at('shop', 'suite', 'config'))).toBe(latest)
  const nested = twoCommits(at('shop', 'suite'), '--object-format=sha256')
  expect(nested).toHaveLength(64)
  expect(commitAt(at('shop', 'suite', 'config'))).toBe(nested)
  mkdirSync(at('empty'))
  expect(checkedOut(at('empty'), top)).toBeUndefined()
  expect(checkedOut(at('nowhere'), top)).toBeUndefined()
})

test('what lies above the workspace is not asked, unless the folder lies outside', () => {
  const latest = repository(top)
  mkdirSync(at('workspace', 'source'), { recursive: true })
  mkdirSync(at('other'))
  expect(checkedOut(at('workspace', 'source'), at('workspace'))).toBeUndefined()
  expect(checkedOut(at('workspace'), at('workspace'))).toBeUndefined()
  expect(checkedOut(at('other'), at('workspace'))?.commit).toBe(latest)
})

test('a worktree and a submodule, whose .git is a file', () => {
  const latest = repository(at('shop'))
  git(at('shop'), 'worktree', 'add', '-q', '-b', 'side', at('side'), 'HEAD~1')
  const before = git(at('shop'), 'rev-parse', 'HEAD~1')
  expect(commitAt(at('side'))).toBe(before)
  git(at('shop'), 'pack-refs', '--all')
  expect(commitAt(at('side'))).toBe(before)
  expect(commitAt(at('shop'))).toBe(latest)

  const suite = repository(at('suite'))
  git(at('shop'), 'submodule', '--quiet', 'add', at('suite'), 'suite')
  git(at('shop'), 'commit', '-qm', 'suite')
  expect(commitAt(at('shop', 'suite'))).toBe(suite)
  expect(commitAt(at('shop'))).not.toBe(suite)
})

test.each([
  ['https://github.com/shop/webshop', 'shop/webshop'],
  ['https://github.com/shop/webshop.git', 'shop/webshop'],
  ['https://user:token@git.example.com:8443/git/shop/webshop.git/', 'shop/webshop'],
  ['git@github.com:shop/webshop.git', 'shop/webshop'],
  ['ssh://git@github.com:22/shop/webshop.git', 'shop/webshop'],
  ['/srv/git/webshop', undefined],
  ['../webshop', undefined],
  ['file:///srv/git/webshop', undefined],
  ['https://github.com/webshop', undefined],
])('the remote %s', (url, name) => {
  repository(top)
  const remote = (of: string, address: string) =>
    `[remote "${of}"]\r\n\turl = ${address}\r\n\tfetch = +refs/heads/*:refs/remotes/${of}/*\r\n`
  const others = ['backup', 'third'].map((of) => remote(of, `https://github.com/other/${of}`))
  writeFileSync(at('.git', 'config'), others.join(remote('origin', url)))
  expect(checkedOut(top, top)?.repository).toBe(name)
})

test('no program of the repository is started', () => {
  const latest = repository(top)
  const trap = at('trap.sh')
  writeFileSync(trap, `#!/bin/sh\ntouch ${at('sprung')}\n`)
  chmodSync(trap, 0o755)
  for (const name of ['core.fsmonitor', 'core.sshCommand', 'core.pager', 'alias.rev-parse']) {
    git(top, 'config', name, name.startsWith('alias') ? `!${trap}` : trap)
  }
  appendFileSync(at('.git', 'config'), `[include]\n\tpath = ${at('more')}\n[core]\n\tworktree = /\n`)
  writeFileSync(at('more'), '[remote "origin"]\n\turl = https://github.com/evil/evil\n')
  expect(checkedOut(top, top)).toEqual({ commit: latest })
  expect(existsSync(at('sprung'))).toBe(false)
})

test.each<[string, string | ((head: string) => unknown)]>([
  ['a HEAD that is a pipe', (head) => execFileSync('mkfifo', [head])],
  ['a HEAD that is a device', (head) => symlinkSync('/dev/zero', head)],
  ['a HEAD that is a folder', (head) => mkdirSync(head)],
  ['a HEAD of 5 kB', `${hash}\n${'\0'.repeat(5000)}`],
  ['no HEAD', () => undefined],
  ['an empty HEAD', ''],
  ['a short hash', 'aaaaaaa\n'],
  ['text after the hash', `${hash} x\n`],
  ['a branch without a commit', 'ref: refs/heads/new\n'],
  ['a ref outside of refs', 'ref: outside\n'],
  ['a ref that leaves refs', 'ref: refs/heads/../../outside\n'],
  ['refs that name each other', 'ref: refs/heads/a\n'],
  ['the format reftable', 'ref: refs/heads/.invalid\n'],
])('%s says nothing', (_, made) => {
  mkdirSync(at('.git', 'refs', 'heads'), { recursive: true })
  writeFileSync(at('.git', 'outside'), `${hash}\n`)
  writeFileSync(at('.git', 'refs', 'heads', 'a'), 'ref: refs/heads/b\n')
  writeFileSync(at('.git', 'refs', 'heads', 'b'), 'ref: refs/heads/a\n')
  if (typeof made === 'string') writeFileSync(at('.git', 'HEAD'), made)
  else made(at('.git', 'HEAD'))
  expect(checkedOut(top, top)).toBeUndefined()
})

test.each(['gitdir: /nowhere\n', 'gitdir: \n', 'gitdir', '', '\0'])(
  'a .git file with %j says nothing',
  (text) => {
    writeFileSync(at('.git'), text)
    expect(checkedOut(top, top)).toBeUndefined()
  },
)

test('a symbolic ref, and packed refs in another order', () => {
  const latest = repository(top)
  git(top, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main')
  git(top, 'symbolic-ref', 'HEAD', 'refs/heads/alias')
  expect(commitAt(top)).toBe(latest)
  rmSync(at('.git', 'refs'), { recursive: true })
  mkdirSync(at('.git', 'refs', 'heads'), { recursive: true })
  writeFileSync(at('.git', 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(at('.git', 'packed-refs'), `${latest} refs/heads/main\n${hash} refs/heads/main-2\n`)
  expect(commitAt(top)).toBe(latest)
})

test('a link to a repository is followed, as Git does', () => {
  const latest = repository(at('shop'))
  mkdirSync(at('linked'))
  symlinkSync(at('shop', '.git'), at('linked', '.git'))
  expect(commitAt(at('linked'))).toBe(latest)
  cpSync(at('shop'), at('copied'), { recursive: true })
  expect(commitAt(at('copied'))).toBe(latest)
})
