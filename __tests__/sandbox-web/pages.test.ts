import http from 'node:http'
import { newProject } from '../../sandbox/service/world.js'
import { call, projectNames, type Caller } from './caller.js'

/** The pages as any client gets them, and what they must not affect. */

const webshop = '/orgs/demo-org/projects/webshop'
let caller: Caller
beforeEach(async () => {
  caller = await call()
})
afterEach(() => caller.service.close())

test('the home page begins empty and shows the opened projects, the last one first', async () => {
  expect(await caller.open('/')).toContain('You have not opened a project yet.')
  await caller.open(webshop)
  caller.pass(60)
  await caller.open('/orgs/demo-org/projects/private-shop')
  expect(projectNames(await caller.open('/'))).toEqual(['Private shop', 'Webshop'])
  caller.pass(60)
  await caller.open(webshop)
  expect(projectNames(await caller.open('/'))).toEqual(['Webshop', 'Private shop'])
})

test('the home page shows at most six projects; All projects shows every one', async () => {
  for (let index = 1; index <= 8; index++) {
    const project = newProject(`p-${index}`, `Project ${index}`, [])
    caller.organization.projects.set(project.shortName, project)
    caller.pass(60)
    await caller.open(`/orgs/demo-org/projects/p-${index}`)
  }
  const shown = ['Project 8', 'Project 7', 'Project 6', 'Project 5', 'Project 4', 'Project 3']
  expect(projectNames(await caller.open('/'))).toEqual(shown)
  expect(projectNames(await caller.open('/projects'))).toHaveLength(10)
})

