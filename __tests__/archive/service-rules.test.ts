import { writeFile } from 'node:fs/promises'
import { preflight } from '../../src/archive/preflight.js'
import { checkCodeArchive } from '../../sandbox/service/code-archive.js'
import { asAssumed } from '../../sandbox/service/assumptions.js'
import { zipOf } from '../sandbox-service/visitor.js'
import { Folder } from './folder.js'

/** The step and the local service judge an archive alike, as long as the service does what the step assumes. */
let at: Folder
beforeAll(async () => {
  at = await Folder.make()
})
afterAll(() => at.remove())

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
  await writeFile(file, zipOf(Object.fromEntries(names.map((name) => [name, 'x']))))
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
