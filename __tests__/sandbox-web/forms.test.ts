import { scopesFor } from '../../src/inputs/scopes.js'
import { loadTestInputs } from '../load-test-inputs.js'
import { accessToken, call, fieldValue, type Caller } from './caller.js'

/** The forms without scripts: credentials, and the code archive of a load test. */

const webshop = '/orgs/demo-org/projects/webshop'
let caller: Caller
beforeEach(async () => {
  caller = await call()
})
afterEach(() => caller.service.close())

describe('credentials', () => {
  const path = '/orgs/demo-org/credentials'
  const wish: [string, string][] = [
    ['name', 'pipeline'],
    ['expirationDate', '2026-07-15'],
    ['apiVersion', 'v1'],
    ['scope', 'LOADTEST_LIST'],
    ['scope', 'LOADTEST_STATUS'],
  ]

  test('are created as chosen, and their secret is shown once', async () => {
    const { status, location } = await caller.send(path, wish)
    expect([status, location]).toEqual([303, path])
    const page = await caller.open(path)
    const [id, secret] = [fieldValue(page, 'Client ID'), fieldValue(page, 'Client secret')]
    const created = caller.service.credentials('pipeline')
    expect(created).toMatchObject({ clientId: id, clientSecret: secret, organization: 'demo-org' })
    expect(created).toMatchObject({ expirationDate: '2026-07-15', apiVersion: 'v1' })
    expect(created.scopes).toEqual(['LOADTEST_LIST', 'LOADTEST_STATUS'])
    const secrets = caller.service.world.credentials.map(({ clientSecret }) => clientSecret)
    for (const one of [path, '/', webshop, `${webshop}/credentials`, `${path}/new`, '/sandbox/books']) {
      const text = await caller.open(one)
      for (const known of secrets) expect(text).not.toContain(known)
    }
  })

  test('work with the token endpoint until they are deleted, and so do their tokens', async () => {
    await caller.send(path, wish)
    const page = await caller.open(path)
    const [id, secret] = [fieldValue(page, 'Client ID'), fieldValue(page, 'Client secret')]
    expect((await caller.token(id, secret, 'CODEARCHIVE_UPLOAD')).status).toBe(400)
    const token = await accessToken(await caller.token(id, secret))
    const list = () => caller.api('loadTests', token)
    expect((await list()).status).toBe(200)
    expect((await caller.send(`${path}/${id}/delete`, [])).status).toBe(303)
    expect(await caller.open(path)).not.toContain(id)
    expect((await list()).status).toBe(401)
    expect((await caller.token(id, secret)).status).toBe(401)
    expect((await caller.send(`${path}/${id}/delete`, [])).text).toContain('are already deleted')
  })

  test('are offered with the scopes of this action, which are those that a run asks for', async () => {
    const form = await caller.open(`${path}/new?scopes=action`)
    const ticked = [...form.matchAll(/value="(?<scope>[A-Z_]+)" checked/g)].map(
      ({ groups }) => groups?.['scope'],
    )
    expect(ticked.sort()).toEqual([...scopesFor(loadTestInputs({ upload: 'true' }))].sort())
    expect(await caller.open(`${path}/new`)).not.toContain('" checked')
  })

  test('of a project belong only to it', async () => {
    await caller.send(`${webshop}/credentials`, wish)
    expect(caller.service.credentials('pipeline').project).toBe('webshop')
    const { clientId } = caller.service.credentials('pipeline')
    expect(await caller.open(path)).not.toContain(clientId)
    expect((await caller.send(`${path}/${clientId}/delete`, [])).status).toBe(404)
    expect(await caller.open(`${webshop}/credentials`)).toContain(clientId)
  })

  test('with mistakes come back with every mistake and what was entered', async () => {
    const { status, text } = await caller.send(path, [
      ['name', ''],
      ['expirationDate', '2026-07-14'],
      ['apiVersion', 'v3'],
    ])
    expect(status).toBe(400)
    for (const fault of [
      'Enter a name.',
      'Choose an expiration date in the future.',
      'Choose an API version.',
      'Choose at least one scope.',
    ]) {
      expect(text).toContain(`<li>${fault}</li>`)
    }
    expect(text).toContain('value="2026-07-14"')
    expect(caller.service.world.credentials).toHaveLength(5)
  })

  test.each<[string, [string, string][], string]>([
    ['an invalid date', [['expirationDate', '2026-02-30']], 'Enter the expiration date as YYYY-MM-DD.'],
    ['an unknown scope', [['scope', 'EVERYTHING']], 'Choose at least one scope.'],
    ['a long name', [['name', 'x'.repeat(101)]], 'Choose a name of at most 100 characters.'],
  ])('are refused for %s', async (_, changes, fault) => {
    const names = new Set(changes.map(([name]) => name))
    const fields = [...wish.filter(([name]) => !names.has(name)), ...changes]
    const { status, text } = await caller.send(path, fields)
    expect(status).toBe(400)
    expect(text).toContain(fault)
  })
})

