import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startShop, type Shop, type ShopSettings } from '../shop/shop.js'
import type { EngineSettings } from './engine.js'
import { makeReport } from './generators.js'
import { LoadRun, type LoadEvent } from './load.js'
import type { Release } from './release.js'

/** One run of a built suite against its own shop, without the service. */
export interface Trial {
  release: Release
  /** A built suite; the run gets a copy of it. */
  suite: string
  /** The folder of this run; created empty. */
  folder: string
  shop: Partial<ShopSettings>
  /** Settings of the load test. */
  properties: Record<string, string>
  /** Files of the suite that this run replaces. */
  files?: Record<string, string>
  /** The part of the run that its report covers; default: all. */
  range?: readonly string[]
  onEvent?: (event: LoadEvent, load: LoadRun, shop: Shop) => void
}

/** @returns folder of the report, and what its generator printed last */
export async function runTrial(
  trial: Trial,
  { javaHome, agentControllers, charts }: EngineSettings,
  signal: AbortSignal,
): Promise<{ report: string; lines: readonly string[] }> {
  const { release, folder, files = {}, onEvent, range = [] } = trial
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const suite = path.join(folder, 'suite')
  await cp(trial.suite, suite, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(suite, name), text)
  const shop = await startShop(trial.shop)
  const load = new LoadRun({
    ...{ release, javaHome, folder, suite, agentControllers },
    properties: { 'webshop.url': shop.url, ...trial.properties },
  })
  try {
    await load.run(signal, (event) => onEvent?.(event, load, shop))
  } finally {
    await shop.close()
  }
  const report = path.join(folder, 'report')
  const generating = { home: load.home, javaHome, folder, signal }
  const lines = await makeReport(generating, { results: load.results, target: report, charts, range })
  return { report, lines }
}
