import { daily, thorough } from '../daily.js'
import { startSandbox, type RunOptions, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

/** The step is red with this sentence, and nothing was started. */
async function refused(inputs: Record<string, string>, sentence: string | RegExp, options: RunOptions = {}) {
  const ran = await sandbox.run(inputs, options)
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('error')
  const errors = ran.annotations.filter(({ kind }) => kind === 'error').map(({ message }) => message)
  expect(errors.join('\n')).toMatch(sentence)
  // Readers of the log click addresses: nothing may follow them without a space.
  expect(errors.join('\n')).not.toMatch(/https?:\/\/\S+[.,;:](?:\s|$)/)
  expect(ran.summary).toMatch(/^## ⚠️ Load test: no verdict\. /)
  expect(ran.outputs['outcome']).toMatch(/outcome\.json$/)
  expect(sandbox.service.books.starts).toEqual([])
  expect(ran.outputs['run-number']).toBeUndefined()
  return ran
}

const untouched = () => expect(sandbox.service.books.requests).toEqual([])
const nothingUploaded = () => expect(sandbox.uploads()).toEqual([])

daily('all wrong inputs at once, before the first request', async () => {
  const ran = await refused(
    { 'base-url': 'http://example.com', mode: 'fast', timeout: 'soon' },
    /base-url must start with https/,
  )
  expect(ran.summary).toContain('## ⚠️ Load test: no verdict. 3 inputs need to be changed')
  expect(ran.log).toMatch(/base-url must start with https/)
  expect(ran.log).toMatch(/mode is "fast"/)
  expect(ran.log).toMatch(/timeout is "soon"/)
  untouched()
})

/** What only shows in the workspace, on the service or on GitHub; __tests__/inputs/misuses.test.ts has the others. */
const misuses: [Record<string, string>, RegExp][] = [
  [{ source: 'perf' }, /The folder to pack, "perf", does not exist/],
  [{ mode: 'collect', 'run-number': '1' }, /Load test 1 has never been started/],
]

thorough.each(misuses)('%j', async (inputs, sentence) => {
  const ran = await refused(inputs, sentence)
  expect(ran.annotations.map(({ message }) => message).join('\n')).not.toContain(sandbox.workspace)
  nothingUploaded()
})

thorough('https where plain http is spoken, in words', async () => {
  const url = sandbox.service.url.replace('http:', 'https:')
  await refused({ 'base-url': url }, /it answers plain http, not https/)
})

thorough('what is most likely not meant gets a warning, and a run', async () => {
  const gates = [
    'requests error-rate <= 100%',
    'warn: requests p95 <= baseline + 10%',
    'requests p95 >= 1 ms',
    'warn: requests p59 <= 1 s',
    'requests p95 = 500 ms',
  ].join('\n')
  const ran = await sandbox.run({ mode: 'start', gates, exclude: 'confg/', properties: 'webshop.url = ' })
  expect(ran.outputs['verdict']).toBe('started')
  const told = ran.annotations.map(({ kind, message }) => `${kind}: ${message}`)
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 1: Every run passes this gate/))
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 2: .*input baseline is empty/))
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 3: .* Did you mean <=\?/))
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 4: The report will have no p59/))
  expect(told).toContainEqual(
    expect.stringMatching(/^warning: gates, line 5: Hardly any run has exactly this/),
  )
  expect(told).toContain('warning: properties, line 1: webshop.url is set to nothing.')
  expect(told).toContainEqual(expect.stringMatching(/^notice: exclude: "confg\/" .* Did you mean config\?/))
})
