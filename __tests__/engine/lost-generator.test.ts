import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { prepareEngine } from '../../sandbox/engine/engine.js'
import { startGithub } from '../../sandbox/github/github.js'
import { startJob } from '../../sandbox/runner/job.js'
import { descendants, endProcesses } from '../../sandbox/runner/process-tree.js'
import { startService } from '../../sandbox/service/service.js'
import { startShop } from '../../sandbox/shop/shop.js'
import { makeRepository } from '../repository.js'
import { action, inputsFor, machineEnv, own } from '../step/sandbox.js'

/** With the real engine, as in run.test.ts. */
const withEngine = process.env['ENGINE'] === undefined ? test.skip : test

/** The load generators that this process has started. */
const generators = () =>
  descendants(process.pid).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('AgentMain'))

withEngine(
  'a load generator that is killed: the engine ends without an error, and the step is red, by its report and by itself',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'lost-generator-'))
    const suite = path.join(folder, 'suite')
    const ending = new AbortController()
    const engine = await prepareEngine({ lines: ['9.x'], signal: ending.signal, onProgress: () => undefined })
    const [shop, github] = [await startShop(), await startGithub()]
    const profile = 'com.xceptance.xlt.loadtests.default'
    const properties = {
      'webshop.url': shop.url,
      [`${profile}.rampUpPeriod`]: '1s',
      [`${profile}.measurementPeriod`]: '60s',
    }
    const service = await startService({ engine, properties })
    const step = async (folder: string, inputs: Record<string, string>, runId: number) => {
      const job = await startJob({
        workspace: suite,
        machineEnv,
        github: { runId, token: github.token(), apiUrl: github.url, serverUrl: github.serverUrl },
        artifactService: await github.artifactService(runId),
      })
      try {
        return await job.runStep({ action: folder, inputs: { gates: 'requests p95 <= 1000 s', ...inputs } })
          .done
      } finally {
        await job.remove()
      }
    }
    const sentence = /^The run measured \d+\ss of the planned 1\smin\./
    try {
      const filter = (name: string) => !/\/(target|results)$/.test(name)
      cpSync('examples/webshop-suite', suite, { recursive: true, filter })
      makeRepository(suite, {})
      const running = step(action, inputsFor(service), 10)
      const work = () => service.books.loadTests['webshop']?.at(-1)?.run?.work
      const isUnderWay = () => /^[2-9]\d %/.test(work()?.progress ?? '')
      const over = new AbortController()
      void running.finally(() => over.abort())
      while (!isUnderWay() && !over.signal.aborted) await pause(100)
      endProcesses(generators())
      const ran = await running
      expect(work()?.state().state).toBe('FINISHED')
      expect([ran.conclusion, ran.outputs['verdict']]).toEqual(['failure', 'invalid'])
      expect(ran.annotations[0]).toMatchObject({
        kind: 'error',
        message: expect.stringMatching(sentence) as string,
      })
      cpSync(work()?.report ?? '', path.join(suite, 'report'), { recursive: true })
      const judged = await step(own('judge'), { report: 'report' }, 11)
      expect([judged.conclusion, judged.outputs['verdict']]).toEqual(['failure', 'invalid'])
      expect(judged.annotations[0]?.message).toMatch(sentence)
    } finally {
      ending.abort()
      await Promise.all([service.close(), shop.close(), github.close()])
      rmSync(folder, { recursive: true, force: true })
    }
  },
  300_000,
)
