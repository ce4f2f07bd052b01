import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { CredentialsName } from '../credentials.js'
import type { FaultRule } from '../faults.js'

/** What the step assumes about the service where the interface leaves a question open, and the setting that asks it. */
export interface Assumption {
  /** Name of the setting of the sandbox. */
  setting: string
  /** Its value, as the step assumes. */
  as: string | number | boolean
  /** Its other values. The cases have the first one, unless they say another. */
  or: readonly [string | number | boolean, ...(string | number | boolean)[]]
  /** Any other text or number is possible, too. */
  free?: true
  /** What the setting says about the service. */
  meaning: string
  /** What the cases set beside it. */
  beside?: Readonly<Record<string, unknown>>
  topic: string
  /** What is assumed. */
  assumed: string
  /** Where it is from; an assumption without a source says so. */
  source: string
  /** What the step does if it is wrong. */
  ifWrong: string
  /** Tried through the bundle. */
  cases: readonly [Case, ...Case[]]
}

/** What a step, and mode check, do with the sandbox set the other way. */
export interface Case {
  /** What distinguishes it from the other cases of its row. */
  name?: string
  /** Settings beside those of the row, or instead of them. */
  settings?: Readonly<Record<string, unknown>>
  faults?: readonly FaultRule[]
  credentials?: CredentialsName
  inputs?: Record<string, string>
  /** A change of the workspace; returns what undoes it. */
  change?: (workspace: string) => () => void
  /** Runs that exist already. */
  earlier?: number
  verdict: 'passed' | 'error' | 'load-test-failed'
  /** Load tests that the step starts; default: one if it is green, else none. */
  starts?: number
  uploads?: number
  /** What the log says. */
  says?: RegExp
  saysNot?: RegExp
  outputs?: Record<string, string | undefined>
  /** The rows of mode check that are not ok. */
  check?: readonly string[]
  /** No answer before the start could show it: mode check may call everything ok, although the run is red. */
  onlyARunShows?: true
}

/** The public pages that were read: their address below the service's manual, and of when their text is. */
export const manual = 'https://docs.xceptance.com/xtc'
export const sources = {
  api: { name: 'XTC API', path: 'integrations/500-api', as: 'July 2026, XTC 115' },
  explorer: {
    name: 'API explorer',
    path: 'integrations/500-api',
    as: 'the picture on that page, February 2024, XTC 78',
  },
  archives: { name: 'Code Archives', path: 'loadtesting/122-code-archives', as: 'July 2026, XTC 115' },
  overview: { name: 'Load Tests Overview', path: 'loadtesting/140-overview', as: 'December 2025' },
  settings: { name: 'Load Test Settings', path: 'loadtesting/155-lt-settings', as: 'July 2026, XTC 115' },
  starting: { name: 'Starting and Stopping', path: 'loadtesting/160-start-lt', as: 'December 2025' },
  reports: { name: 'Test Reports', path: 'loadtesting/180-reports', as: 'July 2026, XTC 115' },
  projects: { name: 'Projects', path: 'basics/050-projects', as: 'February 2026' },
  slack: { name: 'Slack Integration', path: 'integrations/510-slack', as: 'February 2025' },
  v76: { name: 'XTC 76', path: 'xtc-release-notes/v76', as: 'release notes of 12 December 2023' },
  v81: { name: 'XTC 81', path: 'xtc-release-notes/v81', as: 'release notes of 9 April 2024' },
  v89: { name: 'XTC 89', path: 'xtc-release-notes/v89', as: 'release notes of 24 September 2024' },
  v104: { name: 'XTC 104', path: 'xtc-release-notes/v104', as: 'release notes of 2 September 2025' },
  v110: { name: 'XTC 110', path: 'xtc-release-notes/v110', as: 'release notes of 20 January 2026' },
  v112: { name: 'XTC 112', path: 'xtc-release-notes/v112', as: 'release notes of 24 March 2026' },
  v113: { name: 'XTC 113', path: 'xtc-release-notes/v113', as: 'release notes of 28 April 2026' },
  v114: { name: 'XTC 114', path: 'xtc-release-notes/v114', as: 'release notes of 2 June 2026' },
  v115: { name: 'XTC 115', path: 'xtc-release-notes/v115', as: 'release notes of 14 July 2026' },
} as const

/** A link of Markdown, whose address is in the list of sources. */
export const cited = (key: keyof typeof sources) => `[${sources[key].name}][${key}]`

export const api = cited('api')
export const explorer = cited('explorer')
export const archivesPage = cited('archives')
export const starting = cited('starting')
export const settings = cited('settings')
export const overview = cited('overview')
export const reports = cited('reports')
export const none = 'none'
export const readIfPresent = 'none: read if present'

export const passed: Case = { verdict: 'passed' }
export const red: Case = { verdict: 'error' }
/** Red before anything was sent. */
export const early: Case = { ...red, uploads: 0 }
export const deleting = { 'delete-archive': 'true' }
export const expiring: FaultRule[] = [{ operation: 'status', skip: 1, fault: { kind: 'expire-tokens' } }]
export const soon = { timeout: '10s' }
export const noDocument = { documentFor: 'nobody' } as const
export const missingDocument = ['OpenAPI document: in doubt']
export const foreignUpload = (operation: FaultRule['operation'], when: 'before' | 'after'): FaultRule => {
  return { operation, fault: { kind: 'foreign-upload', when } }
}
/** A run that can be seen before it has ended. */
export const visible = { secondsPerState: 0.1, secondsRunning: 0.4 }

export function movePom(workspace: string): () => void {
  const from = path.join(workspace, 'pom.xml')
  const to = path.join(workspace, 'src', 'pom.xml')
  renameSync(from, to)
  return () => renameSync(to, from)
}

/** An archive with a file next to its top-level directory. */
export function zipBeside(workspace: string): () => void {
  const script = `import zipfile
with zipfile.ZipFile('beside.zip', 'w') as z:
    z.writestr('suite/pom.xml', '<project/>')
    z.writestr('README.md', 'x')`
  execFileSync('python3', ['-c', script], { cwd: workspace })
  return () => rmSync(path.join(workspace, 'beside.zip'))
}

/** Too large for the row's limit, even when it is packed. */
export function moreFiles(workspace: string): () => void {
  const folder = path.join(workspace, 'more')
  mkdirSync(folder)
  for (let n = 0; n < 20; n++) writeFileSync(path.join(folder, `${n}.txt`), `file ${n}`)
  return () => rmSync(folder, { recursive: true })
}
