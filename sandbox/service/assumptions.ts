import type { OpenQuestions } from './open-questions.js'

/** What the step assumes about the service where the interface leaves a question open. */
export interface Assumption {
  topic: string
  /** What is assumed. */
  assumed: string
  /** Where it is from; an assumption without a source says so. */
  source: string
  /** What the step does if it is wrong. */
  ifWrong: string
  /** The setting of the sandbox for this question. */
  setting: keyof OpenQuestions
  /** The sandbox set the other way. */
  otherwise: Partial<OpenQuestions>
  /** Where the code relies on it, in src. */
  code: string
}

/** The public pages that were read: their address below the service's manual, and of when their text is. */
export const manual = 'https://docs.xceptance.com/xtc'
export const sources = {
  api: { name: 'XTC API', path: 'integrations/500-api', as: 'July 2026, XTC 115' },
  explorer: {
    name: 'API explorer',
    path: 'integrations/500-api',
    as: 'the picture on that page, February 2024, XTC 78',
  },
  archives: { name: 'Code Archives', path: 'loadtesting/122-code-archives', as: 'July 2026, XTC 115' },
  overview: { name: 'Load Tests Overview', path: 'loadtesting/140-overview', as: 'December 2025' },
  settings: { name: 'Load Test Settings', path: 'loadtesting/155-lt-settings', as: 'July 2026, XTC 115' },
  starting: { name: 'Starting and Stopping', path: 'loadtesting/160-start-lt', as: 'December 2025' },
  reports: { name: 'Test Reports', path: 'loadtesting/180-reports', as: 'July 2026, XTC 115' },
  projects: { name: 'Projects', path: 'basics/050-projects', as: 'February 2026' },
  slack: { name: 'Slack Integration', path: 'integrations/510-slack', as: 'February 2025' },
  v76: { name: 'XTC 76', path: 'xtc-release-notes/v76', as: 'release notes of 12 December 2023' },
  v81: { name: 'XTC 81', path: 'xtc-release-notes/v81', as: 'release notes of 9 April 2024' },
  v89: { name: 'XTC 89', path: 'xtc-release-notes/v89', as: 'release notes of 24 September 2024' },
  v104: { name: 'XTC 104', path: 'xtc-release-notes/v104', as: 'release notes of 2 September 2025' },
  v110: { name: 'XTC 110', path: 'xtc-release-notes/v110', as: 'release notes of 20 January 2026' },
  v112: { name: 'XTC 112', path: 'xtc-release-notes/v112', as: 'release notes of 24 March 2026' },
  v113: { name: 'XTC 113', path: 'xtc-release-notes/v113', as: 'release notes of 28 April 2026' },
  v114: { name: 'XTC 114', path: 'xtc-release-notes/v114', as: 'release notes of 2 June 2026' },
  v115: { name: 'XTC 115', path: 'xtc-release-notes/v115', as: 'release notes of 14 July 2026' },
} as const

/** A link of Markdown, whose address is in the list of sources. */
const cited = (key: keyof typeof sources) => `[${sources[key].name}][${key}]`

const api = cited('api')
const explorer = cited('explorer')
const archivesPage = cited('archives')
const starting = cited('starting')
const settings = cited('settings')
const overview = cited('overview')
const reports = cited('reports')
const none = 'none'
const readIfPresent = 'none: read if present'

