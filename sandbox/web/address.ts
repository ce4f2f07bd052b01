import type { Place } from '../service/visit.js'

/** The addresses of the pages; names may contain anything. */
export const address = {
  project: ({ org, project }: Place): string =>
    `/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}`,
  loadTest: (place: Place, number: number): string => `${address.project(place)}/load-tests/${number}`,
}
