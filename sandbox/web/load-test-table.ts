import type { Project } from '../service/world.js'
import {
  executionState,
  reportReady,
  wantedArchive,
  type LoadTest,
  type Source,
} from '../service/load-test.js'
import type { ServiceSettings } from '../service/settings.js'
import type { Place } from '../service/visit.js'
import { foreign, markup, moment, type Markup, type Part } from './markup.js'
import { address, type StartedLoadTest } from './place.js'
import { table } from './table.js'

/** Load tests that were started, with state, code archive and report. */
export function loadTestTable(loadTests: readonly StartedLoadTest[], place: Place, now: number): Markup {
  const columns = [
    { title: 'Load test' },
    { title: 'State' },
    { title: 'Created' },
    { title: 'Code archive' },
    { title: 'Report' },
  ]
  const rows = loadTests.map((loadTest) => [
    loadTestLink(loadTest, place),
    executionState(loadTest, now).state,
    moment(loadTest.run.createdAt),
    builtFrom(loadTest),
    reportReady(loadTest, now) ? reportLink(loadTest, place) : none,
  ])
  const empty = 'There are no load tests yet. The step starts one by copying a template.'
  return table({ caption: 'Load tests, the newest first', columns, empty }, rows)
}

/** Load tests that were never started: templates to copy. */
export function templateTable(
  { loadTests }: Project,
  place: Place,
  archives: ServiceSettings['archives'],
): Markup {
  const columns = [{ title: 'Load test' }, { title: 'Test suite from' }, { title: 'Execution environment' }]
  const rows = loadTests
    .filter(({ run }) => run === undefined)
    .map((loadTest) => [
      loadTestLink(loadTest, place),
      sourceText(loadTest.source, archives),
      loadTest.executionEnvironment,
    ])
  return table({ caption: 'Templates', columns, empty: 'The project has no templates.' }, rows)
}

export function loadTestLink({ number, name }: LoadTest, place: Place): Markup {
  return markup`<a href="${address.loadTest(place, number)}">${foreign(name === '' ? '(no name)' : name)}</a> <span class="quiet">#${number}</span>`
}

export function sourceText(source: Source, archives: ServiceSettings['archives']): Part {
  const { git } = source
  const codeArchive = wantedArchive(source, archives)
  if (codeArchive === 'latest') return 'Code archive: Use Latest'
  if (codeArchive) return `Code archive ${codeArchive.id}`
  return git ? markup`Git: ${foreign(git.url)}, branch ${foreign(git.branch)}` : none
}

/** The code archive that a run was built from. */
export function builtFrom({ run, source }: StartedLoadTest): Part {
  if (run.archive)
    return markup`${run.archive.id} <span class="quiet">${foreign(run.archive.fileName)}</span>`
  return source.codeArchive === undefined ? markup`<span class="quiet">none, from Git</span>` : none
}

function reportLink(loadTest: LoadTest, place: Place): Markup {
  return markup`<a href="${address.loadTest(place, loadTest.number)}#reports">Final report</a>`
}

const none = markup`<span class="quiet">none</span>`
