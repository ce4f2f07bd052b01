import type { EngineSettings } from '../engine/engine.js'
import type { EndState } from './load-test.js'
import type { FaultRule } from './faults.js'
import type { CredentialsName } from './credentials.js'
import { asAssumed, type OpenQuestions } from './assumptions.js'

/** The course of one run. Copied from the service's settings when the run starts, and fixed from then on. */
export interface RunSettings {
  /** Seconds that a run stays in each state; fractions are fine. */
  secondsPerState: number
  /** Seconds in RUNNING. */
  secondsRunning: number
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
  /** Seconds from the end of the run until its report and results can be downloaded. */
  reportDelay: number
  /** The report says that the download from some load generators failed. Always true for an aborted run. */
  partial: boolean
  /** Length of the load according to the report, in minutes, so that short runs have comparable figures. */
  simulatedMinutes: number
  /** Settings of the load test, which override those of its suite; only the engine reads them. */
  properties: Record<string, string>
}

/**
 * All settings of the local service; those about what the interface leaves open are in assumptions.ts. They may
 * change while it runs, except host, port, tls, secrets, organization, seededArchive, web and engine.
 */
export interface ServiceSettings extends RunSettings, OpenQuestions {
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
  /** Seconds until a new copy is in the list; its details are there at once. */
  listLag: number
  /** Downloads answer range requests with 206. */
  ranges: boolean
  /** The project webshop has a code archive from the start. */
  seededArchive: boolean
  /** Serves web pages at `/` and below `/orgs`; see sandbox/web. */
  web: boolean
  /** Builds code archives and runs them; null = all runs are simulated. */
  engine: EngineSettings | null
  /** Settings for the runs of single templates, by `project/number`, which override those of the service. */
  templates: Record<string, Partial<RunSettings>>
  /** The planned faults; see faults.ts. */
  faults: FaultRule[]
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
    ...asAssumed,
    listLag: 0,
    ranges: true,
    seededArchive: true,
    web: false,
    engine: null,
    templates: {},
    faults: [],
    secondsPerState: 2,
    secondsRunning: 10,
    ends: 'FINISHED',
    buildFault: '',
    slowdown: 1,
    errorRate: 0,
    reportDelay: 0,
    partial: false,
    simulatedMinutes: 10,
    properties: {},
  }
}

/** The settings of a run of this template, with those for this template only. */
export function runSettings(settings: ServiceSettings, project: string, template: number): RunSettings {
  const { secondsPerState, secondsRunning, ends, buildFault, seed } = settings
  const { slowdown, errorRate, reportDelay, partial, simulatedMinutes, properties } = settings
  return structuredClone({
    ...{ secondsPerState, secondsRunning, ends, buildFault, seed, slowdown, errorRate },
    ...{ reportDelay, partial, simulatedMinutes, properties },
    ...settings.templates[`${project}/${template}`],
  })
}
