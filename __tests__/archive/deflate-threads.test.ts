import { createHash, randomBytes } from 'node:crypto'

import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { deflate } from '../../src/archive/deflate.js'
import { deflateThreads } from '../../src/archive/deflate-threads.js'
import { listFiles, type SourceFile } from '../../src/archive/listing.js'
import { packSource, type PackOptions } from '../../src/archive/archive.js'
import { daily, thorough } from '../daily.js'
import { Folder, messageOf, run } from './folder.js'

let built: Folder
let worker: string
let at: Folder

beforeAll(async () => {
  built = await Folder.make()
  worker = built.at('deflate-worker.mjs')
  await build({
    entryPoints: ['src/archive/deflate-worker.ts'],
    outfile: worker,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
})
afterAll(() => built.remove())
beforeEach(async () => {
  at = await Folder.make()
})
afterEach(() => at.remove())

const pack = (options: Partial<PackOptions> = {}): ReturnType<typeof packSource> =>
  packSource({ source: at.at('w'), exclude: [], target: at.at('out.zip'), worker, threads: 2, ...options })

const files = async (): Promise<SourceFile[]> => (await listFiles(at.at('w'), { exclude: [] })).files

/** Not a worker file: its text is the whole program. */
async function broken(program: string): Promise<string> {
  await writeFile(at.at('broken.mjs'), program)
  return at.at('broken.mjs')
}

/** More files than a thread gets at once, of all kinds that matter for deflating. */
async function manyFiles(): Promise<void> {
  const lines = (i: number): string => `line ${i % 7} of ${i}\n`.repeat((i * 37) % 300)
  await at.write(Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`w/d${i % 20}/f${i}`, lines(i)])))
  await at.write({
    'w/a-large.bin': Buffer.concat([Buffer.alloc(9 << 20, 'abc\n'), randomBytes(1 << 20)]),
    'w/d3/random.bin': randomBytes(1 << 20),
    'w/empty': '',
  })
  await at.write({ 'w/mvnw': '#!/bin/sh\n' }, 0o755)
  await at.link('w/z-link', 'd3/random.bin')
}

// Waits for: 14 MB, deflated four times.
thorough('the bytes are the same, however many threads there are', async () => {
  await manyFiles()
  const digests = new Set<string>()
  for (const threads of [1, 4]) {
    const packed = await pack({ threads })
    digests.add(packed.sha512)
    expect(
      createHash('sha512')
        .update(await readFile(packed.path))
        .digest('hex'),
    ).toBe(packed.sha512)
    expect(packed.files).toBe(1505)
  }
  // A folder of this size gets threads by default; without a worker there are none.
  const unasked = { source: at.at('w'), exclude: [], target: at.at('out.zip') }
  digests.add((await packSource({ ...unasked, worker })).sha512)
  digests.add((await packSource(unasked)).sha512)
  expect([...digests]).toHaveLength(1)
  expect(await run('unzip', ['-tq', at.at('out.zip')])).toContain('No errors detected')
})

daily('a thread returns what deflate() returns, with its data in one buffer', async () => {
  await at.write({ 'w/a': 'text '.repeat(500), 'w/b': randomBytes(300), 'w/c': '' })
  await at.link('w/d', 'a')
  const batch = await files()
  const threads = deflateThreads(worker, 1)
  try {
    const entries = await threads.deflate(batch)
    const plain = (await deflate(batch)).map((entry) => ({ ...entry, data: Buffer.from(entry.data) }))
    expect(entries.map((entry) => ({ ...entry, data: Buffer.from(entry.data) }))).toEqual(plain)
    expect(entries.map(({ deflated }) => deflated)).toEqual([true, false, false, false])
    const bytes = entries.reduce((sum, { data }) => sum + data.length, 0)
    expect(entries.map(({ data }) => data.buffer.byteLength)).toEqual(entries.map(() => bytes))
  } finally {
    await threads.end()
  }
})

describe('faults in a thread', () => {
  daily('a file that changed or is gone is reported in the same words as without threads', async () => {
    await at.write({ 'w/a.log': 'x', 'w/b.log': Buffer.alloc(9 << 20, 'x'), 'w/c.log': 'x' })
    const [a, b, c] = await files()
    if (!a || !b || !c) throw new Error('not listed')
    await appendFile(a.path, 'more')
    await appendFile(b.path, 'more')
    await rm(c.path)
    const threads = deflateThreads(worker, 2)
    try {
      for (const file of [a, b, c]) {
        const message = await messageOf(threads.deflate([file]))
        expect(message).toMatch(
          /^ArchiveError: "[abc]\.log" changed while it was being packed\. Make sure that nothing/,
        )
        expect(message).toBe(await messageOf(deflate([file])))
      }
    } finally {
      await threads.end()
    }
  })

  daily('a signal ends the packing while threads are at work', async () => {
    await at.write(Object.fromEntries(Array.from({ length: 1100 }, (_, i) => [`w/f${i}`, 'x'])))
    const reason = new Error('cancelled')
    const controller = new AbortController()
    const progress: NonNullable<PackOptions['progress']> = () => controller.abort(reason)
    await expect(pack({ signal: controller.signal, progress })).rejects.toBe(reason)
    expect(await readdir(at.path)).toEqual(['w'])
  })

  daily('a signal ends the waiting for a thread that never answers', async () => {
    await at.write({ 'w/a': 'x' })
    const reason = new Error('cancelled')
    const controller = new AbortController()
    const mute = await broken(
      "import { parentPort } from 'node:worker_threads'\nparentPort.on('message', () => { for (;;); })",
    )
    const threads = deflateThreads(mute, 2, controller.signal)
    const waiting = messageOf(threads.deflate(await files()))
    controller.abort(reason)
    expect(await waiting).toBe(String(reason))
    expect(await messageOf(threads.deflate(await files()))).toBe(String(reason))
    await threads.end()
  })

  const onMessage = (what: string): string =>
    `import { parentPort } from 'node:worker_threads'\nparentPort.on('message', () => { ${what} })`

  daily.each([
    ['ends on its own', onMessage('process.exit(3)'), 'it ended with code 3'],
    ['throws', onMessage('throw new TypeError("no such thing")'), 'no such thing'],
    [
      'needs too much memory',
      onMessage('const all = []; for (;;) all.push(new Array(1e5).fill(all.length))'),
      'memory limit',
    ],
    ['cannot be read', 'this is not a program', 'Unexpected identifier'],
  ])('a thread that %s ends the packing with an error', async (_, program, why) => {
    await at.write({ 'w/a': 'x', 'w/b': 'y' })
    const message = await messageOf(pack({ worker: await broken(program) }))
    expect(message).toMatch(
      /^ArchiveError: The folder could not be packed: a thread that compresses files stopped: .*\. Run the job again/,
    )
    expect(message).toContain(why)
    expect((await readdir(at.path)).sort()).toEqual(['broken.mjs', 'w'])
  })

  daily('a missing worker is reported, too', async () => {
    await at.write({ 'w/a': 'x' })
    expect(await messageOf(pack({ worker: join(at.path, 'none.mjs') }))).toMatch(/stopped: .*none\.mjs/)
  })
})
