import { readFileSync } from 'node:fs'
import { assumptions, type OpenQuestions } from '../../sandbox/service/assumptions.js'
import { defaultSettings } from '../../sandbox/service/settings.js'
import { withAssumptions } from '../../scripts/readme-tables.js'
import { forCases, rows } from './assumptions.js'

const service = forCases()

test('docs/internals/service.md has the assumptions of the sandbox', async () => {
  const page = readFileSync('docs/internals/service.md', 'utf8')
  expect(await withAssumptions(page, assumptions)).toBe(page)
})

test('each setting is that of one assumption, and a case sets it the other way', () => {
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

test('a deployment that differs wherever the step adapts: the run is as usual', async () => {
  await service.try({
    settings: unusual,
    verdict: 'passed',
    uploads: 1,
    says: /Attached load-test-report\.tar:/,
    saysNot: /Looking in the list|another upload|##\[warning\]/,
    outputs: { 'report-number': '3' },
    check: ['Use Latest: unknown'],
  })
})

/** One of each kind: what ends before the start, what adapts visibly, what only a run shows. */
const daily = [
  'version of the credentials: credentials of v1',
  'Use Latest: a template that is fixed',
  'retired engine',
  'refusal of a wrong method: 404',
  "a copy's name: the same, the template by its name, the second run",
  'moment of Use Latest: another upload before the build, archives shown',
  'success',
]

test.each(rows.filter(([name]) => daily.includes(name)))('%s', async (_name, one) => {
  await service.try(one)
})

test('the daily cases exist', () => {
  const names = rows.map(([name]) => name)
  expect(daily.filter((name) => !names.includes(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
})
