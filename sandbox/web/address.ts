import type { Place } from '../service/visit.js'

/** The addresses of the pages; names may contain anything. */
export const address = {
  organization: (org: string): string => `/orgs/${encodeURIComponent(org)}`,
  project: ({ org, project }: Place): string =>
    `${address.organization(org)}/projects/${encodeURIComponent(project)}`,
  loadTest: (place: Place, number: number): string => `${address.project(place)}/load-tests/${number}`,
  /** Of the organization, or of one of its projects. */
  credentials: ({ org, project }: { org: string; project?: string | undefined }): string =>
    `${project === undefined ? address.organization(org) : address.project({ org, project })}/credentials`,
}
