import AdmZip from 'adm-zip'
import { startService, type Service } from '../../sandbox/service/service.js'
import type { ServiceSettings } from '../../sandbox/service/settings.js'

export interface Reply {
  status: number
  headers: Headers
  /** The JSON of the answer, else its text. */
  body: unknown
  bytes: Buffer
}

/** Uses the service over HTTP; the test drives the service's clock. */
export interface Visitor {
  service: Service
  /** Lets this many seconds pass on the service's clock. */
  pass(seconds: number): void
  token(credentials?: string, scope?: string): Promise<string>
  tokenRequest(parameters: Record<string, string>): Promise<Reply>
  call(path: string, init?: RequestInit & { token?: string; project?: string }): Promise<Reply>
  upload(zip: Buffer, headers?: Record<string, string>, project?: string): Promise<Reply>
  leave(): Promise<void>
}

/** Each state lasts a second, RUNNING ten, and no time passes by itself. */
export async function visit(settings: Partial<ServiceSettings> = {}): Promise<Visitor> {
  let time = Date.UTC(2026, 0, 17, 10, 15)
  const service = await startService({
    clock: () => time,
    secondsPerState: 1,
    secondsRunning: 10,
    simulatedMinutes: 1,
    ...settings,
  })
  const tokens = new Map<string, string>()

  const visitor: Visitor = {
    service,
    pass(seconds) {
      time += seconds * 1000
    },
    tokenRequest: async (parameters) =>
      read(
        await fetch(`${service.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(parameters) }),
      ),
    async token(credentials = 'everything', scope) {
      const { clientId, clientSecret, scopes } = service.credentials(credentials)
      const { body } = await visitor.tokenRequest({
        client_id: clientId,
        client_secret: clientSecret,
        grant_type: 'client_credentials',
        scope: scope ?? scopes.join(' '),
      })
      return field(body, 'access_token')
    },
    async call(path, { token, project = 'webshop', ...init } = {}) {
      const own = token ?? tokens.get('everything') ?? (await visitor.token())
      if (token === undefined) tokens.set('everything', own)
      const [version = '', ...rest] = path.split('/')
      const url = `${service.url}/public/api/${version}/orgs/demo-org/projects/${project}/${rest.join('/')}`
      const headers = new Headers(init.headers)
      if (own !== '') headers.set('authorization', `Bearer ${own}`)
      return read(await fetch(url, { ...init, headers }))
    },
    upload: (zip, headers = {}, project = 'webshop') =>
      visitor.call('v2/code-archives', {
        method: 'POST',
        body: new Uint8Array(zip),
        headers: { 'content-type': 'application/zip', ...headers },
        project,
      }),
    leave: () => service.close(),
  }
  return visitor
}

async function read(response: Response): Promise<Reply> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const json = /json/.test(response.headers.get('content-type') ?? '')
  const body: unknown = json && bytes.length > 0 ? JSON.parse(bytes.toString()) : bytes.toString()
  return { status: response.status, headers: response.headers, body, bytes }
}

/** The text of a field; `a.b` for a nested one. */
export function field(value: unknown, path: string): string {
  const found = path.split('.').reduce<unknown>((part, name) => {
    if (typeof part !== 'object' || part === null) return undefined
    if (Array.isArray(part) && name === 'length') return part.length
    return Object.entries(part).find(([key]) => key === name)?.[1]
  }, value)
  return String(found)
}

export function zipOf(files: Record<string, string>): Buffer {
  const zip = new AdmZip()
  for (const [name, text] of Object.entries(files)) zip.addFile(name, Buffer.from(text))
  return zip.toBuffer()
}

export const suite = zipOf({ 'suite/pom.xml': '<project/>', 'suite/src/TBrowse.java': 'class TBrowse {}' })

/** The state of a load test from the status endpoint. */
export async function stateOf(visitor: Visitor, number: number): Promise<string> {
  const { body } = await visitor.call(`v1/loadTests/${number}/status`)
  return field(body, 'data.executionState.state')
}
