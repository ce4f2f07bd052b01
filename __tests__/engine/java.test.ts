import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { engineCache } from '../../sandbox/engine/engine.js'
import { findJdk } from '../../sandbox/engine/java.js'

let folder: string
beforeEach(() => (folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'jdk-')))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function jdk(name: string, version: string, compiler = true): string {
  const home = path.join(folder, name)
  mkdirSync(path.join(home, 'bin'), { recursive: true })
  writeFileSync(path.join(home, 'release'), `IMPLEMENTOR="Somebody"\nJAVA_VERSION="${version}"\n`)
  if (compiler) writeFileSync(path.join(home, 'bin/javac'), '')
  return home
}

const nothing = { env: {}, systemJvms: [] }

test('JAVA_HOME comes first, then the PATH, then the newest of the system', () => {
  const [named, onPath] = [jdk('named/a', '21.0.1'), jdk('path/b', '22')]
  const [older, newer] = [jdk('system/c', '21.0.9'), jdk('system/d', '25.0.3')]
  const system = { env: {}, systemJvms: [path.join(folder, 'system'), path.join(folder, 'none')] }
  const bin = path.join(folder, 'links')
  mkdirSync(bin)
  symlinkSync(path.join(onPath, 'bin/javac'), path.join(bin, 'javac'))
  expect(findJdk({ ...system, env: { JAVA_HOME: named, PATH: bin } })).toBe(named)
  expect(findJdk({ ...system, env: { PATH: `/nowhere:${bin}` } })).toBe(onPath)
  expect(findJdk(system)).toBe(newer)
  rmSync(newer, { recursive: true })
  expect(findJdk(system)).toBe(older)
})

test('an old JDK is skipped in favour of a newer one', () => {
  const old = jdk('jvm/old', '17.0.15')
  const young = jdk('jvm/young', '25')
  expect(findJdk({ env: { JAVA_HOME: old }, systemJvms: [] })).toBe(young)
})

test.each<[string, () => string | undefined, string]>([
  ['nothing at all', () => undefined, 'and none was found'],
  ['an old one', () => jdk('only', '17.0.15'), 'and only release 17 was found'],
  ['one of the old numbering', () => jdk('only', '1.8.0_402'), 'and only release 8 was found'],
  ['one without a compiler', () => jdk('only', '25', false), 'and none was found'],
])('%s: the message says what is missing and how to get it', (_, home, found) => {
  const machine = { ...nothing, env: { JAVA_HOME: home() } }
  expect(() => findJdk(machine)).toThrow(
    `The engine needs a JDK of release 21 or later, ${found}. Install one, such as Eclipse Temurin 25, and name its folder in JAVA_HOME.`,
  )
})

test("the cache is in the user's cache folder", () => {
  expect(engineCache({ XDG_CACHE_HOME: '/c', HOME: '/h' })).toBe('/c/load-test-action/engine')
  expect(engineCache({ XDG_CACHE_HOME: 'relative', HOME: '/h' })).toBe('/h/.cache/load-test-action/engine')
  expect(engineCache({ HOME: '/h' })).toBe('/h/.cache/load-test-action/engine')
})
