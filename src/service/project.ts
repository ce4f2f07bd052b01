/** Interface section 2, "Scopes". */
export type Scope =
  | 'LOADTEST_LIST'
  | 'LOADTEST_STATUS'
  | 'LOADTEST_DETAILS'
  | 'LOADTEST_COPY_RUN'
  | 'LOADTEST_REPORT_DOWNLOAD'
  | 'LOADTEST_RESULT_DOWNLOAD'
  | 'CODEARCHIVE_UPLOAD'
  | 'CODEARCHIVE_DELETE'

/** A project by the short names of it and its organization. */
export interface Project {
  organization: string
  project: string
}

/** Of the API client that an administrator of the project has created. */
export interface Credentials {
  clientId: string
  clientSecret: string
}

export interface LoadTest {
  number: number
  name?: string
  description?: string
  /** Upper case, as the service writes it: RUNNING, FINISHED, ... */
  state?: string
  /** Milliseconds since 1970, UTC; absent before the start and the end. */
  startTime?: number
  endTime?: number
  /** Why it ended in ERROR, where the service says so. */
  reason?: string
  /** The engine's version line it runs on, in the words of the service. */
  environment?: string
  /** The code archive that it was or will be built from. */
  archiveId?: string
  /** True if the load test uses the most recent code archive. */
  useLatest?: boolean
  /** False if its code archive does not count, because the load test does not enable it (service since v112). */
  archiveEnabled?: boolean
  /** What was built, as its source names it, such as a commit. Foreign text. */
  revision?: string
  /** Its page on the service, where the answer links to one of the service's own origin. */
  page?: string
  reports?: Listed[]
  results?: Listed[]
}

/** A report or result of a load test; the label is the user's own or the service's. */
export interface Listed {
  number: number
  label?: string
}

/** The final report: the one with the highest number; if none are listed, it is number 1 (user manual). */
export function latest(list: readonly Listed[] | undefined): Listed {
  return (list ?? []).reduce((best, one) => (one.number >= best.number ? one : best), { number: 1 })
}

/**
 * The states of a load test, as the service's user manual and API explorer name them. The interface itself
 * shows none, so there may be unknown ones: they count as not ended, unless the end time is set.
 */
export type Phase = 'preparing' | 'running' | 'ending' | 'unknown' | 'finished' | 'aborted' | 'error'

const phases = new Map<string | undefined, Phase>([
  ['NEW', 'preparing'],
  ['SCHEDULED', 'preparing'],
  ['STARTING', 'preparing'],
  ['PROVISIONING', 'preparing'],
  ['RUNNING', 'running'],
  ['STOPPING', 'ending'],
  ['DEPROVISIONING', 'ending'],
  ['FINISHED', 'finished'],
  ['ABORTED', 'aborted'],
  ['ERROR', 'error'],
])

export function phaseOf(state: string | undefined): Phase {
  return phases.get(state) ?? 'unknown'
}

/**
 * Whether its test suite has been built: the load runs, or has run, or never will. Before that it may still have to be
 * fetched; an unknown state says nothing about it.
 */
export function isBuilt(test: Parameters<typeof hasEnded>[0] & { startTime?: number | string }): boolean {
  const phase = phaseOf(test.state)
  const isTimed = test.state === undefined && test.startTime !== undefined
  return isTimed || phase === 'running' || phase === 'ending' || hasEnded(test)
}

/**
 * Whether it ran to its end. Where the service does not say in which state it ended, both its times have to show that it
 * ran; a report then says how it went.
 */
export function hasFinished(run: { state: string; startTime?: string; endTime?: string }): boolean {
  const isUntold = run.state === 'unknown' && run.startTime !== undefined && run.endTime !== undefined
  return isUntold || phaseOf(run.state) === 'finished'
}

/** True for FINISHED, ABORTED and ERROR, and for an unknown state of a load test whose end time is set. */
export function hasEnded({ state, endTime }: { state?: string; endTime?: number | string }): boolean {
  const phase = phaseOf(state)
  if (phase === 'unknown') return endTime !== undefined
  return phase === 'finished' || phase === 'aborted' || phase === 'error'
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The paths of the interface, and those of pages. */
const behindService =
  /\/(?:public\/api(?:\/.*)?|oauth(?:\/token)?|login|dashboard|(?:orgs|organizations|projects|load-?tests|code-archives)\/.*)$/i

/**
 * Reads `base-url`. https only, plain http only for loopback; no user, query or fragment, so that no secret
 * hides in an address that is printed. A path stays: a service may live below one.
 *
 * @returns the address without a trailing slash, or a sentence about the mistake
 */
export function readBaseUrl(
  text: string,
  { organization, project }: Project,
): { url: string } | { fault: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) return { fault: 'base-url is not an address. Write it as https://loadtest.example.com' }
  if (url.username || url.password) {
    return { fault: 'base-url must not contain a user or password. Use client-id and client-secret.' }
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { fault: 'base-url must start with https://, such as https://loadtest.example.com' }
  }
  if (url.protocol === 'http:' && !loopback.has(url.hostname)) {
    return {
      fault: 'base-url must start with https:// because plain http is only for a service on this machine.',
    }
  }
  const [before = ''] = url.pathname.replace(behindService, '').split(`/${organization}/${project}`)
  const kept = `${url.origin}${before.replace(/\/+$/, '')}`
  if (/[?#]/.test(text) || before.length < url.pathname.length) {
    return { fault: `base-url must end at the service, before its interface and pages: write ${kept}` }
  }
  return { url: kept }
}

/** Whether a text is one part of a path and stays one: only dots, slashes and their encodings lead elsewhere. */
export function isPathPart(text: string): boolean {
  return /^[^/\\%?#\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(text) && !/^\.+$/.test(text)
}
