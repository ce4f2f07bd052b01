import { seededRandom, type Random } from '../report/random.js'
import type { CodeArchive } from './code-archive.js'
import type { EndState, LoadTest } from './load-test.js'
import { pastRun, type PastRun } from './past-run.js'
import type { Platform } from './platform.js'
import { runSettings } from './settings.js'
import { newProject, template, type Project } from './world.js'

const hour = 60 * 60 * 1000
const day = 24 * hour
/** All of them are in the chart of the last six months, however short these are. */
const days = 180
const git = { url: 'https://git.example.com/shop/load-tests.git', branch: 'main' }

/** Short name, name, runs on a working day, days since the last visit. */
const more: [string, string, number, number][] = [
  ['checkout', 'Checkout', 0.5, 2],
  ['search', 'Search', 0.3, 3],
  ['mobile-app', 'Mobile app', 0.4, 1],
  ['loyalty', 'Loyalty programme', 0.15, 9],
  ['b2b-portal', 'B2B portal', 0.1, 20],
]

/** Fills the demo organization with the history of half a year. Same seed, same history. */
export function addHistory(platform: Platform): void {
  const organization = platform.world.organizations.get(platform.settings.organization)
  const webshop = organization?.projects.get('webshop')
  const privateShop = organization?.projects.get('private-shop')
  if (!organization || !webshop || !privateShop) return
  const now = platform.now()
  webshop.lastVisit = now - hour
  privateShop.lastVisit = now - 5 * day
  addRuns(platform, webshop, 1.1, archivesOf(platform, webshop))
  for (const [shortName, name, runs, visited] of more) {
    const project = newProject(shortName, name, [template(1, `${name} regression`, { git })])
    project.lastVisit = now - visited * day
    platform.addProject(organization, project)
    addRuns(platform, project, runs, [])
  }
  const mobile = organization.projects.get('mobile-app')
  // A run that never ends while somebody watches.
  if (mobile) addRun(platform, mobile, { createdAt: now - hour, secondsRunning: (24 * hour) / 1000 })
}

/** A code archive for each of the last weeks, before the existing one. */
function archivesOf(platform: Platform, project: Project): CodeArchive[] {
  const added = [23, 16, 9, 2].map((age) => {
    const archive = platform.acceptForeign(project, 'webshop-suite', false)
    archive.uploadedAt = platform.now() - age * day
    return archive
  })
  project.archives.sort((one, other) => one.uploadedAt - other.uploadedAt)
  return added
}

function addRuns(platform: Platform, project: Project, usual: number, archives: CodeArchive[]): void {
  const random = seededRandom(platform.settings.seed, `history of ${project.shortName}`)
  const midnight = Math.floor(platform.now() / day) * day
  for (let age = days; age >= 1; age--) {
    const date = new Date(midnight - age * day)
    const weekend = date.getUTCDay() % 6 === 0
    const runs = Math.floor(random.next() * 2 * (weekend ? usual / 4 : usual) + random.next())
    for (let index = 0; index < runs; index++) {
      const createdAt = date.getTime() + 2 * hour + index * 3 * hour + random.between(0, 59) * 60_000
      const end = endOf(random)
      const archive = archives.findLast(({ uploadedAt }) => uploadedAt <= createdAt)
      addRun(platform, project, {
        createdAt,
        end,
        slowdown: 0.92 + random.next() * 0.3,
        ...(archive ? { archive } : {}),
      })
    }
  }
}

function addRun(
  { settings }: Platform,
  { shortName, loadTests }: Project,
  run: Omit<PastRun, 'template'>,
): void {
  // The webshop built from Git until it had code archives.
  const wanted = shortName === 'webshop' && !run.archive ? 3 : 1
  const copied = loadTests.find(({ number }) => number === wanted)
  if (!copied) return
  const copy: LoadTest = {
    ...copied,
    number: Math.max(...loadTests.map(({ number }) => number)) + 1,
    name: settings.copyName.replaceAll('{name}', () => copied.name),
    source: structuredClone(copied.source),
    run: pastRun(runSettings(settings, shortName, wanted), { template: wanted, ...run }),
  }
  loadTests.push(copy)
}

function endOf(random: Random): EndState {
  const dice = random.next()
  return dice < 0.84 ? 'FINISHED' : dice < 0.92 ? 'ERROR' : 'ABORTED'
}
