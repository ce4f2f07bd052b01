import { UserError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { isPathPart, type Project, type Scope } from './project.js'

/** The calls of the interface (section 4), with what a fault message needs to say about each. */
export interface Operation {
  name: OperationName
  /** In a sentence: "starting a copy of load test 17". */
  title: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  /** Relative to the base address. */
  path: string
  scope?: Scope
  /** What the path names besides organization and project, for a 404. */
  names?: string
}

export type OperationName =
  | 'token'
  | 'list'
  | 'details'
  | 'status'
  | 'runCopy'
  | 'report'
  | 'result'
  | 'reportXml'
  | 'upload'
  | 'deleteArchive'
  | 'openApi'

/** The interface shows no method for these calls: they are GET in the API explorer, and the OpenAPI document decides. */
export const methodNotShown: readonly OperationName[] = ['runCopy', 'report', 'result']

export const tokenOperation: Operation = {
  name: 'token',
  title: 'getting an access token',
  method: 'POST',
  path: '/oauth/token',
}

/** Served without a token, as far as is known; still requested with one. */
export const openApiOperation: Operation = {
  name: 'openApi',
  title: 'reading the OpenAPI document',
  method: 'GET',
  path: '/public/api/json',
  names: 'base-url',
}

export type Operations = ReturnType<typeof operations>

/** All calls about a project. */
export function operations(project: Project) {
  const place = `orgs/${pathPart(project.organization)}/projects/${pathPart(project.project)}`
  return { ...loadTestCalls(place, project.project), ...archiveCalls(place, project.project) }
}

function loadTestCalls(place: string, project: string) {
  const path = `/public/api/v1/${place}/loadTests`
  const method = 'GET'
  const reportOf = (number: number, report: number) => `report ${report} of load test ${number}`
  return {
    list: (): Operation => ({
      ...{ name: 'list', title: `listing the load tests of project ${project}` },
      ...{ method, path, scope: 'LOADTEST_LIST', names: 'base-url' },
    }),
    details: (number: number): Operation => ({
      ...{ name: 'details', title: `reading load test ${number}` },
      ...{ method, path: `${path}/${number}`, scope: 'LOADTEST_DETAILS', names: `the number ${number}` },
    }),
    status: (number: number): Operation => ({
      ...{ name: 'status', title: `reading the status of load test ${number}` },
      ...{
        method,
        path: `${path}/${number}/status`,
        scope: 'LOADTEST_STATUS',
        names: `the number ${number}`,
      },
    }),
    runCopy: (number: number, method: Operation['method'] = 'GET'): Operation => ({
      ...{ name: 'runCopy', title: `starting a copy of load test ${number}` },
      ...{ method, path: `${path}/${number}/runCopy`, scope: 'LOADTEST_COPY_RUN' },
      names: `load test ${number}`,
    }),
    report: (number: number, report: number): Operation => ({
      ...{ name: 'report', title: `downloading ${reportOf(number, report)}` },
      ...{ method, path: `${path}/${number}/reports/${report}/download`, scope: 'LOADTEST_REPORT_DOWNLOAD' },
      names: reportOf(number, report),
    }),
    result: (number: number, result: number): Operation => ({
      ...{ name: 'result', title: `downloading result ${result} of load test ${number}` },
      ...{ method, path: `${path}/${number}/results/${result}/download`, scope: 'LOADTEST_RESULT_DOWNLOAD' },
      names: `result ${result} of load test ${number}`,
    }),
    // From the service's API explorer, version v2; a deployment may lack it.
    reportXml: (number: number, report: number, file: 'test-report' | 'scorecard'): Operation => ({
      ...{ name: 'reportXml', title: `reading the ${file} of load test ${number}`, method },
      path: `/public/api/v2/${place}/load-tests/${number}/reports/${report}/${file}`,
      ...{ scope: 'LOADTEST_REPORT_DOWNLOAD', names: reportOf(number, report) },
    }),
  }
}

function archiveCalls(place: string, project: string) {
  const path = `/public/api/v2/${place}/code-archives`
  return {
    upload: (): Operation => ({
      ...{ name: 'upload', title: `uploading the code archive to project ${project}` },
      ...{ method: 'POST', path, scope: 'CODEARCHIVE_UPLOAD', names: 'base-url' },
    }),
    // From the service's API explorer; the interface shows neither method nor path.
    deleteArchive: (id: string): Operation => ({
      ...{ name: 'deleteArchive', title: `deleting the code archive ${id}` },
      ...{ method: 'DELETE', path: `${path}/${pathPart(id)}` },
      ...{ scope: 'CODEARCHIVE_DELETE', names: 'the code archive' },
    }),
  }
}

/** Encoded for an address. @throws UserError if it would lead elsewhere */
function pathPart(text: string): string {
  if (!isPathPart(text)) throw new UserError(`"${oneLine(text, 60)}" cannot be part of an address.`)
  return encodeURIComponent(text)
}
