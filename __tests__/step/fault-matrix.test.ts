import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { rows, type Row, type Seen } from './fault-matrix-table.js'
import { startSandbox, type Ran, type Sandbox } from './sandbox.js'

/*
 * Each row runs dist in a job of its own, against a service of its own. UPDATE_DOCS=1 writes docs/faults.md.
 */

const docs = 'docs/faults.md'
const lanes = { working: 3, waiting: 12 }
const marks = ['<!-- results -->', '<!-- end of results -->'] as const

const results = new Map<Row, PromiseWithResolvers<Seen>>(rows.map((row) => [row, Promise.withResolvers<Seen>()]))
let finished: Promise<unknown>

beforeAll(() => {
  for (const { promise } of results.values()) promise.catch(() => undefined)
  finished = Promise.all([
    inLanes(lanes.waiting, rows.filter(({ waits }) => waits)),
    inLanes(lanes.working, rows.filter(({ waits }) => !waits)),
  ])
})
afterAll(() => finished, 600_000)

test.each(rows.map((row): [string, string, Row] => [row.fault, row.phase, row]))(
  '%s: %s',
  async (_fault, _phase, row) => {
    expect(await results.get(row)?.promise).toEqual(row.expected)
  },
  600_000,
)

test('no row starts twice, and none loses a run', async () => {
  const seen = await Promise.all([...results.values()].map(({ promise }) => promise))
  expect(seen.filter(({ starts }) => starts > 1)).toEqual([])
  expect(seen.filter(({ lost }) => lost === 'the run')).toEqual([])
  expect(seen.filter(({ starts, told }) => starts === 1 && told !== 'own run' && told !== 'listed')).toEqual([])
}, 600_000)

test('docs/faults.md holds the results', async () => {
  const seen = await Promise.all(rows.map(async (row) => ({ row, seen: await results.get(row)?.promise })))
  const lines = seen.map(({ row, seen }) => [row.fault, row.phase, ...(seen ? cells(seen) : [])])
  const table = markdown([['fault', 'phase', 'verdict', 'runs started', 'uploads', 'run-number', 'lost'], ...lines])
  process.stdout.write(`${table}\n`)
  const text = readFileSync(docs, 'utf8')
  const [before = '', rest = ''] = text.split(marks[0])
  const [, after = ''] = rest.split(marks[1])
  const fresh = `${before}${marks[0]}\n\n${table}\n\n${marks[1]}${after}`
  if (process.env['UPDATE_DOCS']) writeFileSync(docs, fresh)
  else expect(text).toBe(fresh)
}, 600_000)

async function inLanes(width: number, queue: Row[]): Promise<void> {
  const left = [...queue]
  const lane = async () => {
    for (let row = left.shift(); row; row = left.shift()) {
      const result = results.get(row)
      try {
        result?.resolve(await runRow(row))
      } catch (error) {
        result?.reject(error)
      }
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
}

async function runRow(row: Row): Promise<Seen> {
  const sandbox = await startSandbox({ ...row.settings, faults: row.faults })
  try {
    return observe(sandbox, await sandbox.run(row.inputs), row)
  } finally {
    await sandbox.close()
  }
}

function observe(sandbox: Sandbox, ran: Ran, row: Row): Seen {
  const { books } = sandbox.service
  const { outputs } = ran
  const own = books.starts.filter(({ foreign }) => !foreign)
  const verdict = row.expected.verdict === outputs['verdict'] ? row.expected.verdict : undefined
  if (!verdict) {
    throw new Error(`${row.fault}, ${row.phase}: verdict ${outputs['verdict']}\n${ran.log}\n${requests(sandbox)}`)
  }
  const number = outputs['run-number']
  const isOwn = own.some((start) => String(start.number) === number)
  const isListed = own.some((start) => new RegExp(`known which .*\\b${start.number} \\("`).test(ran.log))
  const told = isOwn ? 'own run' : number ? "another job's run" : isListed ? 'listed' : 'nothing'
  if (ran.conclusion === 'success') expectReport(sandbox, outputs)
  return {
    verdict,
    starts: own.length,
    told,
    uploads: sandbox.uploads().filter(({ foreign }) => !foreign).length,
    lost: lost(sandbox, ran, row, told, own[0]?.archiveId),
  }
}

/** A green step has its report as an artifact, and whole. */
function expectReport({ github }: Sandbox, outputs: Ran['outputs']): void {
  expect(outputs['verdict']).toBe('passed')
  const report = github.store.artifacts.find(({ id }) => String(id) === outputs['report-artifact-id'])
  expect(report?.name).toBe(report?.mimeType.includes('zip') && !report.name.endsWith('.gz') ? 'load-test-report.zip' : 'load-test-report.tar.gz')
  const bytes = readFileSync(report?.path ?? '')
  if (report?.name.endsWith('.gz')) expect(gunzipSync(bytes).includes('<testreport')).toBe(true)
}

function lost(
  { github, uploads }: Sandbox,
  { outputs }: Ran,
  row: Row,
  told: Seen['told'],
  built: string | undefined,
): Seen['lost'] {
  if (built !== undefined && told === 'nothing') return 'the run'
  if (built !== undefined && !uploads().some(({ id, foreign }) => id === built && !foreign)) return 'the code, which did not run'
  if (built !== undefined && !outputs['report-artifact-id']) return 'the report, for now'
  const has = (name: string) => github.store.artifacts.some((artifact) => artifact.name.startsWith(name))
  return built !== undefined && row.phase === 'result' && !has('load-test-results') ? 'the result, for now' : 'nothing'
}

function requests({ service }: Sandbox): string {
  return service.books.requests
    .map(({ operation, status, faults }) => `${operation} ${status} ${faults.join()}`)
    .join('\n')
}

function cells({ verdict, starts, told, uploads, lost }: Seen): string[] {
  return [verdict, String(starts), String(uploads), told, lost]
}

/** A table with aligned columns, as the formatter writes it. */
function markdown([head = [], ...body]: string[][]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((line) => line[column]?.length ?? 0)))
  const line = (content: string[]) => `| ${content.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
