import { OwnError } from '../errors.js'
import { defined, fieldsOf, isFields, parsedJson, type Fields } from '../text/fields.js'
import type { Log } from '../log.js'
import { formatDuration } from '../text/duration.js'
import { oneLine } from '../text/foreign-text.js'
import { sentence } from '../text/reason.js'
import type { Scope } from './project.js'
import type { Operation } from './operations.js'
import { meaningOf } from './status.js'

/** What came back instead of an answer. */
export interface FailureFacts {
  /** HTTP status, if there was an answer at all. */
  status?: number
  /** What the service said, in its own words, of any length. */
  said?: string
  /** The code of its error, such as `invalid_scope` of a token endpoint (RFC 6749). */
  code?: string
  retryAfterSeconds?: number
  /** The address that it names: of a redirect, or of what was created. Foreign text. */
  location?: string
  /**
   * Whether the service may have done what it was asked: `no` if it was never reached, or refused; `unknown` if the
   * connection broke or a gateway answered.
   */
  executed: 'no' | 'unknown'
  /** Our own time-out ended it: it may still be under way. */
  unanswered?: true
  /** Asking again will not help, for example with an untrusted certificate. */
  lasting?: boolean
  /** A sentence for what happened if there is no status, such as "The connection broke: ECONNRESET." */
  broke?: string
  /** The scopes that the credentials turned out to lack. */
  missingScopes?: readonly Scope[]
}

/** A call to the service that did not end well. The message says which call, what came back and what to do. */
export class ServiceError extends OwnError {
  constructor(
    readonly operation: Operation,
    readonly facts: FailureFacts,
    options?: ErrorOptions,
  ) {
    super(describe(operation, facts), options)
  }

  get status(): number | undefined {
    return this.facts.status
  }

  /** True if it says that the token is the reason (RFC 6750 has 401 for that, others have 400 or 403). */
  get isAboutToken(): boolean {
    const { status = 0, code, said = '' } = this.facts
    const inWords = /\b(?:expired|invalid)[ _]token\b|\btoken\b.*\b(?:expired|invalid)\b/i
    return status >= 400 && status < 500 && inWords.test(`${code} ${said}`)
  }

  /** True if the credentials were refused, whatever the scopes. */
  get isAboutCredentials(): boolean {
    const { status = 0, code } = this.facts
    const isRefused = code === 'invalid_client' || (status === 401 && code !== 'invalid_scope')
    return this.operation.name === 'token' && status < 500 && isRefused
  }

  /** True if the same request may well succeed a little later. */
  get passing(): boolean {
    const { status, lasting } = this.facts
    if (lasting) return false
    return status === undefined || meaningOf(status).passing
  }
}

/** What the service asks a poll to wait, in milliseconds; 0 if nothing. */
export function wantedPause(error: unknown): number {
  return error instanceof ServiceError ? (error.facts.retryAfterSeconds ?? 0) * 1000 : 0
}

/** Milliseconds that are left for it. */
const lastLook = 60_000

/** What the service asks to wait, and no longer than leaves time for another look. All in milliseconds. */
export function pauseWithin(asked: number, left: number, log: Log): number {
  const latest = left > 2 * lastLook ? left - lastLook : left
  if (asked <= Math.max(0, latest)) return asked
  log.info(
    `The service asks to wait ${formatDuration(asked)}, which is longer than the step may wait: looking again in ${formatDuration(latest)}.`,
  )
  return Math.max(0, latest)
}

/** The service answered, but not with what the interface promises. Asking again does not help. */
export class AnswerError extends OwnError {
  /** @param is a refusal in the right form, a page for people, or in any other form */
  constructor(
    operation: Operation,
    wrong: string,
    { is = 'unknown', ...options }: ErrorOptions & { is?: keyof typeof answerAdvices } = {},
  ) {
    // What a start has come to is looked for in the list: nothing is wrong with the address.
    const advice = operation.name === 'runCopy' && is === 'unknown' ? '' : ` ${answerAdvices[is]}`
    super(`The service's answer to ${operation.title} ${sentence(wrong)}${advice}`, options)
  }
}

const answerAdvices = {
  refusal: 'Check the project on the service.',
  page: 'Check that base-url is the load-testing service itself, not a login page or a proxy.',
  unknown: 'Check base-url; mode: check compares what this service answers with what the step reads.',
} as const

/** A list of which not everything can be read: what it does not show may exist all the same. */
export class IncompleteListError extends AnswerError {}

function describe(operation: Operation, facts: FailureFacts): string {
  const { status } = facts
  if (status === undefined) return `${capital(operation.title)} failed: ${facts.broke ?? 'no answer.'}`
  // Foreign words come last: a reader would take them for our advice.
  const said = facts.said?.trim() ? ` The service said: ${sentence(oneLine(facts.said))}` : ''
  return `${capital(operation.title)} failed: the load-testing service answered ${status}. ${whatToDo(operation, status, facts)}${said}`
}

