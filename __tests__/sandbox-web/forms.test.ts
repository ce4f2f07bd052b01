import { scopesFor } from '../../src/inputs/scopes.js'
import { loadTestInputs } from '../load-test-inputs.js'
import { accessToken, call, fieldValue, projectNames, type Caller } from './caller.js'

/** The forms without scripts: credentials, labels of reports, comparison reports. */

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

test('an archived project leaves the home page until it is restored, and still works', async () => {
  const page = await caller.open(webshop)
  expect(page).toContain('Archive project')
  const archive = (value: string) => caller.send(`${webshop}/archived`, [['archived', value]])
  expect((await archive('yes')).location).toBe(webshop)
  expect(await caller.open(webshop)).toContain('Restore project')
  expect(projectNames(await caller.open('/'))).toEqual([])
  expect(projectNames(await caller.open('/projects'))).toContain('Webshop')
  expect(projectNames(await caller.open('/orgs/demo-org'))).toEqual(['Private shop', 'Webshop'])
  expect((await caller.api('loadTests')).status).toBe(200)
  await archive('no')
  expect(projectNames(await caller.open('/'))).toEqual(['Webshop'])
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

  test('gets another description, whose line breaks stay', async () => {
    const sent = await caller.send(`${path}/description`, [['description', 'One\r\n\r\n<b>two</b>']])
    expect(sent.location).toBe(`${path}#description`)
    expect(await record()).toContain('"description":"One\\n\\n<b>two</b>"')
    expect(await caller.open(path)).toContain('>\nOne\n\n&lt;b&gt;two&lt;/b&gt;</textarea>')
  })

  test('is duplicated without a run, with its setting of the archive', async () => {
    await caller.send(`${path}/code-archive`, [['archive', 'ca-1']])
    expect((await caller.send(`${path}/duplicate`, [])).location).toBe(`${webshop}/load-tests/10`)
    expect(await record(10)).toMatch(/"state":"NEW".*"codeArchiveId":"ca-1"/)
    expect(caller.service.books.starts).toEqual([])
    expect((await caller.send(`${webshop}/load-tests/99/duplicate`, [])).status).toBe(404)
  })
})

test.each(['/orgs/demo-org', webshop])('%s has its credentials under Integrations', async (place) => {
  expect(await caller.open(place)).toContain(`href="${place}/integrations">Integrations</a>`)
  expect(await caller.open(`${place}/integrations`)).toContain(
    `href="${place}/credentials">API Client Credentials</a>`,
  )
  expect(await caller.open(`${place}/credentials`)).toContain(
    `href="${place}/integrations"><bdi>Integrations`,
  )
})

