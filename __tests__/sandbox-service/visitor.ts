import AdmZip from 'adm-zip'
import { startService, type Service } from '../../sandbox/service/service.js'

export interface Reply {
  status: number
  headers: Headers
  /** The JSON of the answer, else its text. */
  body: unknown
  bytes: Buffer
}

/** Uses the service over HTTP. */
export interface Visitor {
  service: Service
  token(credentials?: string, scope?: string): Promise<string>
  tokenRequest(parameters: Record<string, string>): Promise<Reply>
  call(path: string, init?: RequestInit & { token?: string; project?: string }): Promise<Reply>
  upload(zip: Buffer): Promise<Reply>
  leave(): Promise<void>
}

export async function visit(): Promise<Visitor> {
  const service = await startService({ simulatedMinutes: 1 })
  const tokens = new Map<string, string>()

  const visitor: Visitor = {
    service,
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
    upload: (zip) =>
      visitor.call('v2/code-archives', {
        method: 'POST',
        body: new Uint8Array(zip),
        headers: { 'content-type': 'application/zip' },
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
