import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jobFacts } from '../../src/github/occasion.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'occasion-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The facts of a job of shop/shop on an event. */
function factsOf(name: string, event: unknown) {
  const file = path.join(folder, 'event.json')
  writeFileSync(file, JSON.stringify(event))
  return jobFacts({ GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: file, GITHUB_REPOSITORY: 'shop/shop' })
    .occasion
}

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
  const { foreignHead } = factsOf(name, event)
  if (sentence === undefined) expect(foreignHead).toBeUndefined()
  else expect(foreignHead).toContain(sentence)
})

test.each<[string, unknown, boolean]>([
  ['pull_request', fork, true],
  ['pull_request_review', fork, true],
  ['pull_request_review_comment', fork, true],
  ['pull_request', own, false],
  ['pull_request_review', own, false],
  ['pull_request_target', fork, false],
])('%s of %j: whether GitHub gives no secrets is %p', (name, repo, isSaid) => {
  const { withoutSecrets } = factsOf(name, pull(repo))
  if (isSaid) expect(withoutSecrets).toMatch(/^GitHub gives no secrets to pull requests from forks\./)
  else expect(withoutSecrets).toBeUndefined()
})

test('the name of a fork is treated as text', () => {
  const { foreignHead } = factsOf('pull_request_target', pull({ full_name: 'a\n::error::b' }))
  expect(foreignHead).not.toContain('\n')
})
