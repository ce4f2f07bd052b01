import { readFileSync } from 'node:fs'
import { asAssumed, assumptions, type OpenQuestions } from '../../sandbox/service/assumptions.js'
import { ofAccess } from '../../sandbox/service/assumptions/access.js'
import type { Assumption, Case } from '../../sandbox/service/assumptions/assumption.js'
import { ofTemplate } from '../../sandbox/service/assumptions/template.js'
import { defaultSettings, type ServiceSettings } from '../../sandbox/service/settings.js'
import { withAssumptions } from '../../scripts/readme-tables.js'
import { daily, thorough } from '../daily.js'
import { hurried, quick, startSandbox, type Ran, type Sandbox } from './sandbox.js'

/* Each assumption of docs/internals/service.md, with the local service set the other way: the step and mode check. */

interface Tried extends Case {
  /** Mode check is tried, too: it looks at this before a start. */
  isChecked: boolean
}

const beforeTheStart: readonly Assumption[] = [...ofAccess, ...ofTemplate]

/** A case of a row, by a name that says which. */
const rows = assumptions.flatMap((row) => {
  const otherwise = { ...('beside' in row ? row.beside : {}), [row.setting]: row.or[0] }
  return row.cases.map((one: Case): [string, Tried] => [
    one.name === undefined ? row.topic : `${row.topic}: ${one.name}`,
    {
      ...one,
      settings: { ...otherwise, ...one.settings },
      // A fault that hits once is meant for the run; what both pass alike is checked in the one that differs everywhere.
      isChecked:
        one.faults === undefined &&
        (one.check !== undefined || (beforeTheStart.includes(row) && one.verdict !== 'passed')),
    },
  ])
})

/** Runs of the load test that the step has not started. */
async function startEarlier(sandbox: Sandbox, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) {
    const { log, outputs } = await sandbox.run({ source: 'none', 'fail-on': 'never' })
    if (outputs['run-number'] === undefined) throw new Error(log)
  }
}

