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

/** The scope that each call about a project needs. */
const scopes = {
  list: 'LOADTEST_LIST',
  details: 'LOADTEST_DETAILS',
  status: 'LOADTEST_STATUS',
  runCopy: 'LOADTEST_COPY_RUN',
  report: 'LOADTEST_REPORT_DOWNLOAD',
  result: 'LOADTEST_RESULT_DOWNLOAD',
  upload: 'CODEARCHIVE_UPLOAD',
  deleteArchive: 'CODEARCHIVE_DELETE',
} as const satisfies Record<string, Scope>

export type OperationName = keyof typeof scopes | 'token' | 'openApi'

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

export function operations({ organization, project }: Project) {
  const place = `orgs/${pathPart(organization)}/projects/${pathPart(project)}`
  const tests = `/public/api/v1/${place}/loadTests`
  const archives = `/public/api/v2/${place}/code-archives`
  const call = (name: keyof typeof scopes, path: string, title: string, names: string): Operation => {
    return { name, title, method: 'GET', path, scope: scopes[name], names }
  }
  const download = (kind: 'report' | 'result') => (loadTest: number, number: number) => {
    const names = `${kind} ${number} of load test ${loadTest}`
    return call(kind, `${tests}/${loadTest}/${kind}s/${number}/download`, `downloading ${names}`, names)
  }
  return {
    list: () => call('list', tests, `listing the load tests of project ${project}`, 'base-url'),
    details: (number: number) =>
      call('details', `${tests}/${number}`, `reading load test ${number}`, `the number ${number}`),
    status: (number: number) => {
      const title = `reading the status of load test ${number}`
      return call('status', `${tests}/${number}/status`, title, `the number ${number}`)
    },
    runCopy: (number: number, method: Operation['method'] = 'GET'): Operation => {
      const title = `starting a copy of load test ${number}`
      return { ...call('runCopy', `${tests}/${number}/runCopy`, title, `load test ${number}`), method }
    },
    report: download('report'),
    result: download('result'),
    upload: (): Operation => {
      const title = `uploading the code archive to project ${project}`
      return { ...call('upload', archives, title, 'base-url'), method: 'POST' }
    },
    // From the service's API explorer; the interface shows neither method nor path.
    deleteArchive: (id: string): Operation => {
      const title = `deleting the code archive ${id}`
      const path = `${archives}/${pathPart(id)}`
      return { ...call('deleteArchive', path, title, 'the code archive'), method: 'DELETE' }
    },
  }
}

/** Encoded for an address. @throws UserError if it would lead elsewhere */
function pathPart(text: string): string {
  if (!isPathPart(text)) throw new UserError(`"${oneLine(text, 60)}" cannot be part of an address.`)
  return encodeURIComponent(text)
}