describe('comparison reports', () => {
  /** Two finished runs: 9, from yesterday, and 10. */
  async function twoRuns() {
    caller.service.settings.slowdown = 1.5
    await caller.api('loadTests/3/runCopy')
    caller.pass(60)
  }
  const path = `${webshop}/comparisons`

  test('take the older load test as the baseline, or the newer one in reverse order', async () => {
    await twoRuns()
    for (const [first, second] of [
      ['9', '10'],
      ['10', '9'],
    ] as const) {
      const sent = await caller.send(path, [
        ['first', first],
        ['second', second],
      ])
      const page = await caller.open(sent.location ?? '')
      expect(page).toContain('<h1><bdi>Load test 10 against baseline load test 9</bdi></h1>')
      expect(page).toMatch(/\(\+[45]\d%\) worse/)
    }
    const sent = await caller.send(path, [
      ['first', '9'],
      ['second', '10'],
      ['reversed', 'yes'],
      ['name', 'Back & forth'],
    ])
    const page = await caller.open(sent.location ?? '')
    expect(page).toContain('<h1><bdi>Back &amp; forth</bdi></h1>')
    expect(page).toMatch(/\(−3\d%\) better/)
    expect(page).not.toContain('worse')
    const list = await caller.open(webshop)
    expect(list).toContain(`href="${path}/3"><bdi>Back &amp; forth`)
    expect(list.match(/comparisons\/\d+"/g)).toHaveLength(3)
  })

  test('show the labels of their reports in the columns, as they were at the time', async () => {
    await twoRuns()
    const label = (number: number, text: string) =>
      caller.send(`${webshop}/load-tests/${number}/report-label`, [['label', text]])
    expect((await label(9, 'Release 4.2')).location).toBe(`${webshop}/load-tests/9#reports`)
    await label(10, '<b>next</b>')
    const sent = await caller.send(path, [
      ['first', '10'],
      ['second', '9'],
    ])
    await label(9, '')
    const page = await caller.open(sent.location ?? '')
    expect(page).toContain('>Baseline: Release 4.2</th>')
    expect(page).toContain('>Measurement Run: &lt;b&gt;next&lt;/b&gt;</th>')
    expect(await caller.open(`${webshop}/load-tests/9`)).toContain('Final report')
    expect((await label(9, 'x'.repeat(61))).status).toBe(400)
  })

  test('and the machine interface show the label of a report, if it lists reports', async () => {
    caller.service.settings.reportsField = 'reports'
    const details = async () => (await caller.api('loadTests/9')).text()
    expect(await details()).toContain('"reports":[{"number":1,"label":"Final report"}]')
    await caller.send(`${webshop}/load-tests/9/report-label`, [['label', 'Release 4.2']])
    expect(await details()).toContain('"reports":[{"number":1,"label":"Release 4.2"}]')
  })

  test('show each timer by the figure that was chosen', async () => {
    await twoRuns()
    const sent = await caller.send(path, [
      ['first', '10'],
      ['second', '9'],
    ])
    const page = await caller.open(`${sent.location ?? ''}?metric=mean`)
    for (const kind of ['Transactions', 'Actions', 'Requests', 'Page loads', 'Custom timers']) {
      expect(page).toContain(`<caption>${kind}, mean</caption>`)
      expect(page).toContain(`${kind}, p95</th>`)
    }
    expect(page).toContain('TCheckout')
    expect(page).toContain('PlaceOrder.1')
    expect(await caller.open(sent.location ?? '')).toContain('Actions, p95</caption>')
    expect(await caller.open(`${sent.location ?? ''}?metric=__proto__`)).toContain('Actions, p95</caption>')
  })

  test('begin with the largest change', async () => {
    await twoRuns()
    const sent = await caller.send(path, [
      ['first', '10'],
      ['second', '9'],
    ])
    const page = await caller.open(sent.location ?? '')
    const requests = page.slice(page.indexOf('<caption>Requests, p95'), page.indexOf('id="page-loads"'))
    const changes = [...requests.matchAll(/\((?<change>[+−][\d.]+)%\)/g)].map(({ groups }) =>
      Number(groups?.['change']?.replace(/[+−]/, '')),
    )
    expect(changes.length).toBeGreaterThan(15)
    expect(new Set(changes).size).toBeGreaterThan(3)
    expect(changes).toEqual(changes.toSorted((one, other) => other - one))
  })

  test('are deleted one by one, and their addresses are never used again', async () => {
    await twoRuns()
    const create = () =>
      caller.send(path, [
        ['first', '9'],
        ['second', '10'],
      ])
    await create()
    expect((await create()).location).toBe(`${path}/2`)
    expect((await caller.send(`${path}/2/delete`, [])).location).toBe(`${webshop}#comparison-reports`)
    expect(await caller.open(`${path}/2`, 404)).toContain('Project webshop has no comparison report 2.')
    expect((await caller.send(`${path}/2/delete`, [])).status).toBe(404)
    const list = await caller.open(webshop)
    expect(list).toContain(`${path}/1"`)
    expect(list).not.toContain(`${path}/2"`)
    expect((await create()).location).toBe(`${path}/3`)
    expect(await caller.open(`${webshop}/load-tests/9`)).toContain('Download report 1')
  })

  test('are refused for a single report, for none and for a missing one', async () => {
    await twoRuns()
    const same = await caller.send(path, [
      ['first', '9'],
      ['second', '9'],
    ])
    expect(same.status).toBe(400)
    expect(same.text).toContain('Choose two different reports.')
    const none = await caller.send(path, [['second', '1']])
    expect(none.text).toContain('Choose the first report.')
    expect(none.text).toContain('Choose the second report.')
  })

  test('need two reports', async () => {
    expect(await caller.open(webshop)).toContain('You need two reports to compare.')
  })
})
