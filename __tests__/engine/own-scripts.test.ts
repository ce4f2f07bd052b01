import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { prepareEngine } from '../../sandbox/engine/engine.js'
import { buildSuite } from '../../sandbox/engine/suite.js'
import { startShop } from '../../sandbox/shop/shop.js'
import { propertyLines } from '../../src/archive/java-properties.js'
import { packSource } from '../../src/archive/pack.js'
import { receiveReport } from '../../src/report/archive.js'
import { reportBytes } from '../../src/report/report-bytes.js'
import { readReport } from '../../src/report/report-files.js'

/** With the engine itself, as in run.test.ts. */
const withEngine = process.env['ENGINE'] === undefined ? test.skip : test

withEngine(
  'properties tell the run where to go, and the report of the scripts of judge.yml is read',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'own-scripts-'))
    const at = (...names: string[]) => path.join(folder, ...names)
    const { signal } = new AbortController()
    const shop = await startShop()
    try {
      const source = at('source')
      cpSync('examples/webshop-suite', source, {
        recursive: true,
        filter: (name) => !/\/(target|results)$/.test(name),
      })
      const profile = path.join(source, 'config/test.properties')
      writeFileSync(profile, readFileSync(profile, 'utf8').replace('= 30s', '= 1s').replace('= 10m', '= 10s'))
      // Nobody answers at the address that the suite itself has.
      const appended = { file: 'config/project.properties', text: propertyLines([['webshop.url', shop.url]]) }
      await packSource({ source, exclude: [], target: at('suite.zip'), topLevel: 'suite', appended })

      const engine = await prepareEngine({ lines: ['9.x'], signal, onProgress: () => undefined })
      const suite = await buildSuite(at('suite.zip'), at('built'), engine, {
        signal,
        onLine: () => undefined,
      })
      mkdirSync(at('xlt'))
      for (const name of ['bin', 'config', 'lib']) {
        symlinkSync(path.join(engine.releases['9.x']?.home ?? '', name), at('xlt', name))
      }
      const env = { ...process.env, PATH: `${engine.javaHome}/bin:${process.env['PATH'] ?? ''}` }
      const script = (name: string, ...args: string[]) =>
        promisify(execFile)(at('xlt/bin', name), args, { env, cwd: folder, maxBuffer: 50e6 })
      const suitePath = `-Dcom.xceptance.xlt.mastercontroller.testSuitePath=${suite}`
      await script('mastercontroller.sh', '-auto', '-embedded', '-o', at('results'), suitePath)
      await script('create_report.sh', '-o', at('report'), at('results'))

      const received = await receiveReport(await reportBytes(at('report'), at('inner')), at('received'))
      const { report, scorecard } = await readReport(received)
      expect(report.timers.requests.summary?.count).toBeGreaterThan(0)
      expect(report.timers.requests.summary?.errors).toBe(0)
      expect(scorecard).toBeDefined()
    } finally {
      await shop.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  300_000,
)
