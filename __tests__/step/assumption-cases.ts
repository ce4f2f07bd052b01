import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Topic } from '../../sandbox/service/assumptions.js'
import type { CredentialsName } from '../../sandbox/service/credentials.js'
import type { FaultRule } from '../../sandbox/service/faults.js'
import type { ServiceSettings } from '../../sandbox/service/settings.js'
import type { Verdict } from '../../src/outcome/outcome.js'

/** What a step, and mode check, do with the sandbox set the other way. */
export interface Case {
  /** What distinguishes it from the other cases of its row. */
  name?: string
  /** Settings beside those of the row, or instead of them. */
  settings?: Partial<ServiceSettings>
  faults?: FaultRule[]
  credentials?: CredentialsName
  inputs?: Record<string, string>
  /** A change of the workspace; returns what undoes it. */
  change?: (workspace: string) => () => void
  /** Runs that exist already. */
  earlier?: number
  verdict: Verdict
  /** Load tests that the step starts; default: one if it is green, else none. */
  starts?: number
  uploads?: number
  /** What the log says. */
  says?: RegExp
  saysNot?: RegExp
  outputs?: Record<string, string | undefined>
  /** The rows of mode check that are not ok. */
  check?: string[]
  /** No answer before the start could show it: mode check may call everything ok, although the run is red. */
  onlyARunShows?: true
}

const passed: Case = { verdict: 'passed' }
const red: Case = { verdict: 'error' }
/** Red before anything was sent. */
const early: Case = { ...red, uploads: 0 }
const deleting = { 'delete-archive': 'true' }
const fromGit = { 'load-test': '3', source: 'none' }
const soon = { timeout: '10s' }
const noDocument = { documentFor: 'nobody' } as const
const missingDocument = ['OpenAPI document: unknown']
const foreignUpload = (operation: FaultRule['operation'], when: 'before' | 'after'): FaultRule => {
  return { operation, fault: { kind: 'foreign-upload', when } }
}
/** A run that can be seen before it has ended. */
const visible = { secondsPerState: 0.1, secondsRunning: 0.4 }

function movePom(workspace: string): () => void {
  const from = path.join(workspace, 'pom.xml')
  const to = path.join(workspace, 'src', 'pom.xml')
  renameSync(from, to)
  return () => renameSync(to, from)
}

/** An archive with a file next to its top-level directory. */
function zipBeside(workspace: string): () => void {
  const script = `import zipfile
with zipfile.ZipFile('beside.zip', 'w') as z:
    z.writestr('suite/pom.xml', '<project/>')
    z.writestr('README.md', 'x')`
  execFileSync('python3', ['-c', script], { cwd: workspace })
  return () => rmSync(path.join(workspace, 'beside.zip'))
}

/** Too large for the row's limit, even when it is packed. */
function moreFiles(workspace: string): () => void {
  const folder = path.join(workspace, 'more')
  mkdirSync(folder)
  for (let n = 0; n < 20; n++) writeFileSync(path.join(folder, `${n}.txt`), `file ${n}`)
  return () => rmSync(folder, { recursive: true })
}

