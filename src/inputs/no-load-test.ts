import type { InputReader } from './input-reader.js'
import type { ModeWithoutService } from './modes.js'

/** Inputs about a load test, in modes that have none. */
const noLoadTest = {
  baseUrl: '',
  credentials: { clientId: '', clientSecret: '' },
  project: { organization: '', project: '' },
  source: '',
  exclude: [],
  upload: false,
  deleteArchive: false,
  resume: false,
  timeout: 0,
  reportTimeout: 0,
}

/**
 * Inputs without effect in modes without a service, with the defaults of action.yml, which cannot be distinguished
 * from an input that was given.
 */
export const onlyForLoadTests: Readonly<Record<string, string>> = {
  'base-url': '',
  'client-id': '',
  'client-secret': '',
  organization: '',
  project: '',
  'load-test': '',
  'run-number': '',
  'run-page': '',
  source: '',
  archive: '',
  exclude: '',
  properties: '',
  'properties-file': 'config/project.properties',
  upload: 'true',
  'delete-archive': 'never',
  resume: 'false',
  'poll-interval': '',
  timeout: '345m',
  'report-timeout': '30m',
  'results-artifact': '',
}

/** Inputs without effect if nothing is judged, with the defaults of action.yml. */
export const onlyForJudging: Readonly<Record<string, string>> = {
  gates: '',
  'gates-file': '',
  baseline: '',
  'baseline-runs': '5',
  confirm: '0',
  accept: '',
}

/** Inputs without effect if the result is not about a single run, likewise. */
const onlyForComments: Readonly<Record<string, string>> = {
  'report-artifact': 'load-test-report',
  comment: 'auto',
  'comment-key': '',
}

const idleIn: Record<ModeWithoutService, { names: Readonly<Record<string, string>>; because: string }> = {
  judge: { names: onlyForLoadTests, because: 'does not use the service' },
  history: {
    names: { ...onlyForLoadTests, ...onlyForJudging, ...onlyForComments },
    because: 'only reads earlier runs',
  },
  merge: { names: { ...onlyForLoadTests, ...onlyForJudging }, because: 'judges no report' },
}

/** In modes without a load test, its inputs are still read: one that would be ignored is refused. */
export function readNoLoadTest(read: InputReader, mode: ModeWithoutService) {
  const { names: without, because } = idleIn[mode]
  const idle = read.written(without)
  if (idle.length > 0) {
    const names = idle.join(', ')
    read.fault(`These inputs have no effect in mode ${mode}, which ${because}: ${names}. Remove them.`)
  }
  return noLoadTest
}
