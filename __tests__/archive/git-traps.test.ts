import { existsSync, readFileSync } from 'node:fs'
import { chmod, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { daily, share } from '../daily.js'
import { listFiles } from '../../src/archive/listing.js'
import { Folder, python, run } from './folder.js'

/** A repository `repo` whose settings name a program that leaves a trace, in every way that Git offers. */
let at: Folder
beforeEach(async () => {
  at = await Folder.make()
  await at.write({ 'trap.sh': `#!/bin/sh\necho sprung >> '${at.at('trace')}'\n` }, 0o755)
  await at.write({ 'repo/pom.xml': '<project/>', 'repo/in/a.txt': 'a', 'repo/out/b.txt': 'b' })
  await at.commitAll('repo')
})
afterEach(() => at.remove())

const trap = () => at.at('trap.sh')
const sprung = () => existsSync(at.at('trace'))
const set = (key: string, value: string, repo = 'repo') => at.git(repo, 'config', key, value)
const hook = (name: string) => at.write({ [`repo/.git/hooks/${name}`]: readFileSync(trap(), 'utf8') }, 0o755)

/** What plain git does with the trap; whether it fails does not matter. */
const git = (...args: string[]) => at.git('repo', ...args).catch(() => '')

/** As a user at a terminal sees it. */
const inTerminal = (...args: string[]) =>
  python('import pty, sys; pty.spawn(sys.argv[1:])', 'git', '-C', at.at('repo'), ...args).catch(() => '')

/** A part of the tree is not checked out and its objects are missing, because the remote promised to have them. */
async function promised(repo: string): Promise<void> {
  await at.git(repo, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'in')
  const tree = (await at.git(repo, 'rev-parse', 'HEAD:out')).trim()
  await rm(at.at(`${repo}/.git/objects/${tree.slice(0, 2)}/${tree.slice(2)}`))
  await set('core.repositoryFormatVersion', '1', repo)
  await set('extensions.partialClone', 'origin', repo)
  await set('remote.origin.promisor', 'true', repo)
}

type Trap = [name: string, lay: () => Promise<unknown>, spring: () => Promise<unknown>]

/** Settings that make Git start a program for objects that are missing. */
const fetchingBy: Record<string, () => Record<string, string>> = {
  'core.sshCommand': () => ({ 'remote.origin.url': 'ssh://nowhere.invalid/x', 'core.sshCommand': trap() }),
  'remote.origin.uploadpack': () => ({
    ...{ 'remote.origin.url': at.at('repo'), 'remote.origin.uploadpack': trap() },
  }),
  'an ext:: remote': () => ({ 'remote.origin.url': `ext::${trap()}`, 'protocol.ext.allow': 'always' }),
  'a remote helper': () => ({
    ...{ 'remote.origin.vcs': 'ext', 'remote.origin.url': trap(), 'protocol.ext.allow': 'always' },
  }),
  'core.gitProxy': () => ({ 'remote.origin.url': 'git://nowhere.invalid/x', 'core.gitProxy': trap() }),
}
const fetching = Object.entries(fetchingBy).map(([name, settings]): Trap => {
  const lay = async () => {
    await promised('repo')
    for (const [key, value] of Object.entries(settings())) await set(key, value)
  }
  return [name, lay, () => git('ls-files')]
})

const fillCredentials = () =>
  run('sh', ['-c', `echo url=https://nowhere.invalid | git -C '${at.at('repo')}' credential fill`], {
    GIT_TERMINAL_PROMPT: '0',
  }).catch(() => '')
const others = () => git('ls-files', '--others')

const traps: Trap[] = [
  ['core.fsmonitor', () => set('core.fsmonitor', trap()), others],
  ['the hook post-index-change', () => hook('post-index-change'), () => git('read-tree', 'HEAD')],
  [
    'core.hooksPath',
    async () => {
      await at.write({ 'repo/hooks/post-index-change': readFileSync(trap(), 'utf8') }, 0o755)
      await set('core.hooksPath', 'hooks')
    },
    () => git('read-tree', 'HEAD'),
  ],
  ...(['clean', 'smudge', 'process'] as const).map<Trap>((kind) => [
    `filter.*.${kind}`,
    async () => {
      await at.write({ 'repo/.gitattributes': '* filter=trap\n' })
      await set(`filter.trap.${kind}`, trap())
    },
    async () => {
      await at.write({ 'repo/pom.xml': 'changed' })
      await (kind === 'clean' ? git('add', 'pom.xml') : git('checkout', '--', 'pom.xml'))
    },
  ]),
  [
    'diff.*.textconv',
    async () => {
      await at.write({ 'repo/.gitattributes': '* diff=trap\n' })
      await set('diff.trap.textconv', trap())
    },
    () => git('show'),
  ],
  [
    'diff.external',
    () => set('diff.external', trap()),
    async () => {
      await at.write({ 'repo/pom.xml': 'changed' })
      await git('diff')
    },
  ],
  ['core.pager', () => set('core.pager', trap()), () => inTerminal('log')],
  ['pager.ls-files', () => set('pager.ls-files', trap()), () => inTerminal('ls-files')],
  ['an alias', () => set('alias.other', `!${trap()}`), () => git('other')],
  [
    'an alias of the command itself, which Git ignores',
    async () => {
      for (const command of ['ls-files', 'config', 'rev-parse', 'other'])
        await set(`alias.${command}`, `!${trap()}`)
    },
    () => git('other'),
  ],
  ['credential.helper', () => set('credential.helper', trap()), fillCredentials],
  ['core.askPass', () => set('core.askPass', trap()), fillCredentials],
  [
    'core.alternateRefsCommand',
    async () => {
      await at.write({ 'other/x': '' })
      await at.commitAll('other')
      await at.write({ 'repo/.git/objects/info/alternates': `${at.at('other/.git/objects')}\n` })
      await set('core.alternateRefsCommand', trap())
    },
    () => git('rev-list', '--alternate-refs'),
  ],
  [
    'include.path',
    async () => {
      await at.write({ 'repo/more.cfg': `[core]\n\tfsmonitor = ${trap()}\n` })
      await set('include.path', '../more.cfg')
    },
    others,
  ],
  [
    'includeIf',
    async () => {
      await at.write({ 'repo/more.cfg': `[core]\n\tfsmonitor = ${trap()}\n` })
      await set('includeIf.gitdir:**.path', '../more.cfg')
    },
    others,
  ],
  [
    'config.worktree',
    async () => {
      await set('core.repositoryFormatVersion', '1')
      await set('extensions.worktreeConfig', 'true')
      await at.git('repo', 'config', '--worktree', 'core.fsmonitor', trap())
    },
    others,
  ],
  [
    'submodule.*.update',
    async () => {
      await at.write({ 'inner/x': '' })
      await at.commitAll('inner')
      await at.git('repo', 'submodule', 'add', '-q', at.at('inner'), 'sub')
      await at.git('repo', 'commit', '-qm', 'sub')
      await set('submodule.sub.update', `!${trap()}`)
      await at.git('repo/sub', 'commit', '-q', '--allow-empty', '-m', 'next')
    },
    () => git('submodule', 'update'),
  ],
  [
    'the settings of a submodule',
    async () => {
      await at.write({ 'inner/x': '' })
      await at.commitAll('inner')
      await at.git('repo', 'submodule', 'add', '-q', at.at('inner'), 'sub')
      await set('core.fsmonitor', trap(), 'repo/sub')
    },
    () => at.git('repo/sub', 'ls-files', '--others'),
  ],
]

/** The list, or the sentence of the refusal. */
async function listed(source: string): Promise<string[] | string> {
  try {
    const { files } = await listFiles(at.at(source), { exclude: [] })
    return files.map(({ name }) => name)
  } catch (error) {
    return String(error)
  }
}

const refusal = 'without objects that the repository lacks'

async function expectUnsprung(spring: () => Promise<unknown>, source: string) {
  const found = await listed(source)
  expect(sprung()).toBe(false)
  await spring()
  // Else the trap does not work, and the line above proves nothing.
  expect(sprung()).toBe(true)
  return found
}

describe('the settings of a repository start no program', () => {
  test.each(share(traps, 6))('%s', async (_, lay, spring) => {
    await lay()
    await rm(at.at('trace'), { force: true })
    const found = await expectUnsprung(spring, 'repo')
    expect(found).toEqual(expect.arrayContaining(['pom.xml', 'in/a.txt', 'out/b.txt']))
  })

  test.each(share(fetching, 1))('%s, for objects that are missing: a refusal', async (_, lay, spring) => {
    await lay()
    expect(await expectUnsprung(spring, 'repo')).toContain(refusal)
  })

  test.each(share(fetching, 1))('%s, of a repository within', async (_, lay, spring) => {
    await lay()
    await at.write({ 'whole/pom.xml': '' })
    await at.commitAll('whole')
    await at.git('', 'clone', '-q', 'whole', 'outer')
    await rename(at.at('repo'), at.at('outer/repo'))
    await rm(at.at('trace'), { force: true })
    expect(await listed('outer')).toContain(refusal)
    expect(sprung()).toBe(false)
    await rename(at.at('outer/repo'), at.at('repo'))
    await spring()
    expect(sprung()).toBe(true)
  })

  daily('a bare repository that is committed as plain files is packed as plain files', async () => {
    await promised('repo')
    await set('core.sshCommand', trap())
    await set('remote.origin.url', 'ssh://nowhere.invalid/x')
    await set('core.worktree', '.')
    await at.write({ 'host/pom.xml': '' })
    await rename(at.at('repo/.git'), at.at('host/suite'))
    await at.write({ 'host/suite/pom.xml': '' })
    await at.commitAll('host')
    await at.git('', 'clone', '-q', 'host', 'cloned')
    expect(await listed('cloned')).toEqual(expect.arrayContaining(['suite/HEAD', 'suite/pom.xml']))
    const found = await expectUnsprung(
      () => at.git('cloned/suite', 'ls-files').catch(() => ''),
      'cloned/suite',
    )
    expect(found).toEqual(expect.arrayContaining(['HEAD', 'config', 'pom.xml']))
  })

  daily('a sparse, partial clone is listed once the objects that it needs are there', async () => {
    await at.git('repo', 'sparse-checkout', 'set', '--cone', '--sparse-index', 'in')
    expect(await at.git('repo', 'ls-files', '--sparse')).toContain('out/\n')
    expect(await listed('repo')).toEqual(['in/a.txt', 'pom.xml'])
  })
})

daily('Git gets neither inputs nor tokens nor variables of an outer Git', async () => {
  const bin = at.at('bin')
  const real = (await run('sh', ['-c', 'command -v git'])).trim()
  // As Git 2.17 answers.
  const old = `case "$*" in *--type=*) exit 129;; esac`
  await at.write({ 'bin/git': `#!/bin/sh\n${old}\nenv > '${at.at('seen')}'.$$\nexec '${real}' "$@"\n` })
  await chmod(`${bin}/git`, 0o755)
  const hidden = {
    'INPUT_CLIENT-SECRET': 'hidden-1',
    ACTIONS_RUNTIME_TOKEN: 'hidden-2',
    GITHUB_TOKEN: 'hidden-3',
    GIT_SSH_COMMAND: 'hidden-4',
    GIT_CONFIG_PARAMETERS: "'core.fsmonitor=hidden-5'",
    GIT_EXTERNAL_DIFF: 'hidden-6',
    GIT_TRACE: '1',
    LD_PRELOAD: '',
    HOME: at.path,
  }
  const before = { ...process.env }
  Object.assign(process.env, hidden, { PATH: `${bin}${delimiter}${before.PATH ?? ''}` })
  try {
    expect(await listed('repo')).toEqual(['in/a.txt', 'out/b.txt', 'pom.xml'])
  } finally {
    for (const name of Object.keys(hidden)) Reflect.deleteProperty(process.env, name)
    Object.assign(process.env, before)
  }
  const seen = await run('sh', ['-c', `cat '${at.path}'/seen.*`])
  expect(seen).toContain(`HOME=${at.path}\n`)
  expect(seen).not.toMatch(/hidden|INPUT_|TOKEN|TRACE|PRELOAD|PARAMETERS/)
})

daily("files that the user's own Git settings ignore are left out", async () => {
  await at.write({ 'repo/notes.private': '', 'home/.config/git/ignore': '*.private\n' })
  const before = process.env.HOME
  process.env.HOME = at.at('home')
  try {
    expect(await listed('repo')).toEqual(['in/a.txt', 'out/b.txt', 'pom.xml'])
  } finally {
    process.env.HOME = before
  }
  await writeFile(at.at('home/.config/git/ignore'), '')
})
