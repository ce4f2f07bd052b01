import { createHash } from 'node:crypto'
import { faultOf, type FaultRule, type Strike } from './faults.js'
import { executionState, reportReady, type ExecutionState, type LoadTest } from './load-test.js'
import type { CodeArchive } from './code-archive.js'
import { Forms, type ArchiveRecord, type Details, type LoadTestRecord } from './forms.js'
import type { Platform } from './platform.js'

/** Makes the records of load tests, with the faults that falsify them, in the form that the settings ask for. */
export class Records {
  readonly #stuck = new WeakMap<FaultRule, Map<LoadTest, ExecutionState>>()
  readonly #forms: Forms

  constructor(private readonly platform: Platform) {
    this.#forms = new Forms(platform.settings)
  }

  loadTest(loadTest: LoadTest, strikes: readonly Strike[]): object {
    return this.#forms.loadTest(this.#record(loadTest, strikes), this.#latest(loadTest))
  }

  list(all: object[]): object {
    return this.#forms.list(all)
  }

  /** The most recent code archive of its project. */
  #latest(loadTest: LoadTest): string | undefined {
    return this.platform.projectOf(loadTest)?.archives.at(-1)?.id
  }

  #record(loadTest: LoadTest, strikes: readonly Strike[]): LoadTestRecord {
    const { number, name, description, executionEnvironment, source, run } = loadTest
    const fixed = typeof source.codeArchive === 'object' ? source.codeArchive.id : undefined
    const used = this.platform.settings.archiveShown ? run?.archive?.id : undefined
    const codeArchiveId = used ?? fixed
    return {
      index: number,
      name,
      description,
      executionEnvironment,
      executionState: this.#state(loadTest, strikes),
      source: {
        useLatest: source.codeArchive === 'latest',
        ...(source.git ? { git: source.git } : {}),
        ...(codeArchiveId === undefined ? {} : { codeArchiveId }),
        ...(this.platform.settings.archives === 'explicit'
          ? { codeArchiveEnabled: source.archiveEnabled ?? !source.git }
          : {}),
      },
    }
  }

  /** @param page address of the load test's page */
  details(loadTest: LoadTest, strikes: readonly Strike[], page: string): object {
    const { pageShown, reportsField, reportNumber: number } = this.platform.settings
    const ready = reportReady(loadTest, this.platform.now()) && !faultOf(strikes, 'report-late')
    const details: Details = {
      ...this.#record(loadTest, strikes),
      ...(pageShown ? { url: page } : {}),
      ...(reportsField !== ''
        ? {
            reports: ready ? [{ number, label: 'Final report' }] : [],
            results: ready ? [{ number, label: 'Results' }] : [],
          }
        : {}),
    }
    return this.#forms.loadTest(details, this.#latest(loadTest))
  }

  status(loadTest: LoadTest, strikes: readonly Strike[]): object {
    const { index, executionState } = this.#record(loadTest, strikes)
    const revision = this.platform.settings.revisionShown ? builtRevision(loadTest) : undefined
    return this.#forms.status({ index, executionState, ...(revision === undefined ? {} : { revision }) })
  }

  #state(loadTest: LoadTest, strikes: readonly Strike[]): ExecutionState {
    const now = this.platform.now()
    const state = executionState(loadTest, now)
    const told = faultOf(strikes, 'state')
    if (told) {
      const endTime = told.ended === true ? state.endTime || now : 0
      return { startTime: state.startTime, endTime, state: told.state }
    }
    const rule = strikes.find(({ fault }) => fault.kind === 'stuck')?.rule
    if (!rule) return state
    const stuck = this.#stuck.get(rule) ?? new Map<LoadTest, ExecutionState>()
    this.#stuck.set(rule, stuck)
    const first = stuck.get(loadTest) ?? state
    stuck.set(loadTest, first)
    return first
  }
}

/** A run from Git has a made-up commit, the same for each branch. */
function builtRevision({ run, source: { git } }: LoadTest): string | undefined {
  if (!run || run.archive || !git) return run?.archive?.sha512
  return createHash('sha1').update(`${git.url} ${git.branch}`).digest('hex')
}

export function archiveRecord({ id, fileName, size, sha512, uploadedAt }: CodeArchive): ArchiveRecord {
  return { id, fileName, size, sha512, uploadedAt }
}
