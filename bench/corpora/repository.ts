import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { blockFile } from '../../sandbox/report/archive-file.js'
import { seededRandom } from '../../sandbox/report/random.js'
import type { Bench } from '../bench.js'
import { cached } from './cached.js'
import { seededBlocks, seededSizes } from './bytes.js'

const run = promisify(execFile)

/** A Git repository with one commit, in one pack as after a clone. A tenth of its bytes does not compress. */
export function repository(
  bench: Bench,
  { files, bytes }: { files: number; bytes: number },
  seed = 1,
): Promise<string> {
  return cached(bench, `repository-${files}-${bytes}-${seed}`, async (folder) => {
    const random = seededRandom(seed, 'repository')
    const { text, noise } = seededBlocks(seed)
    for (const [index, size] of seededSizes(seed, files, bytes).entries()) {
      const place = path.join(folder, `module-${index % 40}`, `package-${index % 400}`)
      if (index < 400) await mkdir(place, { recursive: true })
      const isPicture = random.next() < 0.1
      const name = `file-${index}.${isPicture ? 'png' : 'java'}`
      const block = isPicture ? noise : text
      const offset = Math.floor(random.next() * block.length)
      await writeFile(path.join(place, name), blockFile(name, size, block, offset).chunks())
    }
    // A suite that the step can send.
    await writeFile(path.join(folder, 'pom.xml'), '<project/>\n')
    const git = (...args: string[]) =>
      run('git', ['-C', folder, '-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...args])
    await git('init', '--quiet')
    await git('-c', 'core.looseCompression=1', 'add', '.')
    await git('commit', '--quiet', '--message', 'A corpus')
    await git('repack', '--quiet', '-a', '-d', '--window=0')
  })
}
