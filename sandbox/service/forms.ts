import type { ExecutionState } from './load-test.js'
import type { OpenQuestions } from './assumptions.js'

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

/** Spells the answers as the settings about open questions have it; by default, as the records are. */
export class Forms {
  constructor(private readonly questions: OpenQuestions) {}

  /** @param latest id of the project's most recent code archive */
  loadTest(record: LoadTestRecord | Details, latest: string | undefined): object {
    const { numberField, nameField, reportsField } = this.questions
    const { index, name, executionEnvironment, executionState, source, ...rest } = record
    const { reports, ...others } = { reports: undefined, ...rest }
    return this.#wrapped('loadTest', {
      [numberField]: index,
      [nameField]: name,
      ...others,
      ...this.#environment(executionEnvironment),
      ...this.#state(executionState),
      ...this.#source(source, latest),
      ...(reports === undefined ? {} : { [reportsField]: reports }),
    })
  }

  status({ index, executionState, ...rest }: Status): object {
    const { numberField } = this.questions
    return this.#wrapped('loadTest', { [numberField]: index, ...this.#state(executionState), ...rest })
  }

  list(all: object[]): object {
    const { listField } = this.questions
    return listField === '' ? all : { [listField]: all }
  }

  archive({ id, ...rest }: ArchiveRecord): object {
    return this.#wrapped('codeArchive', { [this.questions.archiveIdField]: id, ...rest })
  }

  #wrapped(name: string, record: object): object {
    return this.questions.wrapped ? { [name]: record } : record
  }

  #environment(line: string): object {
    const { environmentForm } = this.questions
    if (environmentForm === 'hidden') return {}
    return { executionEnvironment: environmentForm === 'text' ? line : { name: line } }
  }

  #state({ state, startTime, endTime, message }: ExecutionState): object {
    const { stateForm, timeForm, stateOfLoad, stateOfSuccess, reasonField } = this.questions
    const names = new Map([
      ['RUNNING', stateOfLoad],
      ['FINISHED', stateOfSuccess],
    ])
    const inForm = (time: number) => (time === 0 ? null : new Date(time).toISOString())
    const times =
      timeForm === 'milliseconds'
        ? { startTime, endTime }
        : { startTime: inForm(startTime), endTime: inForm(endTime) }
    const name = names.get(state) ?? state
    const more = message === undefined ? {} : { [reasonField]: message }
    switch (stateForm) {
      case 'executionState':
        return { executionState: { ...times, state: name, ...more } }
      case 'record':
        return { ...times, state: name, ...more }
      case 'number':
        return { ...times, state: 4, ...more }
      case 'template':
        return { ...times, ...(state === 'NEW' ? { state: name } : {}), ...more }
    }
  }

  #source(source: LoadTestRecord['source'], latest: string | undefined): object {
    const { archiveSetting } = this.questions
    if (archiveSetting === 'whole') return { source }
    const id = source.codeArchiveId ?? (source.useLatest ? latest : undefined)
    return id === undefined ? {} : { source: { codeArchiveId: id } }
  }
}
