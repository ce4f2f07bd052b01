import { startService, type Service } from '../../sandbox/service/service.js'
import type { ServiceSettings } from '../../sandbox/service/settings.js'
import type { Organization, Project } from '../../sandbox/service/world.js'

/** Opens pages without a browser, on a service whose clock stands still. */
export interface Caller {
  service: Service
  organization: Organization
  webshop: Project
  /** Lets this many seconds pass on the service's clock. */
  pass(seconds: number): void
  /** The page as received. */
  open(path: string, status?: number): Promise<string>
  /** Sends a form like a page of the service. */
  send(path: string, fields: [string, string][], headers?: Record<string, string>): Promise<Answer>
  /** Asks the machine interface for a token. */
  token(clientId: string, clientSecret: string, scope?: string): Promise<Response>
  /** Calls the machine interface for the project webshop, with this access token or a new one. */
  api(path: string, token?: string): Promise<Response>
}

export interface Answer {
  status: number
  location: string | null
  text: string
}

export async function call(settings: Partial<ServiceSettings> = {}): Promise<Caller> {
  let time = Date.UTC(2026, 6, 15, 10, 15)
  const service = await startService({
    clock: () => time,
    secondsPerState: 1,
    secondsRunning: 10,
    simulatedMinutes: 1,
    web: true,
    ...settings,
  })
  const organization = service.world.organizations.get('demo-org')
  const webshop = organization?.projects.get('webshop')
  if (!organization || !webshop) throw new Error('The demo organization is not there.')
  const caller: Caller = {
    ...{ service, organization, webshop },
    pass(seconds) {
      time += seconds * 1000
    },
    async open(path, status = 200) {
      const response = await fetch(`${service.url}${path}`)
      expect(response.status).toBe(status)
      return response.text()
    },
    async send(path, fields, headers = { origin: service.url }) {
      const body = new URLSearchParams(fields)
      const response = await fetch(`${service.url}${path}`, {
        method: 'POST',
        body,
        headers,
        redirect: 'manual',
      })
      return {
        status: response.status,
        location: response.headers.get('location'),
        text: await response.text(),
      }
    },
    token: (clientId, clientSecret, scope = 'LOADTEST_LIST') =>
      fetch(`${service.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          client_id: clientId,
          client_secret: clientSecret,
          grant_type: 'client_credentials',
          scope,
        }),
      }),
    async api(path, token) {
      const { clientId, clientSecret, scopes } = service.credentials('everything')
      const own = token ?? (await accessToken(await caller.token(clientId, clientSecret, scopes.join(' '))))
      return fetch(`${service.url}/public/api/v1/orgs/demo-org/projects/webshop/${path}`, {
        headers: { authorization: `Bearer ${own}` },
      })
    },
  }
  return caller
}

/** The token in an answer of the token endpoint. */
export async function accessToken(response: Response): Promise<string> {
  const answer: unknown = await response.json()
  if (typeof answer === 'object' && answer !== null && 'access_token' in answer)
    return String(answer.access_token)
  throw new Error('There is no access token in the answer.')
}

/** The value of the field with this label. */
export function fieldValue(page: string, label: string): string {
  const found = new RegExp(`<label[^>]*>${label}<input[^>]* value="([^"]*)"`).exec(page)?.[1]
  if (found === undefined) throw new Error(`The page has no field ${label}.`)
  return found
}
