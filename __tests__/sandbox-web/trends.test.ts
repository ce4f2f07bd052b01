import { call, type Caller } from './caller.js'

/** Trend reports without scripts. */

const webshop = '/orgs/demo-org/projects/webshop'
const path = `${webshop}/trends`
let caller: Caller
/** Four runs: 9, from yesterday; 10; 11, which is half as fast; and 12. */
beforeAll(async () => {
  caller = await call()
  for (const slowdown of [1, 1.5, 1]) {
    caller.service.settings.slowdown = slowdown
    await caller.api('loadTests/3/runCopy')
    caller.pass(60)
  }
})
afterAll(() => caller.service.close())

const create = (numbers: readonly number[], name = '') =>
  caller.send(path, [
    ...numbers.map((number): [string, string] => ['report', String(number)]),
    ['name', name],
  ])

test('show each timer over the chosen reports, the oldest first, with what changed', async () => {
  const { status, location } = await create([11, 9, 10])
  expect([status, location]).toEqual([303, `${path}/1`])
  const page = await caller.open(location ?? '')
  expect(page).toContain('<h1><bdi>Trend from load test 9 to 11</bdi></h1>')
  for (const kind of ['Transactions', 'Actions', 'Requests', 'Page loads', 'Custom timers']) {
    expect(page).toContain(`<caption>${kind}, p95</caption>`)
    expect(page).toMatch(
      new RegExp(`aria-label="${kind}, p95: #9 [\\d,]+\\sms, #10 [\\d,]+\\sms, #11 [\\d,]+\\sms"`),
    )
  }
  const requests = page.slice(page.indexOf('<caption>Requests, p95'), page.indexOf('id="page-loads"'))
  expect([...requests.matchAll(/<th scope="col"[^>]*>([^<]+)/g)].map(([, head]) => head)).toEqual([
    ...['Name', 'Since the first', 'Since the previous', '#9', '#10', '#11'],
  ])
  expect(requests).toMatch(/<th scope="row">All<\/th>.*\(\+\d\d%\) worse/)
  const changes = [...requests.matchAll(/<tr>[^(]*\((?<change>[+−]?[\d.]+)%\)/g)].map(({ groups }) =>
    Number(groups?.['change']?.replace('−', '-')),
  )
  const [, ...timers] = changes
  expect(timers.length).toBeGreaterThan(15)
  expect(timers).toEqual(timers.toSorted((one, other) => Math.abs(other) - Math.abs(one)))
  expect(Math.min(...timers)).toBeGreaterThan(10)
})

test('show the chosen figure', async () => {
  const { location } = await create([9, 10])
  const page = await caller.open(`${location ?? ''}?metric=error-rate`)
  expect(page).toContain('<caption>Requests, error rate</caption>')
  expect(page).toContain('#9 0%, #10 0%')
})

test('have the newest reports ticked at first, and keep what was entered', async () => {
  const ticked = (page: string) =>
    [...page.matchAll(/name="report" value="(\d+)" checked/g)].map(([, one]) => one)
  expect(ticked(await caller.open(`${path}/new`))).toEqual(['12', '11', '10', '9'])
  const { status, text } = await create([10], 'Two & more')
  expect(status).toBe(400)
  expect(text).toContain('<li>Choose at least two reports.</li>')
  expect(ticked(text)).toEqual(['10'])
  expect(text).toContain('value="Two &amp; more"')
  expect((await create([10, 10, 99, 1])).text).toContain('Choose at least two reports.')
  expect((await create([9, 10], 'x'.repeat(101))).text).toContain('Choose a name of at most 100 characters.')
})

test('take at most ten reports', async () => {
  const many = await call({ history: true })
  try {
    const numbers = many.webshop.loadTests
      .filter(({ run }) => run?.end === 'FINISHED')
      .map(({ number }) => number)
    const fields = numbers.slice(0, 11).map((number): [string, string] => ['report', String(number)])
    const { status, text } = await many.send(path, fields)
    expect(status).toBe(400)
    expect(text).toContain('<li>Choose at most 10 reports.</li>')
  } finally {
    await many.service.close()
  }
})

test('are listed by their project, and deleted', async () => {
  const { location } = await create([9, 12], 'Release & now')
  expect(await caller.open(webshop)).toContain(`href="${location ?? ''}"><bdi>Release &amp; now`)
  expect((await caller.send(`${location ?? ''}/delete`, [])).location).toBe(`${webshop}#trend-reports`)
  expect(await caller.open(location ?? '', 404)).toMatch(/Project webshop has no trend report \d+\./)
  expect(await caller.open(webshop)).not.toContain('Release &amp; now')
  const other = await caller.open('/orgs/demo-org/projects/private-shop')
  expect(other).toContain('You need two reports to see a trend.')
})
