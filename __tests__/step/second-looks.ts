import type { JobOptions } from '../../sandbox/runner/job-options.js'
import type { RunSettings, ServiceSettings } from '../../sandbox/service/settings.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { contentOf } from './published.js'
import { startSandbox, type Ran, type Sandbox } from './sandbox.js'
import { until } from './several-steps.js'

const slow: Partial<RunSettings> = { slowdown: 1.6 }
export const fast: Partial<RunSettings> = { slowdown: 1 }
export const inputs = { confirm: 'true', baseline: 'load-test:9', gates: 'requests p95 <= baseline + 20 %' }
export const onPull: JobOptions = {
  github: {
    eventName: 'pull_request',
    event: { pull_request: { number: 7, head: { sha: 'c0ffee01' }, base: { ref: 'main' } } },
  },
}

/** A sandbox whose runs are slow, and steps with `confirm: true` on a pull request. */
export class SecondLook {
  private constructor(readonly sandbox: Sandbox) {}

  static async open(settings: Partial<ServiceSettings> = {}): Promise<SecondLook> {
    return new SecondLook(await startSandbox({ ...slow, ...settings }))
  }

  close(): Promise<void> {
    return this.sandbox.close()
  }

  started(): number[] {
    return this.sandbox.service.books.starts.map(({ number }) => number)
  }

  lastComment(): string {
    return this.sandbox.github.store.commentsOf(7).at(-1)?.body ?? ''
  }

  outcome(runId = this.sandbox.runId): LoadTestOutcome {
    const file = this.sandbox.github.store.artifact('load-test-outcome.json', runId)
    return JSON.parse(contentOf({ path: file?.path ?? '' })) as LoadTestOutcome
  }

  /** Settings for the runs from the second one on; a run's settings are fixed when it starts. */
  later(settings: Partial<ServiceSettings>): void {
    void until(() => this.started().length > 0).then(() =>
      Object.assign(this.sandbox.service.settings, settings),
    )
  }

  held(more: Record<string, string> = {}, job: JobOptions = onPull): Promise<Ran> {
    return this.sandbox.run({ ...inputs, ...more }, { job })
  }

  async expectNone(more: Record<string, string>, settings: Partial<ServiceSettings> = {}): Promise<void> {
    Object.assign(this.sandbox.service.settings, settings)
    const ran = await this.held(more)
    expect(ran.outputs['verdict']).toBe('failed')
    expect(this.started()).toHaveLength(1)
    expect(ran.summary.includes('No second run was started to confirm load test')).toBe('timeout' in more)
  }

  async expectFirstStands(
    more: Record<string, string>,
    settings: Partial<ServiceSettings>,
    reason: string,
  ): Promise<void> {
    this.later(settings)
    const ran = await this.held(more)
    expect(ran.outputs['verdict']).toBe('failed')
    for (const text of [ran.log, ran.summary, this.lastComment()]) {
      expect(text).toContain(`The verdict of load test ${this.started()[0]} stands`)
      expect(text).toContain(reason)
    }
    expect(this.outcome()).toMatchObject({ confirmation: { result: 'open' }, gates: [{ result: 'failed' }] })
  }
}
