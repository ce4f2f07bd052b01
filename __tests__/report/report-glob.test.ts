import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pathsMatching } from '../../src/actions/judge/judge.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glob-'))
  for (const file of [
    'a/one/x.xml',
    'a/two/x.xml',
    'a/two/deep/x.xml',
    'a/.hidden/x.xml',
    'b*/x.xml',
    'y.xml',
  ]) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), '')
  }
  await symlink(join(folder, 'a'), join(folder, 'link'))
})
afterEach(() => rm(folder, { recursive: true }))

test.each<[string, string[]]>([
  ['a', ['a']],
  ['link', ['link']],
  ['none', []],
  ['a/none/*', []],
  ['a/*', ['a/one', 'a/two']],
  ['a/.*', ['a/.hidden']],
  ['a/t*', ['a/two']],
  ['a/?n?', ['a/one']],
  ['*/two', ['a/two']],
  ['a/*/x.xml', ['a/one/x.xml', 'a/two/x.xml']],
  ['**/deep', ['a/two/deep']],
  ['a/**/x.xml', ['a/one/x.xml', 'a/two/deep/x.xml', 'a/two/x.xml']],
  ['**/y.xml', ['y.xml']],
  ['y.xml/*', []],
  // As written, if that exists.
  ['b*', ['b*']],
  ['b*/x.xml', ['b*/x.xml']],
  ['*.xml', ['y.xml']],
  ['y?xml', ['y.xml']],
  ['(y).xml', []],
  ['*.'.repeat(40), []],
])('%s', async (pattern, expected) => {
  const found = await pathsMatching(join(folder, pattern))
  expect(found.map((one) => relative(folder, one))).toEqual(expected)
})