/** In the order of a run: access, the template, the archive, the start, the run, its report. */
export const assumptions = [
  {
    topic: 'version of the load tests',
    assumed: 'they are under API version v1',
    source: `interface; but ${cited('v89')} announced that v1 would be retired`,
    ifWrong: 'the step ends before the upload, and its error names v1',
    setting: 'offerV1',
    otherwise: { offerV1: false },
    code: 'service/operations.ts',
  },
  {
    topic: 'version of the credentials',
    assumed: 'one token is accepted under v1 and v2',
    source: api,
    ifWrong: 'the error of the refused call names the version; mode check asks v1',
    setting: 'apiVersions',
    otherwise: { apiVersions: 'own' },
    code: 'service/failure.ts',
  },
  {
    topic: 'OpenAPI document',
    assumed: '`/public/api/json` is served to everybody, or with the same token',
    source: `${api}; who may read it: none`,
    ifWrong: 'without the document, the step does what the interface says',
    setting: 'documentFor',
    otherwise: { documentFor: 'nobody' },
    code: 'service/open-api.ts',
  },
  {
    topic: 'short names',
    assumed:
      'no blanks, slashes, backslashes, percent signs, question marks or hashes, and not only dots; the service allows fewer characters',
    source: cited('projects'),
    ifWrong: 'the inputs are refused before anything is sent',
    setting: 'organization',
    otherwise: { organization: 'demo org' },
    code: 'inputs/load-test.ts, service/operations.ts',
  },
  {
    topic: "a token's lifetime and scopes",
    assumed: '`expires_in` in seconds, and `scope` with the scopes that were granted',
    source: 'RFC 6749',
    ifWrong: 'one hour, and all scopes that were requested',
    setting: 'tokenAnswer',
    otherwise: { tokenAnswer: 'bare' },
    code: 'service/token.ts',
  },
  {
    topic: 'missing scopes',
    assumed:
      'the token endpoint refuses a scope that the credentials lack (400, 401, 403); the step then asks for each alone',
    source: 'interface',
    ifWrong:
      'a token that says it is for fewer scopes ends the step; otherwise the refused call names its scope',
    setting: 'scopesChecked',
    otherwise: { scopesChecked: 'call' },
    code: 'service/token.ts',
  },
  {
    topic: 'text of answers',
    assumed: 'UTF-8, not compressed',
    source: none,
    ifWrong: 'gzip, deflate, Brotli, another charset that Content-Type names, and a byte-order mark are read',
    setting: 'compressed',
    otherwise: { compressed: true },
    code: 'service/answer.ts',
  },
  {
    topic: 'envelope',
    assumed: '`{"success": true, "data": …}` or the bare value',
    source: explorer,
    ifWrong: '`success: false` is an error, whatever the status',
    setting: 'envelope',
    otherwise: { envelope: false },
    code: 'service/wire.ts',
  },
  {
    topic: 'wrappers',
    assumed: 'a record is the answer itself, or within `loadTest` or `codeArchive`',
    source: none,
    ifWrong:
      'the only record within is read; else an error before the start, and after a start a look at the list',
    setting: 'wrapped',
    otherwise: { wrapped: true },
    code: 'service/wire.ts',
  },
  {
    topic: 'failures',
    assumed:
      '`error` and `error_description` of the token endpoint; elsewhere `message`, `error`, `detail`, `title`, `errors`',
    source: 'RFC 6749, RFC 9457, common frameworks; the statuses 400, 401, 403, 404 and 500: ' + explorer,
    ifWrong: 'other JSON is shown by its plain fields, HTML and text as text',
    setting: 'failureForm',
    otherwise: { failureForm: 'text' },
    code: 'service/failure.ts',
  },
  {
    topic: 'lists',
    assumed: 'a list, or a record with `loadTests`, `items`, `content` or only one list',
    source: `interface; the paged list of v2: ${cited('v81')}`,
    ifWrong: 'an error before the start',
    setting: 'listField',
    otherwise: { listField: 'rows' },
    code: 'service/list.ts',
  },
  {
    topic: 'pages of a list',
    assumed: 'v1 answers all load tests at once',
    source: 'interface',
    ifWrong:
      'read to its end by `next`, `offset` or a Link header; with any other sign of a next part it is incomplete: a load test is started with a note, and never a second one',
    setting: 'listPage',
    otherwise: { listPage: 3 },
    code: 'service/list.ts',
  },
  {
    topic: 'number',
    assumed:
      '`index`, else `number`, `loadTestNumber`, `loadTestIndex`, `id`, or the address of the record, from 1, also as text; after runCopy also a bare number, a name such as `copyNumber`, the header Location, or the only number that there is',
    source: explorer,
    ifWrong:
      'an error before the start; after it, a number without a usual name is looked up in the details first, and if it is not that of a copy, the copy is looked for in the list',
    setting: 'numberField',
    otherwise: { numberField: 'uuid' },
    code: 'service/wire.ts',
  },
  {
    topic: 'name',
    assumed: 'a load test has a `name`',
    source: explorer,
    ifWrong:
      'a name is refused with a list of the numbers; after a lost answer, each new load test may be the copy',
    setting: 'nameField',
    otherwise: { nameField: 'title' },
    code: 'start/template.ts, start/new-copies.ts',
  },
  {
    topic: 'state',
    assumed:
      'a word in `executionState`, or in a field such as `state`, `status` or `phase` beside the number or one level below, whatever its case',
    source: explorer,
    ifWrong:
      'a status that is refused, or has no state, is replaced by the details; a template of which neither says a state is refused before the upload; later, start and end times decide',
    setting: 'stateIn',
    otherwise: { stateIn: 'record' },
    code: 'service/wire.ts',
  },
  {
    topic: 'times',
    assumed:
      '`startTime` and `endTime` beside the state, UTC milliseconds, 0 = none; ISO 8601 is read as well',
    source: explorer,
    ifWrong: 'a time that cannot be read is unknown',
    setting: 'timeForm',
    otherwise: { timeForm: 'ISO 8601' },
    code: 'service/wire.ts',
  },
  {
    topic: 'engine',
    assumed:
      '`executionEnvironment` names the line of the engine as text, or has it as `version`, `name` or `id`',
    source: readIfPresent,
    ifWrong: '6.x is not recognized; mode check says where to look',
    setting: 'environmentForm',
    otherwise: { environmentForm: 'hidden' },
    code: 'service/wire.ts, start/template.ts',
  },
  {
    topic: 'retired engine',
    assumed: 'a run on engine 6.x is of no use',
    source: `interface; ${cited('v76')}`,
    ifWrong: 'the step refuses it all the same',
    setting: 'retiredFails',
    otherwise: { retiredFails: false },
    code: 'start/template.ts',
  },
  {
    topic: 'Use Latest',
    assumed: '`useLatest` and `codeArchiveId`, or `codeArchive`, of the record or its `source`',
    source: readIfPresent,
    ifWrong:
      'a template that only names an archive is read again after the upload: if it still names that one, nothing is started',
    setting: 'archiveSetting',
    otherwise: { archiveSetting: 'id' },
    code: 'service/wire.ts, start/template.ts',
  },
  {
    topic: 'enabled archive',
    assumed:
      '`codeArchiveEnabled` of the record or its `source`, `enabled` of its `codeArchive`; without it, the archive counts as enabled',
    source: `${readIfPresent}; that it must be enabled: ${settings}`,
    ifWrong: 'the step refuses to upload only if it is `false`',
    setting: 'archives',
    otherwise: { archives: 'explicit' },
    code: 'service/wire.ts, start/template.ts',
  },
  {
    topic: 'largest archive',
    assumed: '100 MB, read as 100,000,000 bytes',
    source: archivesPage,
    ifWrong:
      'a larger one is sent, with a warning; a refusal (413) is reported before the start, with the size',
    setting: 'archiveLimit',
    otherwise: { archiveLimit: 500 },
    code: 'archive/preflight.ts',
  },
  {
    topic: 'build file',
    assumed: 'it must be directly in the top-level directory',
    source: `${archivesPage}: the directory has everything that the build needs; the place: none`,
    ifWrong: 'the step refuses an archive that the service would build',
    setting: 'buildFileAt',
    otherwise: { buildFileAt: 'anywhere' },
    code: 'archive/preflight.ts',
  },
  {
    topic: 'beside the directory',
    assumed: 'nothing may be next to the top-level directory',
    source: `${archivesPage}: a single top-level directory; files next to it: none`,
    ifWrong: 'the step refuses an archive that the service would take',
    setting: 'besideRefused',
    otherwise: { besideRefused: false },
    code: 'archive/preflight.ts',
  },
  {
    topic: 'Content-Digest',
    assumed: '`sha-512=:…:` on the upload is checked by the service',
    source: cited('v114'),
    ifWrong: 'the service ignores it, which does no harm',
    setting: 'digestVerified',
    otherwise: { digestVerified: false },
    code: 'service/service.ts',
  },
  {
    topic: "code archive's id",
    assumed: '`id`, `codeArchiveId` or `index` of the answer to the upload',
    source: `${readIfPresent}; that there is one: ${archivesPage}`,
    ifWrong: '`archive-id` is not set, and a note says that the archive cannot be deleted',
    setting: 'archiveIdField',
    otherwise: { archiveIdField: 'archiveNumber' },
    code: 'service/wire.ts',
  },
  {
    topic: 'ids',
    assumed:
      'one part of a path: no slash, backslash, percent sign, question mark or hash, and not only dots',
    source: none,
    ifWrong: 'the id counts as missing',
    setting: 'archiveIds',
    otherwise: { archiveIds: 'archives/{n}' },
    code: 'service/operations.ts',
  },
  {
    topic: 'list of archives',
    assumed: 'GET at the address of the upload, only if the OpenAPI document has it',
    source: none,
    ifWrong: 'an upload whose answer is lost is repeated without checking first',
    setting: 'archivesListed',
    otherwise: { archivesListed: true },
    code: 'service/service.ts',
  },
  {
    topic: 'moment of Use Latest',
    assumed:
      'nothing: the latest archive is chosen at the start, or when the run is built, before it is RUNNING',
    source: `${starting}: the suite is fetched and built after the start; ${cited('slack')}: RUNNING means that the setup is complete`,
    ifWrong:
      'mode start waits until the run is built, at most 30 minutes; at the end, its archive is compared with that of the start',
    setting: 'latestResolved',
    otherwise: { latestResolved: 'build' },
    code: 'follow/built.ts, start/code-archive.ts',
  },
  {
    topic: 'method of runCopy',
    assumed: 'as the OpenAPI document says, else GET',
    source: explorer,
    ifWrong: 'after a refusal and a look at the list the step tries POST, once',
    setting: 'runCopyMethod',
    otherwise: { runCopyMethod: 'POST' },
    code: 'service/open-api.ts, start/decision.ts',
  },
  {
    topic: 'refusal of a wrong method',
    assumed: '405, or 501; without the OpenAPI document, any 4xx',
    source: 'RFC 9110',
    ifWrong: 'with the document, the method is right from the start',
    setting: 'wrongMethod',
    otherwise: { runCopyMethod: 'POST', wrongMethod: 404, documentFor: 'nobody' },
    code: 'start/decision.ts',
  },
  {
    topic: 'answer of runCopy',
    assumed: 'the record of the copy, or its number',
    source: none,
    ifWrong: 'the step looks for the new load test in the list',
    setting: 'runCopyAnswer',
    otherwise: { runCopyAnswer: 'nothing' },
    code: 'start/once.ts',
  },
  {
    topic: 'status of a refusal',
    assumed:
      '4xx means that nothing was executed, except 408 and 425; after 5xx or a broken connection it is unknown',
    source: 'RFC 9110',
    ifWrong: 'a start is looked up in the list whatever the status',
    setting: 'startStatus',
    otherwise: { startStatus: 403 },
    code: 'service/status.ts, service/service.ts',
  },
  {
    topic: "a copy's name",
    assumed: "it contains the template's name, and may be the same",
    source: none,
    ifWrong:
      'of several load tests with the name, the oldest is the template if it alone never ran, else the error lists the numbers; after a lost answer, a copy with another name is only a candidate',
    setting: 'copyName',
    otherwise: { copyName: '{name}' },
    code: 'start/template.ts, start/new-copies.ts',
  },
  {
    topic: 'what a run was built from',
    assumed: '`codeArchiveId` or `codeArchive` of its record',
    source: readIfPresent,
    ifWrong: 'another job that starts at the same moment causes a warning',
    setting: 'archiveShown',
    otherwise: { archiveShown: true },
    code: 'service/wire.ts, start/code-archive.ts',
  },
  {
    topic: 'revision',
    assumed:
      '`revision` of the record, its `executionState` or `source`; for a code archive perhaps its SHA-512',
    source: `${readIfPresent}; that there is one: ${cited('v112')}`,
    ifWrong: 'the result does not say what the run was built from',
    setting: 'revisionShown',
    otherwise: { revisionShown: true },
    code: 'service/wire.ts, start/code-archive.ts',
  },
  {
    topic: "a run's page",
    assumed:
      "`url`, `webUrl`, `link`, `links.web` or `links.html` of the answer, only if it has the service's own origin",
    source: cited('v110'),
    ifWrong: 'input `run-page`, or no link',
    setting: 'pageShown',
    otherwise: { pageShown: true },
    code: 'service/wire.ts, start/start.ts',
  },
  {
    topic: 'states',
    assumed:
      'NEW, SCHEDULED, STARTING, PROVISIONING, RUNNING, STOPPING, DEPROVISIONING, FINISHED, ABORTED, ERROR',
    source: explorer,
    ifWrong: 'one warning; it counts as not ended, unless the end time is set',
    setting: 'stateOfLoad',
    otherwise: { stateOfLoad: 'EXECUTING' },
    code: 'service/state.ts',
  },
  {
    topic: 'success',
    assumed: 'FINISHED only',
    source: overview,
    ifWrong: 'any other end gives `load-test-failed`',
    setting: 'stateOfSuccess',
    otherwise: { stateOfSuccess: 'COMPLETED' },
    code: 'service/state.ts',
  },
  {
    topic: 'reason of an end',
    assumed: '`executionState.reason` or `message`, else `errorMessage`',
    source: readIfPresent,
    ifWrong: 'the end is reported without a reason',
    setting: 'reasonField',
    otherwise: { reasonField: 'cause' },
    code: 'service/wire.ts',
  },
  {
    topic: 'reports and results in the details',
    assumed:
      '`reports` and `results`, lists of records with `number` (or `index`, `reportNumber`, `resultNumber`) and `label`',
    source: `${readIfPresent}; that v2 has them: ${cited('v104')}`,
    ifWrong: 'number 1 is taken; a warning names the field of a similar list',
    setting: 'reportsField',
    otherwise: { reportsField: 'loadTestReports' },
    code: 'service/wire.ts, follow/report-wait.ts',
  },
  {
    topic: 'report number',
    assumed:
      'the highest in the details that is available; if they list none, 1, or else the first of 2 to 5',
    source: `${reports}: the report is made at the end; its number: none`,
    ifWrong: '`error` after an hour, or `timeout`; `collect` reads it later',
    setting: 'reportNumber',
    otherwise: { reportNumber: 9 },
    code: 'follow/report-wait.ts',
  },
  {
    topic: 'methods of downloads',
    assumed: 'as the OpenAPI document says, else GET',
    source: explorer,
    ifWrong: 'without the document, POST after 400, 404, 405 or 501',
    setting: 'downloadMethod',
    otherwise: { downloadMethod: 'POST' },
    code: 'service/download.ts',
  },
  {
    topic: 'report not available yet',
    assumed: '400, 404, 409, 423 or 425; or 2xx with nothing, or with text instead of the archive',
    source: `${reports}: the archive may come later than the report; the status: none`,
    ifWrong: 'any other refusal ends the step',
    setting: 'notYetStatus',
    otherwise: { notYetStatus: 410 },
    code: 'follow/report-wait.ts',
  },
  {
    topic: 'report archive',
    assumed: 'a gzipped tar or a ZIP that has a `testreport.xml`',
    source: reports,
    ifWrong: 'a tar without gzip is read; anything else is an error',
    setting: 'reportFormat',
    otherwise: { reportFormat: 'tar' },
    code: 'unpack/kind.ts',
  },
  {
    topic: 'speed of a download',
    assumed: 'at least 60 kB per minute; else it is broken off and continued, at most five times',
    source: none,
    ifWrong: 'an error; the wait for the report limits all of it together',
    setting: 'downloadSpeed',
    otherwise: { downloadSpeed: 200 },
    code: 'service/download.ts',
  },
  {
    topic: 'XML files alone',
    assumed: '`GET /public/api/v2/…/load-tests/NUMBER/reports/REPORT/test-report`, for a baseline only',
    source: cited('v104'),
    ifWrong: 'the whole archive is downloaded',
    setting: 'offerXml',
    otherwise: { offerXml: false },
    code: 'service/operations.ts',
  },
  {
    topic: 'delete',
    assumed: 'as the OpenAPI document says, else `DELETE …/code-archives/ID`',
    source: archivesPage,
    ifWrong: 'a note beside the verdict; the archive stays',
    setting: 'offerDelete',
    otherwise: { offerDelete: false },
    code: 'service/operations.ts',
  },
  {
    topic: 'deletion after the run',
    assumed: 'an archive can be deleted once the runs that were built from it have ended',
    source: none,
    ifWrong: 'a note beside the verdict; the archive stays',
    setting: 'usedDeletable',
    otherwise: { usedDeletable: false },
    code: 'actions/load-test/load-test.ts',
  },
] as const satisfies readonly Assumption[]

export type Topic = (typeof assumptions)[number]['topic']
