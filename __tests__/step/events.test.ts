import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { share } from '../daily.js'
import {
  inputsOf,
  openEvents,
  refusals,
  rows,
  type EventRow,
  type Events,
  type Refusal,
} from './event-rows.js'
import { expectMarkdown, expectOwnCommands } from './harm.js'
import type { Ran } from './sandbox.js'

/* Every event: what is tested, what it is compared with, and where comment and status go; through dist/. */

let events: Events
beforeAll(async () => {
  events = await openEvents()
})
beforeEach(() => events.reset())
afterAll(() => events.close())

function run(row: EventRow | Refusal): Promise<Ran> {
  events.checkOut(row)
  const github = events.happening(row)
  return events.sandbox.run(inputsOf(row), { job: { github } })
}

const comments = () => events.sandbox.github.store.commentsOf(7).map(({ body }) => body)

/** Whatever branches and comments are called. */
function expectHarmless(ran: Ran) {
  expectOwnCommands(ran.rawStdout + ran.rawStderr)
  for (const text of [ran.summary, ...comments()]) expectMarkdown(text)
  expect(existsSync(path.join(events.sandbox.workspace, 'trapped'))).toBe(false)
}

test.each(share(rows, 1))(
  '$event at $at tests $tested, is compared with $comparedWith, comments: $commented',
  async (row) => {
    const ran = await run(row)
    expect(ran.outputs['verdict']).toBe('passed')
    expect(events.told(events.sandbox.runId)).toEqual(events.due(row))
    expectHarmless(ran)
  },
)

test.each(share(refusals, 1))('$event is refused if $because: the service is not asked', async (row) => {
  const ran = await run(row)
  expect([ran.conclusion, ran.outputs['verdict']]).toEqual(['failure', 'error'])
  expect(ran.log).toContain(row.says)
  expect(events.sandbox.service.books.requests).toEqual([])
  expectHarmless(ran)
})

test('every event of the documents has its rows', () => {
  const page = readFileSync('docs/events.md', 'utf8')
  const [table = ''] = /^\| event[^]*?\n\n/m.exec(page) ?? []
  const documented = [...table.matchAll(/^\| (`.*?) *\|/gm)].flatMap(([, cell = '']) => cell.split('; '))
  expect(documented.length).toBeGreaterThan(10)
  expect([...new Set(rows.map(({ event }) => event))].sort()).toEqual([...documented].sort())
})
