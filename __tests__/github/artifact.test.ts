import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { attach, debugLines } from '../../src/github/artifacts/artifacts.js'
import type { ArtifactStore, StoredArtifact } from '../../src/github/artifacts/store.js'
import { keptLog } from '../kept-log.js'
import { ownFolder } from '../own-folder.js'

const folder = ownFolder()
const file = path.join(folder, 'report-8-1')
writeFileSync(file, 'report')

type Upload = Parameters<ArtifactStore['uploadArtifact']>

function world(...answers: (number | Error | 'untold')[]) {
  const uploads: { name: string; content: string; options: Upload[3] }[] = []
  const { log, lines } = keptLog()
  const artifacts: StoredArtifact[] = []
  const store: Pick<ArtifactStore, 'uploadArtifact' | 'listArtifacts'> = {
    listArtifacts: async () => ({ artifacts }),
    async uploadArtifact(name, files, _root, options) {
      uploads.push({ name, content: readFileSync(files[0] ?? '', 'utf8'), options })
      const answer = answers.shift() ?? 1
      if (answer instanceof Error) throw answer
      return answer === 'untold' ? {} : { id: answer }
    },
  }
  const attachment = {
    path: file,
    name: 'load-test-report',
    ending: '.tar.gz',
    distinction: (nth: number) => `run-${7 + nth}-attempt-2`,
    retentionDays: 0,
  }
  return {
    uploads,
    artifacts,
    lines,
    go: (more = {}) =>
      attach(store, { ...attachment, ...more }, 'https://github.com/o/r/actions/runs/5', log),
  }
}

test('an existing extension is not repeated', async () => {
  const { go } = world()
  await expect(go({ name: 'report.tar.gz' })).resolves.toMatchObject({ name: 'report.tar.gz' })
})

test('a name that is taken gets a suffix, and a warning that says what to change', async () => {
  const { go, lines } = world(new Error('Received non-retryable error: Failed request: (409) Conflict'), 78)
  await expect(go()).resolves.toMatchObject({ id: 78, name: 'load-test-report-run-8-attempt-2.tar.gz' })
  expect(lines[0]).toMatch(
    /^warning: .*already has an artifact named load-test-report\.tar\.gz.*Give each step its own name/,
  )
})

test('a third step of that name gets the next one, as many as a matrix has legs', async () => {
  const taken = (times: number) => Array.from({ length: times }, () => new Error('(409) Conflict'))
  const { go, lines } = world(...taken(256), 79)
  await expect(go()).resolves.toMatchObject({ name: 'load-test-report-run-263-attempt-2.tar.gz' })
  expect(lines).toHaveLength(1)
  await expect(world(...taken(257), 79).go()).rejects.toThrow('Conflict')
  await expect(world(...taken(1), 79).go({ distinction: undefined })).rejects.toThrow('Conflict')
})

/** A stream instead of the job's log, and what was written to it. */
function output() {
  const stream = new PassThrough({ encoding: 'utf8' })
  return {
    stream,
    lines: () =>
      String(stream.read() ?? '')
        .split('\n')
        .slice(0, -1),
  }
}

test('what a call prints becomes a debug line, even after a pause; commands stay commands', async () => {
  const { stream, lines } = output()
  const result = await debugLines(stream)(async () => {
    stream.write('Artifact name is valid!\n')
    await turn()
    stream.write('Uploaded bytes 100% of 4\n')
    stream.write('::warning::Retention days cannot be greater.\n')
    return 7
  })
  expect(result).toBe(7)
  expect(lines()).toEqual([
    '::debug::Artifact name is valid!',
    '::debug::Uploaded bytes 100%25 of 4',
    '::warning::Retention days cannot be greater.',
  ])
})

test.each([
  ['Failed to make request after 5 attempts: ', `Unexpected token '<', "<!DOCTYPE "... is not valid JSON`],
  ['', '<!DOCTYPE html>\n<html>Blocked</html>'],
  ['', `Error "SyntaxError: Unexpected token 'a'" occurred while parsing the response body - auth.`],
])('a page instead of an answer is called one: %s%s', async (before, said) => {
  const fault = `${before}${said}`
  await expect(debugLines(output().stream)(() => Promise.reject(new Error(fault)))).rejects.toThrow(
    `${before}the answer was not JSON, but may be the page of a proxy, or of a fault of GitHub`,
  )
})

test('what the step prints in the meantime and afterwards stays as it is', async () => {
  const { stream, lines } = output()
  const quietly = debugLines(stream)
  const call = quietly(async () => {
    await turn()
    stream.write('Finalizing artifact upload\n')
  })
  stream.write('Load test 10 is RUNNING\n')
  await call
  stream.write('Attached load-test-report.tar.gz\n')
  expect(lines()).toEqual([
    'Load test 10 is RUNNING',
    '::debug::Finalizing artifact upload',
    'Attached load-test-report.tar.gz',
  ])
})
