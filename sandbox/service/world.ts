import type { CodeArchive } from './code-archive.js'
import { seededCredentials, type Credentials } from './credentials.js'
import type { LoadTest, Source } from './load-test.js'
import { pastRun } from './past-run.js'
import { runSettings, type ServiceSettings } from './settings.js'

/** The content of the service: organizations, their projects, and who may use them. */
export interface World {
  organizations: Map<string, Organization>
  credentials: Credentials[]
}

export interface Organization {
  shortName: string
  projects: Map<string, Project>
}

export interface Project {
  shortName: string
  name: string
  /** The organization's credentials are not valid here. */
  organizationCredentialsDisabled: boolean
  loadTests: LoadTest[]
  /** The newest last. */
  archives: CodeArchive[]
}

const day = 24 * 60 * 60 * 1000
const git = { url: 'https://git.example.com/shop/load-tests.git', branch: 'main' }

/** The demo organization: what `npm run sandbox` offers and the tests run against. */
export function seededWorld(settings: ServiceSettings, now: number): World {
  const webshop = newProject('webshop', 'Webshop', [...templates(), release(settings, now)])
  const privateShop = {
    ...newProject('private-shop', 'Private shop', [
      template(1, 'Private shop regression', { codeArchive: 'latest' }),
    ]),
    organizationCredentialsDisabled: true,
  }
  const projects = new Map([webshop, privateShop].map((project) => [project.shortName, project]))
  return {
    organizations: new Map([[settings.organization, { shortName: settings.organization, projects }]]),
    credentials: seededCredentials(settings.organization, settings.secrets),
  }
}

export function newProject(shortName: string, name: string, loadTests: LoadTest[]): Project {
  return {
    ...{ shortName, name, loadTests },
    ...{ organizationCredentialsDisabled: false, archives: [] },
  }
}

/** No seeded load test has a higher number. */
export const seededUpTo = 9

/** The id of the code archive that exists from the start. */
export const seededArchiveId = 'ca-1'

function templates(): LoadTest[] {
  const regression =
    'Nightly regression of the webshop.\n\nBrowse, search & buy, 20 users <each>.\nSecond line.'
  return [
    template(1, 'Webshop regression', { codeArchive: 'latest' }, regression),
    template(2, 'Webshop endurance', { codeArchive: 'latest', git }),
    template(3, 'Webshop from Git', { git }),
    { ...template(4, 'Webshop on the retired engine', { git }), executionEnvironment: '6.x' },
    template(5, 'Webshop with a fixed archive', { codeArchive: { id: seededArchiveId } }),
    template(6, 'Webshop search', { git }),
    template(7, 'Webshop search', { git }),
    { ...template(8, 'Webshop on the next engine', { codeArchive: 'latest' }), executionEnvironment: '10.x' },
  ]
}

export function template(
  number: number,
  name: string,
  source: Source,
  description = `${name}, a template.`,
): LoadTest {
  return { number, name, description, executionEnvironment: '9.x', source }
}

/** A run that finished yesterday, to serve as a baseline. */
function release(settings: ServiceSettings, now: number): LoadTest {
  return {
    ...template(9, 'Webshop release', { git }, 'The load test of the last release.'),
    run: pastRun(runSettings(settings, 'webshop', 3), { template: 3, createdAt: now - day }),
  }
}
