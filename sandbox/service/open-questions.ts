/**
 * What the interface leaves open, or what a deployment may do otherwise: one setting for each assumption of the step. The
 * defaults are what the step assumes; `assumptions.ts` says what happens otherwise.
 */
export interface OpenQuestions {
  /** The load-test endpoints of API version v1 exist. */
  offerV1: boolean
  /** Credentials are valid for all API versions, or only for the one that was chosen when they were created. */
  apiVersions: 'all' | 'own'
  /** Who may read the OpenAPI document. */
  documentFor: 'everybody' | 'token' | 'nobody'
  /** Short name of the seeded organization. */
  organization: string

  /** What the answer to a token request has beside `access_token`: `expires_in` and `scope`, or neither. */
  tokenAnswer: 'whole' | 'bare'
  /** Where a scope that the credentials lack is refused: by the token endpoint, or by each call. */
  scopesChecked: 'token' | 'call'

  /** Answers are compressed, although nobody asks for it. */
  compressed: boolean
  /** Answers of v1 and v2 are wrapped in `{"success":true,"data":...}`, else bare. */
  envelope: boolean
  /** A record is wrapped once more: `{"loadTest":...}`, `{"codeArchive":...}`. */
  wrapped: boolean
  /** How a refusal says what is wrong: as JSON with `message`, or as plain text. */
  failureForm: 'JSON' | 'text'
  /** The v1 list is the list itself, or a record with this field. */
  listField: string
  /** Maximum number of load tests in one answer of the v1 list, which then has pages; 0 = all, as the interface says. */
  listPage: number

  /** Fields of a load test's record: its number, its name. */
  numberField: string
  nameField: string
  /** The state and times are in `executionState`, or beside the number. */
  stateIn: 'executionState' | 'record'
  timeForm: 'milliseconds' | 'ISO 8601'
  /** The states of a load that runs, and of a run that succeeded. */
  stateOfLoad: string
  stateOfSuccess: string
  /** The field that says why a run ended in ERROR. */
  reasonField: string
  /** The engine's version line as text, as a record with `name`, or not at all. */
  environmentForm: 'text' | 'record' | 'hidden'
  /** A run on the engine line that is retired ends in ERROR. */
  retiredFails: boolean
  /** What the record says about the setting of the code archive: all of it, only an id, or nothing. */
  archiveSetting: 'whole' | 'id' | 'hidden'
  /**
   * If a load test has both a code archive and a repository: the archive takes precedence (interface section 1), or
   * counts only if the load test enables it explicitly (the service since v112).
   */
  archives: 'precedence' | 'explicit'
  /** The record of a run names the code archive that it was built from. */
  archiveShown: boolean
  /** The details of a load test name its page (the service since v110). */
  pageShown: boolean
  /** The status names the revision that was built (the service since v112). */
  revisionShown: boolean
  /** The field of the details that lists reports; results are then listed as well. Empty = neither is. */
  reportsField: string

  /** The answer to an upload has the archive's id in this field. */
  archiveIdField: string
  /** Form of the ids of code archives; `{n}` counts. */
  archiveIds: string
  /** Largest code archive in bytes. */
  archiveLimit: number
  /** A build file must be directly in the top-level directory, or may be anywhere below it. */
  buildFileAt: 'top' | 'anywhere'
  /** Files next to the top-level directory are refused. */
  besideRefused: boolean
  /** The header Content-Digest is verified. */
  digestVerified: boolean
  /** Offers a list of code archives at the address of their upload. */
  archivesListed: boolean
  /** Offers the deletion of a code archive. */
  offerDelete: boolean
  /** An archive that a run was built from can be deleted. */
  usedDeletable: boolean
  /** When the latest code archive is chosen: at the start of a run, or when it is built. With the engine: at the start. */
  latestResolved: 'start' | 'build'

  /** The method of runCopy, which the interface does not show; the others get 405 with Allow, or 404. */
  runCopyMethod: 'GET' | 'POST'
  /** How a call with another method is refused. */
  wrongMethod: 405 | 404 | 403 | 400
  /** What runCopy answers: the record of the copy, its bare number, 202 without a body, or the id of a job. */
  runCopyAnswer: 'record' | 'number' | 'nothing' | 'job'
  /** A start is executed, but answered with this status; 0 = it is answered as it should be. */
  startStatus: number
  /** Name of a copy; `{name}` stands for the template's name. */
  copyName: string

  /** The method of both downloads. */
  downloadMethod: 'GET' | 'POST'
  /** Number of the report and the result of a run. */
  reportNumber: number
  /** The status as long as a report is not available yet. */
  notYetStatus: number
  /** Format of a report archive. */
  reportFormat: 'tar.gz' | 'zip' | 'tar'
  /** Offers the two XML files of a report separately (v2 test-report and scorecard). */
  offerXml: boolean
  /** Bytes of a download in a second; 0 = as fast as possible. */
  downloadSpeed: number
}

/** What the step assumes. */
export const asAssumed: Readonly<OpenQuestions> = {
  offerV1: true,
  apiVersions: 'all',
  documentFor: 'everybody',
  organization: 'demo-org',
  tokenAnswer: 'whole',
  scopesChecked: 'token',
  compressed: false,
  envelope: true,
  wrapped: false,
  failureForm: 'JSON',
  listField: '',
  listPage: 0,
  numberField: 'index',
  nameField: 'name',
  stateIn: 'executionState',
  timeForm: 'milliseconds',
  stateOfLoad: 'RUNNING',
  stateOfSuccess: 'FINISHED',
  reasonField: 'message',
  environmentForm: 'text',
  retiredFails: true,
  archiveSetting: 'whole',
  archives: 'precedence',
  archiveShown: false,
  pageShown: false,
  revisionShown: false,
  reportsField: '',
  archiveIdField: 'id',
  archiveIds: 'ca-{n}',
  archiveLimit: 100 * 1024 * 1024,
  buildFileAt: 'top',
  besideRefused: true,
  digestVerified: true,
  archivesListed: false,
  offerDelete: true,
  usedDeletable: true,
  latestResolved: 'start',
  runCopyMethod: 'GET',
  wrongMethod: 405,
  runCopyAnswer: 'record',
  startStatus: 0,
  copyName: '{name} (copy)',
  downloadMethod: 'GET',
  reportNumber: 1,
  notYetStatus: 404,
  reportFormat: 'tar.gz',
  offerXml: true,
  downloadSpeed: 0,
}
