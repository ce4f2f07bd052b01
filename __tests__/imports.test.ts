import { readdirSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

/** What each file of the project imports at run time, without types. */
async function importsOf(folders: readonly string[]): Promise<Map<string, string[]>> {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
      .map((file) => path.join(folder, file)),
  )
  // One bundle of all: a bundle for each file would hold most of the others again.
  const contents = files.map((file) => `import './${file}'\n`).join('')
  const { metafile } = await build({
    ...{ stdin: { contents, resolveDir: '.' }, bundle: true, write: false, metafile: true },
    ...{ packages: 'external', platform: 'node', format: 'esm', logLevel: 'silent' },
  })
  return new Map(
    Object.entries(metafile.inputs).map(([file, { imports }]) => [
      file,
      imports.filter(({ external }) => external !== true).map((one) => one.path),
    ]),
  )
}

/** The first cycle that is found, from a file back to itself. */
function cycleIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>()
  const cycleFrom = (file: string, way: readonly string[]): string[] => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
    if (finished.has(file)) return []
    for (const next of imports.get(file) ?? []) {
      const found = cycleFrom(next, [...way, file])
      if (found.length > 0) return found
    }
    finished.add(file)
    return []
  }
  for (const file of imports.keys()) {
    const found = cycleFrom(file, [])
    if (found.length > 0) return found
  }
  return []
}

test('no file imports itself by way of others', async () => {
  const imports = await importsOf(['src', 'sandbox', 'others', 'bench', 'scripts', '__tests__'])
  expect(imports.get('src/main.ts')).toContain('src/actions/actions.ts')
  expect(cycleIn(imports)).toEqual([])
})

test('a cycle is named from end to end', () => {
  const imports = { a: ['b'], b: ['c', 'd'], c: [], d: ['b'] }
  expect(cycleIn(new Map(Object.entries(imports)))).toEqual(['b', 'd', 'b'])
})
