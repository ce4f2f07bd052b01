import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildApp } from './app.js'
import { emptyBooks, type Books } from './books.js'
import type { Credentials } from './credentials.js'
import { FaultPlan } from './faults.js'
import { Platform } from './platform.js'
import { defaultSettings, type ServiceSettings } from './settings.js'
import { seededWorld, type World } from './world.js'

/** A local load-testing service that implements the interface, for trying and testing the step. */
export interface Service {
  /** Its base address, without a trailing slash. */
  url: string
  /** May be changed while it runs; a run keeps the settings of its start. */
  settings: ServiceSettings
  faults: FaultPlan
  books: Books
  world: World
  /** Credentials of the seeded organization, by a name of credentials.ts. */
  credentials(name: string): Credentials
  close(): Promise<void>
}

export async function startService(changes: Partial<ServiceSettings> = {}): Promise<Service> {
  const settings: ServiceSettings = { ...defaultSettings(), ...changes }
  const world = seededWorld(settings, settings.clock())
  const books = emptyBooks()
  const faults = new FaultPlan(settings)
  const folder = await mkdtemp(path.join(tmpdir(), 'load-testing-service-'))
  const closing = new AbortController()
  try {
    const platform = new Platform(settings, world, books, folder, closing.signal)
    const webshop = world.organizations.get(settings.organization)?.projects.get('webshop')
    if (webshop && settings.seededArchive) platform.acceptForeign(webshop, 'webshop-release', false)
    const app = await buildApp(platform, faults, closing.signal)
    const listening = new URL(await app.listen({ port: settings.port, host: settings.host }))
    return {
      url: `${settings.tls ? 'https' : 'http'}://${settings.host}:${listening.port}`,
      settings,
      faults,
      books,
      world,
      credentials: (name) => credentialsOf(world, name),
      async close() {
        closing.abort()
        await app.close()
        await platform.quiet()
        await rm(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function credentialsOf({ credentials }: World, name: string): Credentials {
  const found = credentials.find((one) => one.name === name)
  if (!found) throw new Error(`No credentials are named ${name}.`)
  return found
}
