import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { CheckedOut } from '../../src/archive/listing/checked-out.js'
import { jobFacts } from '../../src/github/job/job.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'occasion-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** What is known of a job of shop/shop. */
function occasionOf(name: string, event: unknown, head?: CheckedOut) {
  const file = path.join(folder, 'event.json')
  writeFileSync(file, JSON.stringify(event))
  const env = { GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: file, GITHUB_REPOSITORY: 'shop/shop' }
  return jobFacts(env, () => head).occasion
}

const whyNotPacked = (...job: Parameters<typeof occasionOf>) => occasionOf(...job).whyNotPacked?.('/w')

const pull = (repo: unknown) => ({
  pull_request: { number: 7, head: { sha: 'abc', repo }, base: { ref: 'main' } },
})
const after = (head_repository: unknown) => ({ workflow_run: { head_sha: 'abc', head_repository } })
const fork = { full_name: 'octo/shop' }
const own = { full_name: 'Shop/shop' }

test.each<[string, unknown, string | undefined]>([
  [
    'pull_request_target',
    pull(fork),
    'for the head of octo/shop: the service would build and run the code of a fork',
  ],
  ['pull_request_target', pull(null), 'for the head of a deleted fork:'],
  ['pull_request_target', {}, 'for the head of a deleted fork:'],
  ['pull_request_target', pull(own), undefined],
  ['workflow_run', after(fork), 'Nothing is packed on workflow_run for the head of octo/shop'],
  ['workflow_run', after(null), 'for the head of a deleted fork:'],
  ['workflow_run', after(own), undefined],
  // These come without secrets, or are nobody's change.
  ['pull_request', pull(fork), undefined],
  ['push', {}, undefined],
])('%s %j', (name, event, sentence) => {
  const why = whyNotPacked(name, event, { commit: 'abc' })
  if (sentence === undefined) expect(why).toBeUndefined()
  else expect(why).toContain(sentence)
})

test.each<[string, unknown, boolean]>([
  ['pull_request', fork, true],
  ['pull_request_review', fork, true],
  ['pull_request_review_comment', fork, true],
  ['pull_request', own, false],
  ['pull_request_review', own, false],
  ['pull_request_target', fork, false],
])('%s of %j: whether GitHub gives no secrets is %p', (name, repo, isSaid) => {
  const { withoutSecrets } = occasionOf(name, pull(repo))
  if (isSaid) expect(withoutSecrets).toMatch(/^GitHub gives no secrets to pull requests from forks\./)
  else expect(withoutSecrets).toBeUndefined()
})

test('the name of a fork is treated as text', () => {
  expect(whyNotPacked('pull_request_target', pull({ full_name: 'a\n::error::b' }))).not.toContain('\n')
})

test.each<[string, CheckedOut | undefined, string | undefined]>([
  ['pull_request_target', { commit: 'abc' }, undefined],
  ['pull_request_target', { commit: 'abc', repository: 'shop/shop' }, undefined],
  ['pull_request_target', { commit: 'def' }, 'is checked out, and what is checked out is def:'],
  ['pull_request_target', undefined, 'is checked out, and it is not known what is checked out:'],
  // A suite in a separate repository, for the preview of a pull request.
  ['pull_request_target', { commit: 'def', repository: 'shop/suite' }, undefined],
  ['pull_request', { commit: 'def' }, undefined],
  ['pull_request', undefined, undefined],
])('%s with %j checked out', (name, head, sentence) => {
  const why = whyNotPacked(name, pull(own), head)
  if (sentence === undefined) expect(why).toBeUndefined()
  else expect(why).toContain(sentence)
})
