import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import AdmZip from 'adm-zip'
import { Missing } from '../../sandbox/engine/missing.js'
import { prepareEngine, type EngineWish } from '../../sandbox/engine/engine.js'
import type { Machine } from '../../sandbox/engine/java.js'

/** Where the engine comes from, with a program of a few lines instead of Maven. */
let folder: string
let machine: Machine
let progress: string[]
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'release-'))
  progress = []
  const jdk = path.join(folder, 'jdk')
  mkdirSync(path.join(jdk, 'bin'), { recursive: true })
  writeFileSync(path.join(jdk, 'release'), 'JAVA_VERSION="25"\n')
  writeFileSync(path.join(jdk, 'bin/javac'), '')
  const env = { JAVA_HOME: jdk, PATH: path.join(folder, 'bin'), XDG_CACHE_HOME: path.join(folder, 'cache') }
  machine = { env, systemJvms: [] }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function prepare(wish: Partial<EngineWish> = {}) {
  const onProgress = (text: string) => progress.push(text)
  return prepareEngine({ lines: ['9.x'], machine, signal: new AbortController().signal, onProgress, ...wish })
}

/** A Maven that runs this script, in the folder of its pom.xml. */
function maven(script: string): void {
  mkdirSync(path.join(folder, 'bin'))
  const file = path.join(folder, 'bin/mvn')
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
}

/** A distribution as Maven delivers it. */
function distribution(version: string): string {
  const zip = new AdmZip()
  zip.addFile(`xlt-${version}/lib/xlt-${version}.jar`, Buffer.from('jar'))
  zip.addFile(`xlt-${version}/config/x.properties`, Buffer.from(''))
  const file = path.join(folder, `xlt-${version}.zip`)
  zip.writeZip(file)
  return file
}

const cache = () => path.join(folder, 'cache/load-test-action/engine')

test('the engine is fetched once, with progress and strict checksums, and stays in the cache', async () => {
  const zip = distribution('9.8.7')
  maven(
    `echo "$@" > '${folder}/args'; cp pom.xml '${folder}'; printf 'Progress (1): 0.3/57 MB\\rProgress (1): 9.9/57 MB\\rProgress (1): 57 MB\\n'; cp '${zip}' .`,
  )
  const { releases } = await prepare()
  expect(releases).toEqual({ '9.x': { version: '9.8.7', home: path.join(cache(), 'xlt-9.8.7') } })
  expect(readFileSync(path.join(folder, 'args'), 'utf8')).toContain('--strict-checksums')
  expect(readFileSync(path.join(folder, 'pom.xml'), 'utf8')).toContain(
    '<version>[9.0.0,10.0.0-alpha)</version>',
  )
  expect(progress).toEqual(['0.3/57 MB', '57 MB', 'unpacking'].map((at) => `Fetching engine 9.x: ${at}`))
  expect(readdirSync(cache())).toEqual(['xlt-9.8.7'])
  rmSync(path.join(folder, 'args'))
  expect((await prepare()).releases).toEqual(releases)
  expect(existsSync(path.join(folder, 'args'))).toBe(false)
})

const failed = 'Could not transfer artifact com.xceptance:xlt'

/** CI skips what throws Missing; any other fault is red. */
test.each([
  [
    'no network',
    [`[WARNING] ${failed}: transfer failed for http://a/b`, '[ERROR] No plugin found'],
    ' (No plugin found)',
    Missing,
  ],
  [
    'a server that is down',
    [`[ERROR] ${failed}: Connection refused`],
    ` (${failed}: Connection refused)`,
    Missing,
  ],
  [
    'a server that refuses',
    [`[ERROR] ${failed}: transfer failed for http://a/b, status: 403 Forbidden`],
    ` (${failed}: transfer failed for http://a/b, status: 403 Forbidden)`,
    Error,
  ],
  [
    'a file that is not what was published',
    [`[ERROR] ${failed}: Checksum validation failed`],
    ` (${failed}: Checksum validation failed)`,
    Error,
  ],
])('%s: one sentence, and nothing is left in the cache', async (_, lines, reason, kind) => {
  maven(`${lines.map((line) => `echo '${line}'`).join('; ')}; exit 1`)
  const fault: unknown = await prepare().catch((error: unknown) => error)
  expect(fault).toEqual(
    new Error(
      `The engine of line 9.x could not be fetched through Maven${reason}. Check the network and Maven's settings, or name an installation with --engine-home.`,
    ),
  )
  expect(fault instanceof Missing).toBe(kind === Missing)
  expect(readdirSync(cache())).toEqual([])
})

test("the user's own installation is used only for its release line", async () => {
  maven('exit 1')
  const home = path.join(folder, 'own')
  await expect(prepare({ home })).rejects.toThrow(
    `No engine is installed at ${home}. Name a folder with its lib and config.`,
  )
  mkdirSync(path.join(home, 'lib'), { recursive: true })
  mkdirSync(path.join(home, 'config'))
  writeFileSync(path.join(home, 'lib/xlt-10.1.0.jar'), '')
  expect((await prepare({ home })).releases).toEqual({ '10.x': { version: '10.1.0', home } })
  rmSync(path.join(home, 'lib/xlt-10.1.0.jar'))
  writeFileSync(path.join(home, 'lib/xlt-8.5.0.jar'), '')
  await expect(prepare({ home })).rejects.toThrow(
    `The sandbox runs engines 9.x and 10.x, but ${home} is 8.5.0.`,
  )
})
