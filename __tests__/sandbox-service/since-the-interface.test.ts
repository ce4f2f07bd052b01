import { field, visit, type Visitor } from './visitor.js'

/**
 * Changes of the service since its interface was written; each is a setting, and the default is the interface's
 * version.
 */
let visitor: Visitor
beforeEach(async () => {
  visitor = await visit()
})
afterEach(() => visitor.leave())

test.each<['precedence' | 'explicit', boolean, boolean]>([
  ['precedence', false, true],
  ['explicit', false, false],
  ['explicit', true, true],
])('archives: %s, enabled by the load test: %s', async (archives, archiveEnabled, built) => {
  visitor.service.settings.archives = archives
  const template = visitor.service.books.loadTests['webshop']?.find(({ number }) => number === 2)
  if (!template) throw new Error('no template')
  template.source.archiveEnabled = archiveEnabled
  expect((await visitor.call('v1/loadTests/2/runCopy')).status).toBe(200)
  expect(visitor.service.books.starts.at(-1)?.archiveId !== undefined).toBe(built)
})

test('a load test without a repository builds from its archive in either case', async () => {
  visitor.service.settings.archives = 'explicit'
  await visitor.call('v1/loadTests/1/runCopy')
  expect(visitor.service.books.starts.at(-1)?.archiveId).toBe('ca-1')
})

test('credentials expire at the end of the named day, UTC', async () => {
  visitor.service.credentials('everything').expirationDate = '2026-01-17'
  visitor.pass(13.75 * 3600 - 1)
  expect(await visitor.token()).not.toBe('undefined')
  visitor.pass(1)
  expect(await visitor.token()).toBe('undefined')
})

test('the details name the page, and the status the revision, if that is set', async () => {
  await visitor.call('v1/loadTests/1/runCopy')
  const read = async (place: string, name: string) => field((await visitor.call(place)).body, `data.${name}`)
  expect(await read('v1/loadTests/10', 'url')).toBe('undefined')
  expect(await read('v1/loadTests/10/status', 'revision')).toBe('undefined')
  Object.assign(visitor.service.settings, { pageShown: true, revisionShown: true })
  expect(await read('v1/loadTests/10', 'url')).toBe(
    `${visitor.service.url}/orgs/demo-org/projects/webshop/load-tests/10`,
  )
  expect(await read('v1/loadTests/10/status', 'revision')).toMatch(/^[0-9a-f]{128}$/)
  await visitor.call('v1/loadTests/3/runCopy')
  expect(await read('v1/loadTests/11/status', 'revision')).toMatch(/^[0-9a-f]{40}$/)
  expect(await read('v1/loadTests/3/status', 'revision')).toBe('undefined')
})