test('half a year of history fills the demo organization, the same for the same seed', async () => {
  const first = await call({ history: true })
  const second = await call({ history: true })
  try {
    const page = await first.open(webshop)
    expect(await second.open(webshop)).toBe(page)
    expect(page).toMatch(/\d+ load tests on \d+ of 182 days, at most \d+ per day/)
    expect(page).toContain('Show all')
    expect(projectNames(await first.open('/'))).toEqual([
      ...['Webshop', 'Mobile app', 'Checkout', 'Search', 'Private shop', 'Loyalty programme'],
    ])
    expect(await first.open('/orgs/demo-org/projects/mobile-app')).toContain('RUNNING: 1')
    const numbers = first.webshop.loadTests.map(({ number }) => number)
    expect(new Set(numbers).size).toBe(numbers.length)
    const rows = (await first.open(`${webshop}?show=all`)).match(/load-tests\/\d+"><bdi>/g) ?? []
    expect(rows).toHaveLength(numbers.length)
  } finally {
    await first.service.close()
    await second.service.close()
  }
})

test.each([
  ['182 days', Date.UTC(2026, 6, 15)],
  ['185 days', Date.UTC(2026, 7, 31, 12)],
])(
  'in a half-year of %s, home, organization, pie, chart and list count the same load tests, and no template',
  async (_, now) => {
    const visitor = await call({ history: true, clock: () => now })
    try {
      const started = visitor.webshop.loadTests.filter(({ run }) => run).length
      const plain = async (path: string) =>
        (await visitor.open(path)).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
      const project = await plain(webshop)
      expect(await plain('/')).toContain(`Webshop demo-org · ${started} load tests`)
      expect(await plain('/orgs/demo-org')).toContain(` Webshop ${started} `)
      expect(project).toContain(`${started} load tests on `)
      expect(project).toContain(`Show all ${started} load tests`)
      const [, counts = ''] = /Load tests by state: ([^"]*)/.exec(await visitor.open(webshop)) ?? []
      const sum = [...counts.matchAll(/ (\d+)/g)].reduce((total, [, count]) => total + Number(count), 0)
      expect(sum).toBe(started)
      expect(await plain('/projects')).toMatch(/Private shop demo-org 0 no load test yet/)
    } finally {
      await visitor.service.close()
    }
  },
)

test('the chart begins on the same day six months ago; what is older does not count', async () => {
  const [old] = caller.webshop.loadTests.filter(({ run }) => run)
  if (!old?.run) throw new Error('There is no run.')
  old.run.createdAt = Date.UTC(2026, 0, 15, 0, 0)
  expect(await caller.open(webshop)).toContain('<title>2026-01-15: 1 load test</title>')
  old.run.createdAt = Date.UTC(2026, 0, 14, 23, 59)
  expect(await caller.open(webshop)).toContain('No load test was started in the last six months.')
})

test('in a month without that day, it begins on the last day', async () => {
  const late = await call({ clock: () => Date.UTC(2026, 7, 31, 12) })
  try {
    // From 28 February to 31 August.
    expect(await late.open(webshop)).toContain('1 load test on 1 of 185 days')
  } finally {
    await late.service.close()
  }
})

test('a load test shows its run; reports and results are downloaded', async () => {
  const page = await caller.open(`${webshop}/load-tests/9`)
  for (const text of [
    'FINISHED',
    '2026-07-14 10:15 UTC',
    'Webshop from Git',
    'none, from Git',
    '13\u00a0min',
  ]) {
    expect(page).toContain(text)
  }
  for (const kind of ['report', 'result']) {
    const response = await fetch(`${caller.service.url}${webshop}/load-tests/9/${kind}`)
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="webshop-9-${kind}.tar.gz"`,
    )
    const bytes = Buffer.from(await response.arrayBuffer())
    expect([...bytes.subarray(0, 2)]).toEqual([0x1f, 0x8b])
  }
  expect(await caller.open(`${webshop}/load-tests/1`)).not.toContain('Download')
  expect(await caller.open(`${webshop}/load-tests/1/report`, 404)).toContain('Load test 1 has no report.')
})

test('a description keeps its line breaks', async () => {
  const page = await caller.open(`${webshop}/load-tests/1`)
  expect(page).toContain('<br><bdi>Browse, search &amp; buy, 20 users &lt;each&gt;.</bdi><br>')
})

test.each([
  ['/orgs/nobody/credentials', 'There is no organization nobody.'],
  ['/orgs/demo-org/projects/nothing', 'Organization demo-org has no project nothing.'],
  [`${webshop}/load-tests/99`, 'Project webshop has no load test 99.'],
  [`${webshop}/load-tests/x`, 'Project webshop has no load test x.'],
  ['/orgs/%3Cscript%3E/credentials', 'There is no organization &lt;script&gt;.'],
])('a missing page says so: %s', async (path, sentence) => {
  expect(await caller.open(path, 404)).toContain(sentence)
})

describe('who may send forms and open pages', () => {
  const create: [string, string][] = [
    ['name', 'x'],
    ['apiVersion', 'v2'],
    ['scope', 'LOADTEST_LIST'],
  ]
  const path = '/orgs/demo-org/credentials'

  test.each<[string, Record<string, string>]>([
    ['without a word on its origin', {}],
    ['of another site', { origin: 'http://evil.example' }],
    ['of another port', { origin: 'http://127.0.0.1:1' }],
    ['of a sandboxed frame', { origin: 'null' }],
    ['that a browser calls foreign', { 'sec-fetch-site': 'cross-site' }],
    ['that a browser calls a sibling', { 'sec-fetch-site': 'same-site' }],
  ])('a form %s is refused', async (_, headers) => {
    const before = caller.service.world.credentials.length
    const { status, text } = await caller.send(path, create, headers)
    expect(status).toBe(403)
    expect(text).toContain('This form did not come from a page of the sandbox.')
    expect(caller.service.world.credentials).toHaveLength(before)
  })

  test("the service's form is accepted, whether the browser is old or new", async () => {
    expect((await caller.send(path, create)).status).toBe(303)
    expect((await caller.send(path, create, { 'sec-fetch-site': 'same-origin' })).status).toBe(303)
  })

  test('an invalid form is refused', async () => {
    const headers = { origin: caller.service.url, 'content-type': 'application/json' }
    const response = await fetch(`${caller.service.url}${path}`, { method: 'POST', body: '{}', headers })
    expect(response.status).toBe(415)
  })

  test.each([
    ['evil.example', 403],
    ['localhost', 200],
    ['[::1]', 200],
  ])('a request to the host %s: %i', async (host, status) => {
    const { port } = new URL(caller.service.url)
    const seen = await new Promise((resolve, reject) => {
      http
        .get(caller.service.url, { headers: { host: `${host}:${port}` } }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        .on('error', reject)
    })
    expect(seen).toBe(status)
  })

  test('every page forbids what it does not need', async () => {
    for (const one of ['/', webshop, '/orgs/nobody/credentials', '/web/frame.css']) {
      const { headers } = await fetch(`${caller.service.url}${one}`)
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; (?!.*unsafe)/)
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })
})

describe('the machine interface beside the pages', () => {
  test('pages are not in the books, and faults do not affect them', async () => {
    caller.service.faults.add({ operation: '*', times: 'always', fault: { kind: 'drop-before' } })
    await caller.open(webshop)
    const headers = { 'x-sandbox-fault': '{"kind":"status","status":500}' }
    expect((await fetch(`${caller.service.url}/`, { headers })).status).toBe(200)
    expect(caller.service.books.requests).toEqual([])
  })

  test('the OpenAPI document is the same with pages', async () => {
    const without = await call({ web: false })
    try {
      expect(await caller.open('/public/api/json')).toBe(await without.open('/public/api/json'))
    } finally {
      await without.service.close()
    }
  })

  test('an unknown address of the interface is answered in JSON', async () => {
    expect(JSON.parse(await caller.open('/public/api/v1/nothing', 404))).toMatchObject({ code: 'NOT_FOUND' })
  })

  test('without pages there is nothing at their addresses', async () => {
    const without = await call({ web: false })
    try {
      for (const path of ['/', webshop, '/web/frame.css']) {
        expect(JSON.parse(await without.open(path, 404))).toMatchObject({ code: 'NOT_FOUND' })
      }
    } finally {
      await without.service.close()
    }
  })
})
