import { randomBytes, randomUUID } from 'node:crypto'

/** Purposes for which credentials can be used (interface section 2). */
export const scopes = {
  LOADTEST_LIST: 'List load tests of a project',
  LOADTEST_STATUS: 'Read the status of a load test',
  LOADTEST_DETAILS: 'Read the details of a load test',
  LOADTEST_COPY_RUN: 'Copy a load test and run the copy',
  LOADTEST_REPORT_DOWNLOAD: 'Download a report archive',
  LOADTEST_RESULT_DOWNLOAD: 'Download a result archive',
  CODEARCHIVE_UPLOAD: 'Upload a code archive',
  CODEARCHIVE_DELETE: 'Delete a code archive',
} as const
export type Scope = keyof typeof scopes

export function isScope(name: string): name is Scope {
  return Object.hasOwn(scopes, name)
}

export type CredentialsName = 'everything' | 'read only' | 'expired' | 'webshop only' | 'private-shop only'

/** API client credentials as an administrator creates them (interface section 2). */
export interface Credentials {
  name: string
  organization: string
  /** Short name of the only project in which they are valid; absent at organization level. */
  project?: string
  clientId: string
  clientSecret: string
  scopes: readonly Scope[]
  /** `YYYY-MM-DD`, the last day (UTC) on which they are valid. */
  expirationDate?: string
  apiVersion: 'v1' | 'v2'
}

/** The credentials of the seeded organization, at both levels. */
export function seededCredentials(
  organization: string,
  secrets: Partial<Record<CredentialsName, string>>,
): Credentials[] {
  const all = Object.keys(scopes).filter(isScope)
  const issue = (name: CredentialsName, more: Partial<Credentials> = {}): Credentials => ({
    ...{ name, organization, scopes: all, apiVersion: 'v2', clientId: randomUUID() },
    ...{ clientSecret: secrets[name] ?? randomBytes(24).toString('base64url'), ...more },
  })
  return [
    issue('everything'),
    issue('read only', {
      scopes: all.filter((scope) => scope !== 'LOADTEST_COPY_RUN' && !scope.startsWith('CODEARCHIVE_')),
    }),
    issue('expired', { expirationDate: '2024-12-31' }),
    issue('webshop only', { project: 'webshop', apiVersion: 'v1' }),
    issue('private-shop only', { project: 'private-shop' }),
  ]
}

export function isExpired({ expirationDate }: Credentials, now: number): boolean {
  return expirationDate !== undefined && new Date(now).toISOString().slice(0, 10) > expirationDate
}
