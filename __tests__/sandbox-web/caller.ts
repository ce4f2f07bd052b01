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
  /** Calls the machine interface for the project webshop. */
  api(path: string): Promise<Response>
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
    async api(path) {
      const { clientId, clientSecret, scopes } = service.credentials('everything')
      const answer = await fetch(`${service.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{ client_id: clientId, client_secret: clientSecret },
          ...{ grant_type: 'client_credentials', scope: scopes.join(' ') },
        }),
      })
      const { access_token: token } = (await answer.json()) as { access_token: string }
      return fetch(`${service.url}/public/api/v1/orgs/demo-org/projects/webshop/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    },
  }
  return caller
}
