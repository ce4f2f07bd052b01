import type { EngineSettings } from '../engine/engine.js'
import type { EndState, TimedState } from './load-test.js'
import type { FaultRule } from './faults.js'
import type { CredentialsName } from './credentials.js'

/** The course of one run. Copied from the service's settings when the run starts, and fixed from then on. */
export interface RunSettings {
  /** Seconds that a run stays in each state; fractions are fine. */
  secondsPerState: number
  /** Seconds in RUNNING. */
  secondsRunning: number
  /** Seconds for single states, instead of the two above. */
  secondsOf: Partial<Record<TimedState, number>>
  /** The state in which the run ends. */
  ends: EndState
  /** What the build says, which fails; empty = it does not fail. */
  buildFault: string
  /** Seed of the figures in the report, together with the run's number, so that no two runs are equal. */
  seed: number
  /** Factor on every time in the report; 1 = unchanged. */
  slowdown: number
  /** Share of failed requests in the report, 0 to 1. */
  errorRate: number
  /** The scorecard of the report. */
  scorecard: 'none' | 'passed' | 'failed' | 'error'
  /** Seconds from the end of the run until its report and results can be downloaded. */
  reportDelay: number
  /** The report says that the download from some load generators failed. Always true for an aborted run. */
  partial: boolean
  /** Length of the load according to the report, in minutes, so that short runs have comparable figures. */
  simulatedMinutes: number
  /** Additional files in the report archive, to make it large. */
  bulk: { files: number; bytes: number } | null
  /** Settings of the load test, which override those of its suite; only the engine reads them. */
  properties: Record<string, string>
}

/**
 * All settings of the local service. They may change while it runs, except host, port, tls, secrets, seededArchive,
 * history, web, engine and control.
 */
export interface ServiceSettings extends RunSettings {
  /** Address to listen on. */
  host: string
  /** 0 = any free port. */
  port: number
  /** Serves https with this key and certificate (PEM). */
  tls: { key: string; cert: string } | null
  /** The service's clock, milliseconds since 1970. States, tokens and expiry follow it. */
  clock: () => number
  /** Secrets of the seeded credentials; random by default. */
  secrets: Partial<Record<CredentialsName, string>>
  /** Lifetime of an access token; the interface (section 5) says one hour. */
  tokenSeconds: number
  /** Answers of v1 and v2 are wrapped in `{"success":true,"data":...}`, else bare. */
  envelope: boolean
  /** The method of runCopy, which the interface does not show; the other one gets 405 with Allow. */
  runCopyMethod: 'GET' | 'POST'
  /** What runCopy answers: the record of the copy, its bare number, or 202 without a body. */
  runCopyAnswer: 'record' | 'number' | 'nothing'
  /** Seconds until a new copy is in the list; its details are there at once. */
  listLag: number
  /**
   * Maximum number of load tests in one answer of the v1 list, which then has pages; 0 = all of them, as the
   * interface says.
   */
  listPage: number
  /** Name of a copy; `{name}` stands for the template's name. */
  copyName: string
  /** The details of a load test list its reports and results. */
  reportsListed: boolean
  /** The record of a run names the code archive that it was built from. */
  archiveShown: boolean
  /**
   * If a load test has both a code archive and a repository: the archive takes precedence (interface section 1), or
   * counts only if the load test enables it explicitly (the service since v112).
   */
  archives: 'precedence' | 'explicit'
  /** The details of a load test name its page (the service since v111). */
  pageShown: boolean
  /** The status names the revision that was built (the service since v112). */
  revisionShown: boolean
  /** Offers a list of code archives at the address of their upload. */
  archivesListed: boolean
  /** Offers the two XML files of a report separately (v2 test-report and scorecard). */
  offerXml: boolean
  /** Offers an operation that stops a run, also in the OpenAPI document. */
  offerStop: boolean
  /** Downloads answer range requests with 206. */
  ranges: boolean
  /** Format of a report archive. */
  reportFormat: 'tar.gz' | 'zip'
  /** The project webshop has a code archive from the start. */
  seededArchive: boolean
  /** More projects, and runs of the last six months, as content for the pages. */
  history: boolean
  /** Serves web pages at `/` and below `/orgs`; see sandbox/web. */
  web: boolean
  /** Largest code archive in bytes. */
  archiveLimit: number
  /** Maximum number of code archives in a project. */
  archivesPerProject: number
  /** Builds code archives and runs them; null = all runs are simulated. */
  engine: EngineSettings | null
  /** Settings for the runs of single templates, by `project/number`, which override those of the service. */
  templates: Record<string, Partial<RunSettings>>
  /** The planned faults; see faults.ts. */
  faults: FaultRule[]
  /** Offers /sandbox/... and the fault header: access to faults, settings and books over HTTP. */
  control: boolean
}

export function defaultSettings(): ServiceSettings {
  return {
    host: '127.0.0.1',
    port: 0,
    tls: null,
    seed: 1,
    clock: Date.now,
    secrets: {},
    tokenSeconds: 3600,
    envelope: true,
    runCopyMethod: 'GET',
    runCopyAnswer: 'record',
    listLag: 0,
    listPage: 0,
    copyName: '{name} (copy)',
    reportsListed: false,
    archiveShown: false,
    archives: 'precedence',
    pageShown: false,
    revisionShown: false,
    archivesListed: false,
    offerXml: true,
    offerStop: false,
    ranges: true,
    reportFormat: 'tar.gz',
    seededArchive: true,
    history: false,
    web: false,
    archiveLimit: 100 * 1024 * 1024,
    archivesPerProject: 300,
    engine: null,
    templates: {},
    faults: [],
    control: true,
    secondsPerState: 2,
    secondsRunning: 10,
    secondsOf: {},
    ends: 'FINISHED',
    buildFault: '',
    slowdown: 1,
    errorRate: 0,
    scorecard: 'none',
    reportDelay: 0,
    partial: false,
    simulatedMinutes: 10,
    bulk: null,
    properties: {},
  }
}

/** The settings of a run of this template, with those for this template only. */
export function runSettings(settings: ServiceSettings, project: string, template: number): RunSettings {
  const { secondsPerState, secondsRunning, secondsOf, ends, buildFault, seed } = settings
  const { slowdown, errorRate, scorecard, reportDelay, partial, simulatedMinutes, bulk, properties } =
    settings
  return structuredClone({
    ...{ secondsPerState, secondsRunning, secondsOf, ends, buildFault, seed, slowdown, errorRate },
    ...{ scorecard, reportDelay, partial, simulatedMinutes, bulk, properties },
    ...settings.templates[`${project}/${template}`],
  })
}
