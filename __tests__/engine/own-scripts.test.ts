import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startGithub } from '../../sandbox/github/github.js'
import { findJdk, thisMachine } from '../../sandbox/engine/java.js'
import { unpack } from '../../sandbox/engine/unpack.js'
import { runWorkflow } from '../../sandbox/runner/workflow.js'
import { startShop } from '../../sandbox/shop/shop.js'
import { packSource } from '../../src/archive/archive.js'
import { parseOutcome } from '../../src/outcome/outcome-file.js'
import { loadTests } from '../recipes/company.js'
import { makeRepository } from '../repository.js'
import { machineEnv } from '../step/sandbox.js'
import { contentOf } from '../step/published.js'

/** With the real engine, as in run.test.ts. */
const withEngine = process.env['ENGINE'] === undefined ? test.skip : test

withEngine(
  'judge.yml as it stands builds the suite, fetches the engine, runs it and judges its report; properties say where it goes',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'own-scripts-'))
    const at = (...names: string[]) => path.join(folder, ...names)
    const shop = await startShop()
    const github = await startGithub()
    try {
      const source = at('source')
      cpSync('examples/webshop-suite', source, {
        recursive: true,
        filter: (name) => !/\/(target|results)$/.test(name),
      })
      const profile = path.join(source, 'config/test.properties')
      writeFileSync(profile, readFileSync(profile, 'utf8').replace('= 30s', '= 1s').replace('= 10m', '= 10s'))
      // Nothing answers at the address that the suite itself has.
      const properties = { file: 'config/project.properties', entries: [['webshop.url', shop.url]] as const }
      await packSource({ source, exclude: [], target: at('suite.zip'), topLevel: 'suite', properties })
      const origin = await unpack(at('suite.zip'), at('unpacked'))
      makeRepository(origin, {})

      mkdirSync(at('caches'))
      const text = readFileSync('docs/recipes/judge.yml', 'utf8')
      const ran = await runWorkflow(
        'judge.yml',
        text,
        { name: 'push', branch: 'main' },
        {
          github,
          origin: { folder: origin, repository: 'sandbox/project', defaultBranch: 'main' },
          caches: at('caches'),
          actions: { 'load-test-action/load-test-action': process.cwd() },
          machineEnv: { ...machineEnv, JAVA_HOME_21_X64: findJdk(thisMachine()) },
        },
      )
      const steps = ran?.jobs.flatMap((job) => job.steps) ?? []
      const failed = steps.find(({ conclusion }) => conclusion === 'failure')
      expect(failed?.log.split('\n').slice(-40).join('\n')).toBeUndefined()
      const [judged] = ran ? loadTests(ran) : []
      // The first run on main: the gate that compares has no baseline yet.
      expect(judged?.outputs['verdict']).toBe('passed')
      expect(JSON.parse(judged?.outputs['gates'] ?? '')).toMatchObject([
        { gate: 'request "*" mean <= baseline + 10%', result: 'not-compared' },
        { gate: 'transactions error-rate <= 1%', result: 'passed', value: 0 },
      ])
      const outcome = github.store.artifact('load-test-outcome.json', ran?.runId)
      if (!outcome) throw new Error('There is no outcome.')
      const { figures } = parseOutcome(contentOf(outcome))
      expect(figures?.timers.requests.summary?.count).toBeGreaterThan(0)
      expect(figures?.timers.requests.summary?.errors).toBe(0)
    } finally {
      await Promise.all([shop.close(), github.close()])
      rmSync(folder, { recursive: true, force: true })
    }
  },
  300_000,
)
