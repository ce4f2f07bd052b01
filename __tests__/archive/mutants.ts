import { readFile, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { preflight } from '../../src/archive/code-archive.js'
import { python, type Folder } from './folder.js'

const archive = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:
    def add(name, data, mode=0o100644, method=zipfile.ZIP_DEFLATED):
        i = zipfile.ZipInfo(name)
        i.create_system = 3
        i.external_attr = mode << 16
        i.compress_type = method
        z.writestr(i, data)
    add('top/pom.xml', b'<project/>' * 50)
    add('top/src/A.java', b'class A {}' * 30)
    add('top/l', 'src/A.java', 0o120777)
    add('top/folder/', b'', 0o040755)
    add('top/stored', b'0123456789', method=zipfile.ZIP_STORED)`

/** Changes bytes of a good archive at random, this many times; each time it passes or is refused with a sentence. */
export async function refusedMutants(at: Folder, times: number): Promise<{ refused: number }> {
  const mutantFile = at.at('mutant.zip')
  await python(archive, mutantFile)
  const good = await readFile(mutantFile)
  await expect(preflight(mutantFile)).resolves.toMatchObject({ name: 'top' })
  let refused = 0
  const change = fc.record({ at: fc.nat(good.length - 1), to: fc.nat(255) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.option(fc.nat(good.length), { freq: 4 }),
      async (changes, cut) => {
        const mutant = Buffer.from(good)
        for (const one of changes) mutant[one.at] = one.to
        await writeFile(mutantFile, cut === null ? mutant : mutant.subarray(0, cut))
        const outcome = await preflight(mutantFile).then(() => undefined, String)
        if (outcome === undefined) return
        expect(outcome).toMatch(/^ArchiveError: The archive "[^\n]*" /)
        expect(outcome).not.toMatch(/undefined|NaN|\[object/)
        refused++
      },
    ),
    { numRuns: times, seed: 20 },
  )
  return { refused }
}
