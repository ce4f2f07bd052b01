import { notFound } from '../service/failure.js'
import { type LoadTest, type Run } from '../service/load-test.js'
import type { Platform } from '../service/platform.js'
import type { Place } from '../service/visit.js'
import type { Organization, Project } from '../service/world.js'

/** The addresses of the pages; names may contain anything. */
export const address = {
  project: ({ org, project }: Place): string =>
    `/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}`,
  loadTest: (place: Place, number: number): string => `${address.project(place)}/load-tests/${number}`,
}

/** Where the way to each page begins. */
export const home = { name: 'Home', href: '/' }

/** A load test that was started. */
export type StartedLoadTest = LoadTest & { run: Run }

/** @throws Failure 404 */
export function organizationAt({ world }: Platform, org: string): Organization {
  const organization = world.organizations.get(org)
  if (!organization) throw notFound(`There is no organization ${org}.`)
  return organization
}

/** @throws Failure 404 */
export function projectAt(platform: Platform, { org, project }: Place): Project {
  const found = organizationAt(platform, org).projects.get(project)
  if (!found) throw notFound(`Organization ${org} has no project ${project}.`)
  return found
}

/** @throws Failure 404 */
export function loadTestAt(project: Project, number: string): LoadTest {
  const found = project.loadTests.find((loadTest) => String(loadTest.number) === number)
  if (!found) throw notFound(`Project ${project.shortName} has no load test ${number}.`)
  return found
}

/** The newest first. */
export function startedLoadTests({ loadTests }: Pick<Project, 'loadTests'>): StartedLoadTest[] {
  return loadTests
    .filter((loadTest): loadTest is StartedLoadTest => loadTest.run !== undefined)
    .sort((one, other) => other.run.createdAt - one.run.createdAt || other.number - one.number)
}

/** Names and addresses from the home to a project. */
export function pathToProject({ name }: Project, place: Place): { name: string; href: string }[] {
  return [home, { name, href: address.project(place) }]
}