/** For each row of the table, at least one case: the compiler names a row that has none. */
export const cases: Record<Topic, [Case, ...Case[]]> = {
  'version of the load tests': [
    {
      ...early,
      says: /404\..* this service may not have API version v1: mode: check shows that/,
      check: [
        'project: problem',
        'load test: problem',
        ...['list', 'details', 'runCopy', 'status', 'report'].map((name) => `operation ${name}: problem`),
      ],
    },
  ],
  'version of the credentials': [
    {
      name: 'credentials of v2',
      ...early,
      says: /Reading load test 1 failed: the service answered 403.*and for API version v1, which is chosen when they are created/,
      check: ['project: problem', 'load test: problem', 'scope LOADTEST_STATUS: problem'],
    },
    {
      name: 'credentials of v1',
      ...red,
      credentials: 'webshop only',
      says: /Uploading the code archive .* failed: the service answered 403.*and for API version v2, which is chosen when they are created/,
      onlyARunShows: true,
    },
    {
      name: 'credentials of v1, nothing to upload',
      ...passed,
      credentials: 'webshop only',
      inputs: fromGit,
      check: [],
    },
  ],
  'OpenAPI document': [
    {
      name: 'for nobody',
      ...passed,
      says: /The OpenAPI document does not say how a copy is started: by GET, or by POST/,
      check: missingDocument,
    },
    {
      name: 'with a token only',
      ...passed,
      settings: { documentFor: 'token' },
      says: /By the OpenAPI document, a copy is started by GET/,
    },
  ],
  'short names': [
    {
      ...early,
      inputs: { organization: 'demo org' },
      says: /organization is "demo org": write its short name/,
      check: ['inputs: problem'],
    },
  ],
  "a token's lifetime and scopes": [passed],
  'missing scopes': [
    {
      ...early,
      credentials: 'read only',
      says: /gave one for fewer scopes than were requested\. The credentials lack the scopes LOADTEST_COPY_RUN, CODEARCHIVE_UPLOAD/,
      check: ['scope LOADTEST_COPY_RUN: problem', 'scope CODEARCHIVE_UPLOAD: problem'],
    },
  ],
  'text of answers': [passed],
  envelope: [passed],
  wrappers: [passed],
  failures: [
    {
      ...early,
      inputs: { 'load-test': '99' },
      says: /404\. It said: Project webshop has no load test 99\./,
      check: ['load test: problem'],
    },
  ],
  lists: [passed, { name: 'in a field that is known', ...passed, settings: { listField: 'loadTests' } }],
  'pages of a list': [{ ...passed, check: ['project: problem'] }],
  number: [
    { ...early, says: /contains no load test number/, check: ['project: problem'] },
    { name: 'as an id', ...passed, settings: { numberField: 'id' } },
    { name: 'in a field that is known', ...passed, settings: { numberField: 'loadTestNumber' } },
  ],
  name: [
    { name: 'named by its number', ...passed },
    {
      name: 'named by its name',
      ...early,
      inputs: { 'load-test': 'Webshop regression' },
      says: /No load test of the project is named "Webshop regression"\. There are: 1 \("without a name"\)/,
      check: ['load test: problem'],
    },
  ],
  state: [passed],
  times: [{ ...passed, says: /Load test \d+ is FINISHED/ }],
  engine: [
    {
      name: 'hidden',
      ...passed,
      says: /The service does not say which engine it runs on\./,
    },
    {
      name: 'hidden, and retired',
      verdict: 'load-test-failed',
      starts: 1,
      inputs: { 'load-test': '4', source: 'none', ...soon },
      says: /ended in ERROR: The execution environment 6\.x is retired/,
      onlyARunShows: true,
    },
    {
      name: 'as a record, and retired',
      ...early,
      settings: { environmentForm: 'record' },
      inputs: { 'load-test': '4', source: 'none' },
      says: /Load test 4 runs on engine 6\.x, which is retired/,
      check: ['engine: problem'],
    },
  ],
  'retired engine': [
    {
      ...early,
      inputs: { 'load-test': '4', source: 'none' },
      says: /##\[error\]Load test 4 runs on engine 6\.x, which is retired\. Choose a 9\.x environment/,
      check: ['engine: problem'],
    },
  ],
  'Use Latest': [
    {
      name: 'a template that is fixed',
      ...red,
      inputs: { 'load-test': '5' },
      uploads: 1,
      says: /##\[error\]Load test 5 is set to the code archive ca-1, and still was after this step had uploaded ca-\d+.*Nothing was started\. Set it to Use Latest/,
      saysNot: /concurrency/,
      check: ['Use Latest: unknown'],
    },
    {
      name: 'a template that takes the latest',
      ...passed,
      check: ['Use Latest: unknown'],
    },
    {
      name: 'a template that takes the latest, and another upload',
      ...red,
      faults: [foreignUpload('upload', 'after')],
      uploads: 2,
      says: /would be built from the code archive ca-\d+, not from ca-\d+.*Nothing was started.*set concurrency/,
      check: ['Use Latest: unknown'],
    },
    {
      name: 'a service that says nothing',
      ...passed,
      settings: { archiveSetting: 'hidden' },
      // What is true in every run is not said in every run: mode check says it.
      saysNot: /does not say which code archive/,
    },
  ],
  'enabled archive': [
    {
      ...early,
      inputs: { 'load-test': '2' },
      says: /Load test 2 does not enable its code archive/,
      check: ['Use Latest: problem'],
    },
  ],
  'largest archive': [
    {
      ...red,
      change: moreFiles,
      says: /the service answered 413.*What was sent is too large for the service.* The archive has/,
      onlyARunShows: true,
    },
  ],
  'build file': [
    {
      ...early,
      change: movePom,
      says: /The step assumes that the service looks for the build file directly in "project\/"/,
      check: ['code archive: problem'],
    },
  ],
  'beside the directory': [
    {
      ...early,
      change: zipBeside,
      inputs: { source: 'beside.zip' },
      says: /The step assumes that the service accepts nothing next to the top-level directory, but there is: "README\.md \(a file\)"/,
      check: ['code archive: problem'],
    },
  ],
  'Content-Digest': [passed],
  "code archive's id": [
    {
      ...passed,
      inputs: deleting,
      outputs: { 'archive-id': undefined },
      says: /The code archive was not deleted: the service did not name its id/,
    },
  ],
  ids: [
    { ...passed, outputs: { 'archive-id': undefined }, says: /Uploaded; the service did not name its id/ },
  ],
  'list of archives': [
    {
      name: 'listed',
      ...passed,
      faults: [{ operation: 'upload', fault: { kind: 'drop-after' } }],
      uploads: 1,
      says: /The archive did arrive, as ca-\d+/,
    },
    {
      name: 'not listed',
      ...passed,
      settings: { archivesListed: false },
      faults: [{ operation: 'upload', fault: { kind: 'drop-after' } }],
      uploads: 2,
    },
  ],
  'moment of Use Latest': [
    {
      name: 'another upload before the build, archives shown',
      ...red,
      settings: { ...visible, archiveShown: true },
      faults: [foreignUpload('runCopy', 'after')],
      starts: 1,
      uploads: 2,
      says: /is built from the code archive ca-\d+, not from ca-\d+, which was uploaded for it.*set concurrency/,
      onlyARunShows: true,
    },
    {
      name: 'another upload before the build, its SHA-512 shown',
      ...red,
      settings: { ...visible, revisionShown: true },
      faults: [foreignUpload('runCopy', 'after')],
      starts: 1,
      uploads: 2,
      says: /is built from the code archive with the SHA-512 [0-9a-f]{12}…, not from the one with/,
      onlyARunShows: true,
    },
    { name: 'no other upload', ...passed, settings: { ...visible, archiveShown: true } },
  ],
  'method of runCopy': [
    { ...passed, says: /By the OpenAPI document, a copy is started by POST/, saysNot: /Looking in the list/ },
    {
      name: 'without the document',
      ...passed,
      settings: noDocument,
      says: /Requesting the start once more by POST/,
      check: missingDocument,
    },
  ],
  'refusal of a wrong method': [
    {
      name: '404',
      ...passed,
      says: /Requesting the start once more by POST/,
      check: missingDocument,
    },
    {
      name: '400, and no list',
      ...passed,
      settings: { wrongMethod: 400 },
      faults: [{ operation: 'list', times: 'always', fault: { kind: 'status', status: 403 } }],
      says: /Requesting the start once more by POST/,
      check: ['project: problem', ...missingDocument],
    },
    {
      name: '403',
      ...passed,
      settings: { wrongMethod: 403 },
      says: /Requesting the start once more by POST/,
      check: missingDocument,
    },
  ],
  'answer of runCopy': [
    { ...passed, says: /is the only new copy of load test 1/ },
    { name: 'a number', ...passed, settings: { runCopyAnswer: 'number' } },
    {
      name: 'the id of something else',
      ...passed,
      settings: { runCopyAnswer: 'job' },
      says: /answered the start with 4711000, which is not the number of a load test.* is the only new copy/s,
    },
  ],
  'status of a refusal': [
    {
      ...red,
      starts: 1,
      says: /It is not known which load test this step started, if any: \d+ .* No other start was requested/,
      onlyARunShows: true,
    },
    {
      name: 'without the document, which would have the method',
      ...red,
      settings: noDocument,
      starts: 1,
      says: /It is not known which load test this step started/,
      check: missingDocument,
    },
  ],
  "a copy's name": [
    {
      name: 'the same, the template by its name, the second run',
      ...passed,
      earlier: 1,
      inputs: { 'load-test': 'Webshop regression' },
      says: /Several load tests are named "Webshop regression": 1 .*1 is the oldest and has never run/,
    },
    {
      name: 'another, the template by its name, the second run',
      ...passed,
      settings: { copyName: '{name} (copy)' },
      earlier: 1,
      inputs: { 'load-test': 'Webshop regression' },
      saysNot: /Several load tests/,
    },
    {
      name: 'unlike that of the template, and a lost answer',
      ...red,
      settings: { copyName: 'A run' },
      faults: [{ operation: 'runCopy', fault: { kind: 'drop-after' } }],
      starts: 1,
      says: /\d+ \("A run"\) is new since then/,
      onlyARunShows: true,
    },
  ],
  'what a run was built from': [
    { ...passed, saysNot: /does not say which code archive/ },
    {
      name: 'not shown',
      ...passed,
      settings: { archiveShown: false },
      saysNot: /does not say which code archive/,
    },
  ],
  revision: [passed],
  "a run's page": [{ ...passed, says: /Load test \d+.*http:.*\/load-tests\/\d+/s }],
  states: [
    {
      ...passed,
      settings: visible,
      says: /The state EXECUTING is unknown; the step keeps waiting/,
      saysNot: /has an end time/,
    },
  ],
  success: [
    {
      verdict: 'load-test-failed',
      starts: 1,
      says: /The state COMPLETED is unknown\. Load test \d+ has an end time, so it has ended; only FINISHED counts/,
      saysNot: /keeps waiting/,
      onlyARunShows: true,
    },
  ],
  'reason of an end': [
    {
      verdict: 'load-test-failed',
      settings: { ends: 'ERROR' },
      inputs: soon,
      starts: 1,
      says: /Load test \d+ ended in ERROR\./,
      onlyARunShows: true,
    },
  ],
  'reports and results in the details': [
    {
      ...passed,
      says: /##\[warning\]The details of load test \d+ have a list "loadTestReports" that cannot be read, so report 1 is taken/,
      outputs: { 'report-number': '1' },
    },
    {
      name: 'not listed',
      ...passed,
      settings: { reportsField: '' },
      says: /The service lists no reports of load test \d+: report 1 is taken/,
    },
  ],
  'report number': [
    {
      ...red,
      inputs: soon,
      starts: 1,
      says: /has finished, but its report was not available after 2 s/,
      onlyARunShows: true,
    },
    { name: 'listed', ...passed, settings: { reportsField: 'reports' }, outputs: { 'report-number': '9' } },
    {
      name: 'not listed, but likely',
      ...passed,
      settings: { reportNumber: 3 },
      outputs: { 'report-number': '3' },
    },
  ],
  'methods of downloads': [
    { ...passed, inputs: { results: 'true' } },
    {
      name: 'without the document',
      ...passed,
      settings: { ...noDocument, wrongMethod: 404 },
      inputs: { results: 'true' },
      check: missingDocument,
    },
  ],
  'report not available yet': [
    {
      ...red,
      settings: { reportDelay: 5 },
      starts: 1,
      says: /Downloading report 1 of load test \d+ failed: the service answered 410/,
      onlyARunShows: true,
    },
  ],
  'report archive': [{ ...passed, says: /Attached load-test-report\.tar:/ }],
  'speed of a download': [
    {
      ...red,
      // Ten minutes of the step, which the limit of the speed ends much earlier.
      starts: 1,
      says: /Downloading report 1 of load test \d+ failed: the connection broke \(only .* came in 60 s\)/,
      onlyARunShows: true,
    },
  ],
  'XML files alone': [{ ...passed, inputs: { baseline: 'load-test:9' } }],
  delete: [
    {
      ...passed,
      inputs: deleting,
      says: /The code archive was not deleted\. Deleting the code archive ca-\d+ failed/,
      check: ['operation deleteArchive: problem'],
    },
  ],
  'deletion after the run': [
    {
      ...passed,
      inputs: deleting,
      says: /The code archive was not deleted\. .* answered 409\. It said: .*is used by load tests/,
    },
  ],
}