/** A sentence for each status that says more than its kind. */
const advices: Readonly<Record<number, (operation: Operation) => string>> = {
  401: (operation) =>
    `The access token was not accepted. Check that the credentials still exist and are valid for this project${versionOf(operation).ofCredentials}.`,
  402: () =>
    'The service asks for payment: the organization has no credit left, or no licence for this. Ask whoever administers it on the service.',
  403: (operation) =>
    `The credentials must be valid for this project${operation.scope ? ` with the scope ${operation.scope}` : ''}${versionOf(operation).ofCredentials}; a project can disable the credentials of its organization.`,
  404: (operation) =>
    operation.name === 'runCopy'
      ? `The step has just read ${operation.names ?? 'it'}: check that it still exists. If it does, this service starts copies in another way: mode: check compares the calls of the step with its OpenAPI document.`
      : `Check organization, project and ${operation.names ?? 'the number'}: one of them does not exist, or the credentials do not reach it.${versionOf(operation).lack}`,
  405: () => 'The service offers this call only with another method.',
  409: () => 'Something on the service stands in the way, such as a lock: look there, or wait a while.',
  413: () => 'What was sent is too large for the service.',
  429: () => 'The service asks for fewer requests. If this goes on, find out what else uses it.',
}

/** 410 is gone, as a retired version of the API may be; 423 is locked. */
const alike: Readonly<Record<number, number>> = { 410: 404, 423: 409 }

/** One or two sentences of advice. */
function whatToDo(operation: Operation, status: number, facts: FailureFacts): string {
  if (facts.missingScopes) return lack(facts.missingScopes)
  if (operation.name === 'token' && status < 500) {
    const what = aboutToken(operation, status, facts)
    if (what !== undefined) return what
  }
  const advice = advices[alike[status] ?? status]
  if (advice) return advice(operation)
  if (status < 400) return 'The redirect was not followed. Check that base-url is the service itself.'
  return status >= 500
    ? 'This is a fault of the service or of a proxy in front of it. If this goes on, ask whoever runs it.'
    : 'Check the inputs of the step.'
}

/** About the version of the interface that a call belongs to: the end of a sentence on credentials, and a sentence. */
function versionOf({ path }: Operation): { ofCredentials: string; lack: string } {
  const version = /\/public\/api\/(v\d+)\//.exec(path)?.[1]
  if (version === undefined) return { ofCredentials: '', lack: '' }
  return {
    ofCredentials: `, and for API version ${version}, which is chosen when they are created`,
    lack: ` If they are right, this service may lack the calls of API version ${version}, whatever version the credentials have: mode: check shows that.`,
  }
}

const place =
  'on the service, in the configuration of the project or its organization (Integrations, API Client Credentials).'
const createNew = `create new ones ${place}`

/** A sentence on why no token was given: the credentials, their scopes, or an address that is not a token endpoint. */
function aboutToken({ path }: Operation, status: number, facts: FailureFacts): string | undefined {
  const { code } = facts
  if (code === 'invalid_scope')
    return 'The credentials lack scopes that this step requests: see the permissions in the README.'
  if (code === 'invalid_client' || status === 401)
    return `Check client-id and client-secret. If the credentials have expired, ${createNew}`
  if (status === 400 || status === 403) {
    return `Check client-id and client-secret, and that the credentials have the scopes that this step requests. If they have expired, ${createNew}`
  }
  if ([404, 405, 410].includes(status))
    return `Check base-url: there is no token endpoint at ${path} below it. Most services have an address without a path: write only https:// and the host.`
  return undefined
}

export function lack(scopes: readonly Scope[]): string {
  const [noun, these] = scopes.length === 1 ? ['scope', 'this'] : ['scopes', 'these']
  return `The credentials lack the ${noun} ${scopes.join(', ')}. Create new credentials with ${these} ${noun} ${place}`
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The fields that may have a sentence, the best first. */
const sentences = ['message', 'error_description', 'detail', 'description', 'reason', 'errorMessage'] as const
/** Fields that hold at most a title or a code. */
const titles = ['title', 'error', 'code'] as const
const mostErrors = 3
const deepest = 4

/** What an error response says: the message in its JSON, or the text of its HTML. */
export function readErrorBody(body: string): Pick<FailureFacts, 'said' | 'code'> {
  const json = parsedJson(body)
  if (json === undefined) return { said: textOf(body) }
  const { error: code } = fieldsOf(json)
  return defined({ said: messageOf(json), code: typeof code === 'string' ? code : undefined })
}

/** The text of a JSON value; undefined if it has no sentence, no title and no other text. */
export function messageOf(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined
  if (depth > deepest) return undefined
  if (Array.isArray(value)) return listed(value, depth)
  if (!isFields(value)) return undefined
  const first = (names: readonly string[]) =>
    names.map((name) => messageOf(value[name], depth + 1)).find((found) => found !== undefined)
  const errors = listed(isFields(value.errors) ? Object.values(value.errors) : value.errors, depth)
  const parts = [first(titles), first(sentences), errors].filter((part) => part !== undefined)
  if (parts.length > 0) return [...new Set(parts)].join(': ')
  return messageOf(value.data, depth + 1) ?? otherFields(value)
}

function listed(values: unknown, depth: number): string | undefined {
  if (!Array.isArray(values)) return undefined
  const said = values.slice(0, mostErrors).map((one: unknown) => messageOf(one, depth + 1))
  const more = values.length > mostErrors ? [`${values.length - mostErrors} more`] : []
  return [...said.filter((one) => one !== undefined), ...more].join('; ') || undefined
}

/** Better than nothing if none of the usual fields is present. */
function otherFields(record: Fields): string | undefined {
  const shown = Object.entries(record).filter(([, value]) => ['string', 'number'].includes(typeof value))
  const said = shown.slice(0, 5).map(([name, value]) => `${name} ${String(value)}`)
  return said.join(', ') || undefined
}

/** Text unchanged; of an HTML page its readable text. */
function textOf(body: string): string {
  const text = body.slice(0, 4000)
  return /^\s*</.test(text) ? text.replace(/<[^<>]{0,500}>/g, ' ') : text
}