describe('the credentials of the organization', () => {
  const path = `${webshop}/credentials`
  const disable = (value: string) => caller.send(`${path}/organization`, [['disabled', value]])

  test('are disabled in a project and enabled again, even for existing tokens', async () => {
    expect(await caller.open(path)).toContain('Disable them here')
    const list = async () => (await caller.api('loadTests')).status
    expect(await list()).toBe(200)
    const { clientId, clientSecret } = caller.service.credentials('everything')
    const token = await accessToken(await caller.token(clientId, clientSecret))
    const sent = await disable('yes')
    expect([sent.status, sent.location]).toEqual([303, path])
    expect(await list()).toBe(403)
    expect((await caller.api('loadTests', token)).status).toBe(403)
    expect(await caller.open(path)).toContain('Enable them here')
    expect(await caller.open('/orgs/demo-org/credentials')).toMatch(
      /except where they are disabled: <bdi>Webshop<\/bdi>, <bdi>Private shop<\/bdi>/,
    )
    await disable('no')
    expect(await list()).toBe(200)
  })

  test('stay enabled in other projects, and those of the project itself still work', async () => {
    await disable('yes')
    const { clientId, clientSecret } = caller.service.credentials('webshop only')
    const token = await accessToken(await caller.token(clientId, clientSecret))
    expect((await caller.api('loadTests', token)).status).toBe(200)
    const other = caller.organization.projects.get('private-shop')
    expect(other?.organizationCredentialsDisabled).toBe(true)
    await caller.send('/orgs/demo-org/projects/private-shop/credentials/organization', [['disabled', 'no']])
    expect(caller.webshop.organizationCredentialsDisabled).toBe(true)
  })
})

describe('a load test before its run', () => {
  const path = `${webshop}/load-tests/1`
  const record = async (number = 1) => (await caller.api(`loadTests/${number}`)).text()

  test('gets the archive that is chosen, or Use Latest, and a run is built from it', async () => {
    expect(await caller.open(path)).toContain('<option value="latest" selected>Use Latest</option>')
    expect((await caller.send(`${path}/code-archive`, [['archive', 'ca-1']])).location).toBe(
      `${path}#code-archive`,
    )
    expect(await record()).toContain('"useLatest":false,"codeArchiveId":"ca-1"')
    expect((await caller.send(`${path}/code-archive`, [['archive', 'ca-9']])).text).toContain(
      'Choose a code archive',
    )
    await caller.send(`${path}/code-archive`, [['archive', 'latest']])
    expect(await record()).toContain('"useLatest":true')
  })
})

test.each(['/orgs/demo-org', webshop])('%s links to its credentials', async (place) => {
  expect(await caller.open(place)).toContain(`href="${place}/credentials">API Client Credentials</a>`)
})
