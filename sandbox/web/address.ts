import type { Place } from '../service/visit.js'

/** The addresses of the pages; names may contain anything. */
export const address = {
  organization: (org: string): string => `/orgs/${encodeURIComponent(org)}`,
  logo: (org: string): string => `${address.organization(org)}/logo`,
  user: '/user',
  avatar: '/user/avatar',
  project: ({ org, project }: Place): string =>
    `${address.organization(org)}/projects/${encodeURIComponent(project)}`,
  loadTest: (place: Place, number: number): string => `${address.project(place)}/load-tests/${number}`,
  comparisons: (place: Place): string => `${address.project(place)}/comparisons`,
  engineReports: (place: Place): string => `${address.project(place)}/engine-reports`,
  /** Of the organization, or of one of its projects. */
  integrations: ({ org, project }: { org: string; project?: string | undefined }): string =>
    `${project === undefined ? address.organization(org) : address.project({ org, project })}/integrations`,
  credentials: ({ org, project }: { org: string; project?: string | undefined }): string =>
    `${project === undefined ? address.organization(org) : address.project({ org, project })}/credentials`,
}
