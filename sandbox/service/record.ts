import { createHash } from 'node:crypto'
import type { FaultRule, Strike } from './faults.js'
import { faultOf } from './faults.js'
import { executionState, reportReady, type ExecutionState, type LoadTest } from './load-test.js'
import type { CodeArchive } from './code-archive.js'
import type { Platform } from './platform.js'

/** The service's record of a load test. The interface shows no fields; these follow the API explorer. */
export interface LoadTestRecord {
  index: number
  name: string
  description: string
  executionEnvironment: string
  executionState: ExecutionState
  source: {
    useLatest: boolean
    git?: { url: string; branch: string }
    codeArchiveId?: string
    /** Present if, by the settings, it decides whether the archive counts. */
    codeArchiveEnabled?: boolean
  }
}

/** A report or a result in the details, if the settings list them. */
export interface FileRecord {
  number: number
  label: string
}

export interface Details extends LoadTestRecord {
  /** The load test's page, if the settings show it. */
  url?: string
  reports?: FileRecord[]
  results?: FileRecord[]
}

export interface Status extends Pick<LoadTestRecord, 'index' | 'executionState'> {
  /** What the run was built from, if the settings show it: the SHA-512 of its code archive, or a commit. */
  revision?: string
}

export interface ArchiveRecord {
  id: string
  fileName: string
  /** Bytes. */
  size: number
  /** Hexadecimal. */
  sha512: string
  /** UTC milliseconds. */
  uploadedAt: number
}

/** Makes the records of load tests, with the faults that falsify them. */
export class Records {
  readonly #stuck = new WeakMap<FaultRule, Map<LoadTest, ExecutionState>>()

  constructor(private readonly platform: Platform) {}

  loadTest(loadTest: LoadTest, strikes: readonly Strike[]): LoadTestRecord {
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
  details(loadTest: LoadTest, strikes: readonly Strike[], page: string): Details {
    const { pageShown, reportsListed } = this.platform.settings
    const record = { ...this.loadTest(loadTest, strikes), ...(pageShown ? { url: page } : {}) }
    if (!reportsListed) return record
    const ready = reportReady(loadTest, this.platform.now()) && !faultOf(strikes, 'report-late')
    return {
      ...record,
      reports: ready ? [{ number: 1, label: reportLabel(loadTest) }] : [],
      results: ready ? [{ number: 1, label: 'Results' }] : [],
    }
  }

  status(loadTest: LoadTest, strikes: readonly Strike[]): Status {
    const { index, executionState } = this.loadTest(loadTest, strikes)
    const revision = this.platform.settings.revisionShown ? builtRevision(loadTest) : undefined
    return { index, executionState, ...(revision === undefined ? {} : { revision }) }
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

/** The label of a run's report. */
export function reportLabel({ run }: LoadTest): string {
  return run?.reportLabel ?? 'Final report'
}

export function archiveRecord({ id, fileName, size, sha512, uploadedAt }: CodeArchive): ArchiveRecord {
  return { id, fileName, size, sha512, uploadedAt }
}