/** The subjects and results of the rows of mode check that are not ok, from the log. */
function openRows({ log }: Ran): string[] {
  return [...log.matchAll(/^\s*\S+ ([\w' ]+?) \((problem|in doubt)\): /gm)].map(
    ([, subject = '', result = '']) => `${subject}: ${result}`,
  )
}

/** Runs the step and mode check against a service that is set as the case says, and compares what they do with it. */
async function tryCase(sandbox: Sandbox, one: Tried): Promise<void> {
  const { service, workspace } = sandbox
  Object.assign(service.settings, settingsOf(one, service.settings))
  await startEarlier(sandbox, one.earlier ?? 0)
  const undo = one.change?.(workspace)
  const [startsBefore, uploadsBefore] = [service.books.starts.length, sandbox.uploads().length]
  service.settings.faults = [...(one.faults ?? [])]
  try {
    const options = one.credentials === undefined ? {} : { credentials: one.credentials }
    const [ran, checked] = await Promise.all([
      sandbox.run(one.inputs, options),
      one.isChecked ? sandbox.run({ mode: 'check', ...one.inputs }, options) : undefined,
    ])
    const starts = service.books.starts.length - startsBefore
    const uploads = sandbox.uploads().length - uploadsBefore
    const isGreen = ran.conclusion === 'success'
    expect({
      verdict: ran.outputs['verdict'],
      starts,
      // Why it is another.
      log: ran.outputs['verdict'] === one.verdict ? '' : ran.log,
      ...(one.uploads === undefined ? {} : { uploads }),
      check: checked && openRows(checked),
      ...Object.fromEntries(Object.keys(one.outputs ?? {}).map((name) => [name, ran.outputs[name]])),
    }).toEqual({
      verdict: one.verdict,
      starts: one.starts ?? (one.verdict === 'passed' ? 1 : 0),
      log: '',
      ...(one.uploads === undefined ? {} : { uploads: one.uploads }),
      check: checked && (one.check ?? []),
      ...one.outputs,
    })
    if (one.says) expect(ran.log).toMatch(one.says)
    if (one.saysNot) expect(ran.log).not.toMatch(one.saysNot)
    // A red step says why where people look; what check calls ok does not end a run.
    if (!isGreen) expect(ran.annotations.some(({ kind }) => kind === 'error')).toBe(true)
    if (checked && openRows(checked).length === 0 && !isGreen) expect(one.onlyARunShows).toBe(true)
  } finally {
    undo?.()
  }
}

/** What cases may set, each time from the beginning. */
function settingsOf({ settings }: Case, { organization }: ServiceSettings): object {
  return { ...asAssumed, organization, ...quick, ends: 'FINISHED', ...settings }
}

let shared: Sandbox
beforeAll(async () => {
  shared = await startSandbox()
})
afterAll(() => shared.close())

/** One service for all cases, but a separate one for another organization, or if the names of load tests matter. */
async function tryAlone(one: Tried): Promise<void> {
  const organization = one.settings?.['organization']
  if (organization === undefined && one.earlier === undefined) return tryCase(shared, one)
  const own = await startSandbox(typeof organization === 'string' ? { organization } : {})
  await tryCase(own, one).finally(() => own.close())
}

daily('docs/internals/service.md has the assumptions of the sandbox', async () => {
  const page = readFileSync('docs/internals/service.md', 'utf8')
  expect(await withAssumptions(page, assumptions)).toBe(page)
})

daily('each setting is that of one assumption, and a case sets it the other way', () => {
  const settings = assumptions.map(({ setting }) => setting)
  expect(settings.filter((one, at) => settings.indexOf(one) !== at)).toEqual([])
  const unchanged = assumptions.filter(({ as, or }) => or.some((other: unknown) => other === as))
  expect(unchanged).toEqual([])
  const known: readonly string[] = Object.keys(defaultSettings())
  const unknown = rows.flatMap(([, { settings }]) =>
    Object.keys(settings ?? {}).filter((name) => !known.includes(name)),
  )
  expect(unknown).toEqual([])
})

/** Everything that the step adapts to, at once. */
const unusual: Partial<OpenQuestions> = {
  documentFor: 'token',
  tokenAnswer: 'bare',
  compressed: true,
  envelope: false,
  wrapped: true,
  failureForm: 'text',
  listField: 'loadTests',
  numberField: 'loadTestNumber',
  stateForm: 'record',
  timeForm: 'ISO 8601',
  environmentForm: 'record',
  archiveSetting: 'id',
  archiveShown: true,
  digestVerified: false,
  runCopyMethod: 'POST',
  runCopyAnswer: 'number',
  copyName: '{name}',
  latestResolved: 'build',
  pageShown: true,
  revisionShown: true,
  reportsField: 'reports',
  reportNumber: 3,
  downloadMethod: 'POST',
  reportFormat: 'tar',
}

daily('a deployment that differs wherever the step adapts: the run is as usual', async () => {
  await tryAlone({
    isChecked: true,
    settings: unusual,
    verdict: 'passed',
    uploads: 1,
    says: /Attached load-test-report\.tar:/,
    saysNot: /Looking in the list|another upload|##\[warning\]/,
    outputs: { 'report-number': '3' },
    check: ['Use Latest: in doubt'],
  })
})

const together = new Map<string, unknown>(Object.entries(unusual))
/** Whether the deployment that differs wherever the step adapts tries this as well. */
const isTriedTogether = ({ settings = {}, name: _name, verdict, isChecked: _isChecked, ...more }: Tried) =>
  verdict === 'passed' &&
  Object.keys(more).length === 0 &&
  Object.entries(settings).every(([key, value]) => together.get(key) === value)

const alone = rows.filter(([, one]) => !isTriedTogether(one))
thorough.each(alone)('%s', (_name, one) => tryAlone(one))

thorough(
  'a list of 14,000 load tests, of 5 kB each, needs 64 MB: each start reads it several times',
  async () => {
    const sandbox = await startSandbox({ listSize: 14_000 })
    try {
      const NODE_OPTIONS = `${hurried.NODE_OPTIONS} --max-old-space-size=64`
      const { outputs, log } = await sandbox.run({}, { job: { machineEnv: { NODE_OPTIONS, HURRY: '4' } } })
      expect(log).not.toContain('heap out of memory')
      expect(outputs['run-number']).toBe('14010')
    } finally {
      await sandbox.close()
    }
  },
)
