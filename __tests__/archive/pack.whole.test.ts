import { readdir } from 'node:fs/promises'
import { packSource, type PackOptions } from '../../src/archive/archive.js'
import { Folder, messageOf, python, run } from './folder.js'

let at: Folder
beforeEach(async () => {
  at = await Folder.make()
})
afterEach(() => at.remove())

const pack = (options: Partial<PackOptions> = {}): ReturnType<typeof packSource> =>
  packSource({ source: at.at('w'), exclude: [], target: at.at('out.zip'), ...options })

// Makes and removes tens of thousands of files, which takes long on a busy machine.
test('65,534 files are packed and can be read by other programs; 65,536 are refused with a sentence', async () => {
  await at.write({ 'w/pom.xml': '' })
  const script = `
import os, sys
for i in range(int(sys.argv[2]), int(sys.argv[3])): os.close(os.open(f'{sys.argv[1]}/{i}', os.O_CREAT))`
  await python(script, at.at('w'), '1', '65534')
  expect((await pack()).files).toBe(65_534)
  expect((await run('unzip', ['-Z', '-1', at.at('out.zip')])).trim().split('\n')).toHaveLength(65_534)
  await python(script, at.at('w'), '65534', '65536')
  expect(await messageOf(pack({ target: at.at('more.zip') }))).toMatch(
    /^ArchiveError: The folder has 65536 files, but an archive can hold at most 65534\. Set the input source/,
  )
  expect((await readdir(at.path)).sort()).toEqual(['out.zip', 'w'])
})
