import type { CodeArchive } from './code-archive.js'
import { seededCredentials, type Credentials } from './credentials.js'
import { stagesOf, type LoadTest, type Source } from './load-test.js'
import { runSettings, type ServiceSettings } from './settings.js'

/** What the service holds: organizations, their projects, and who may use them. */
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
  /** Credentials of the organization are not valid here. */
  organizationCredentialsDisabled: boolean
  loadTests: LoadTest[]
  /** The youngest last. */
  archives: CodeArchive[]
}

const day = 24 * 60 * 60 * 1000
const git = { url: 'https://git.example.com/shop/load-tests.git', branch: 'main' }

/** The demo organization: what `npm run sandbox` offers and the tests run against. */
export function seededWorld(settings: ServiceSettings, now: number): World {
  const webshop: Project = {
    shortName: 'webshop',
    name: 'Webshop',
    organizationCredentialsDisabled: false,
    loadTests: [...templates(), release(settings, now)],
    archives: [],
  }
  const privateShop: Project = {
    shortName: 'private-shop',
    name: 'Private shop',
    organizationCredentialsDisabled: true,
    loadTests: [template(1, 'Private shop regression', { codeArchive: 'latest' })],
    archives: [],
  }
  const projects = new Map([webshop, privateShop].map((project) => [project.shortName, project]))
  return {
    organizations: new Map([['demo-org', { shortName: 'demo-org', projects }]]),
    credentials: seededCredentials('demo-org', settings.secrets),
  }
}

/** The id of the code archive that is there from the start. */
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

function template(
  number: number,
  name: string,
  source: Source,
  description = `${name}, a template.`,
): LoadTest {
  return { number, name, description, executionEnvironment: '9.x', source }
}

/** A run that finished yesterday, for whoever needs a baseline. */
function release(settings: ServiceSettings, now: number): LoadTest {
  const usual = runSettings(settings, 'webshop', 3)
  const quick = { secondsPerState: 60, secondsRunning: 600, secondsOf: {}, reportDelay: 0 }
  const sound = {
    ends: 'FINISHED' as const,
    slowdown: 1,
    errorRate: 0,
    scorecard: 'none' as const,
    partial: false,
  }
  const run = { ...usual, ...quick, ...sound, simulatedMinutes: 10, bulk: null }
  return {
    ...template(9, 'Webshop release', { git }, 'The load test of the last release.'),
    run: { template: 3, createdAt: now - day, stages: stagesOf(run), end: 'FINISHED', settings: run },
  }
}
