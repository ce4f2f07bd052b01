import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { node24 } from '../../sandbox/runner/node24.js'

/** Texts of each heavy package that survive minifying. */
const heavy = { 'blob storage': 'x-ms-blob-type', octokit: 'octokit-endpoint.js', XPath: 'XPST0003' }

/** What the environment of the step has of these inputs. */
const environment = (inputs: Record<string, string>) => ({
  PATH: process.env.PATH ?? '',
  ...Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  ),
})

/** Starts dist with these faulty inputs, and returns the files of dist that were loaded. */
async function started(inputs: Record<string, string>): Promise<{ said: string; loaded: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'start-'))
  try {
    const env = { ...environment(inputs), NODE_V8_COVERAGE: folder }
    const said = await new Promise<string>((resolve) => {
      execFile(node24(), ['dist/index.js'], { env }, (_error, stdout) => resolve(stdout))
    })
    const files = new Set<string>()
    for (const name of await readdir(folder)) {
      const { result } = JSON.parse(await readFile(path.join(folder, name), 'utf8')) as Coverage
      for (const { url } of result) if (url.includes('/dist/')) files.add(fileURLToPath(url))
    }
    const texts = await Promise.all([...files].map((file) => readFile(file, 'utf8')))
    return { said, loaded: texts.join('\n') }
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface Coverage {
  result: { url: string }[]
}

const heavyIn = (loaded: string) =>
  Object.entries(heavy).flatMap(([name, text]) => (loaded.includes(text) ? [name] : []))

test('no heavy package is loaded before the first input error', async () => {
  const { said, loaded } = await started({ gates: 'requests p95 <= 500 m' })
  expect(said).toContain('base-url is required')
  expect(said).toContain('is not a unit')
  expect(loaded).toContain('base-url is required'.slice('base-url'.length))
  expect(heavyIn(loaded)).toEqual([])
})

test('the XPath engine is loaded for an xpath gate, and finds its mistake', async () => {
  const { said, loaded } = await started({ gates: 'xpath(1 +) = 0' })
  expect(said).toContain('The XPath expression is not valid at its end.')
  expect(heavyIn(loaded)).toEqual(['XPath'])
})

test('the texts by which heavy packages are recognized occur in dist', async () => {
  const files = (await readdir('dist')).filter((name) => name.endsWith('.index.js'))
  const texts = await Promise.all(files.map((name) => readFile(path.join('dist', name), 'utf8')))
  expect(heavyIn(texts.join('\n'))).toEqual(Object.keys(heavy))
})

test('a step that has no folder for its files says so in its summary, too, and is red', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'start-'))
  const summary = path.join(folder, 'summary.md')
  await writeFile(summary, '')
  const inputs = { 'base-url': 'https://service.example', organization: 'o', project: 'p', 'load-test': '1' }
  const places = { GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: path.join(folder, 'gone') }
  const env = { ...process.env, ...environment(inputs), ...places }
  const program = "import { mainStep } from './src/main.ts'; void mainStep('load-test')"
  const ran = (more: Record<string, string>) =>
    new Promise<[string, boolean]>((resolve) => {
      const args = ['--import=tsx', '--input-type=module', '--eval', program]
      execFile(process.execPath, args, { env: { ...env, ...more } }, (error, stdout) =>
        resolve([stdout, error === null]),
      )
    })
  const sentence = /::error::No folder for the files of this step could be created in .*gone/
  for (const failOn of ['failed', 'never'])
    expect(await ran({ 'INPUT_FAIL-ON': failOn })).toEqual([expect.stringMatching(sentence), false])
  expect(await readFile(summary, 'utf8')).toContain('No folder for the files of this step')
  await rm(folder, { recursive: true })
})
