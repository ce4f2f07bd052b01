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
    ['scope', 'LOADTEST_LIST'],
    ['scope', 'LOADTEST_STATUS'],
  ]

  test('are created as chosen, their secret is shown once, and they work with the token endpoint', async () => {
    const { status, text: page } = await caller.send(path, wish)
    expect(status).toBe(201)
    const [id, secret] = [fieldValue(page, 'Client ID'), fieldValue(page, 'Client secret')]
    const created = caller.service.credentials('pipeline')
    expect(created).toMatchObject({ clientId: id, clientSecret: secret, organization: 'demo-org' })
    expect(created.scopes).toEqual(['LOADTEST_LIST', 'LOADTEST_STATUS'])
    const secrets = caller.service.world.credentials.map(({ clientSecret }) => clientSecret)
    for (const one of [path, '/', webshop, `${webshop}/credentials`, `${path}/new`]) {
      const text = await caller.open(one)
      for (const known of secrets) expect(text).not.toContain(known)
    }
    expect((await caller.token(id, secret, 'CODEARCHIVE_UPLOAD')).status).toBe(400)
    const token = await accessToken(await caller.token(id, secret))
    expect((await caller.api('loadTests', token)).status).toBe(200)
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
    const { clientId, project } = caller.service.credentials('pipeline')
    expect(project).toBe('webshop')
    expect(await caller.open(path)).not.toContain(clientId)
    expect(await caller.open(`${webshop}/credentials`)).toContain(clientId)
  })

  test.each([
    ['an unknown scope', 'x', 'EVERYTHING', ['Choose at least one scope.']],
    ['a long name', 'x'.repeat(101), 'LOADTEST_LIST', ['Enter a name of at most 100 characters.']],
    ['nothing', '', '', ['Enter a name of at most 100 characters.', 'Choose at least one scope.']],
  ])('are refused for %s, with what was entered', async (_, name, scope, faults) => {
    const { status, text } = await caller.send(path, [
      ['name', name],
      ['scope', scope],
    ])
    expect(status).toBe(400)
    for (const fault of faults) expect(text).toContain(`<li>${fault}</li>`)
    expect(text).toContain(`value="${name}"`)
    expect(caller.service.world.credentials).toHaveLength(5)
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

test.each([
  ['/', '/orgs/demo-org'],
  [webshop, webshop],
])('%s links to the credentials of %s', async (page, place) => {
  expect(await caller.open(page)).toContain(`href="${place}/credentials">API Client Credentials</a>`)
})
