import { defined, isFields, parsedJson, type Fields } from '../text/fields.js'

/** What the body of an error says, in the service's words. */
interface ErrorBody {
  /** Unchanged, of any length; absent if it says nothing. */
  said?: string
  /** The code of a token endpoint's error (RFC 6749), such as `invalid_scope`. */
  code?: string
  /** The day on which the credentials expired, ISO 8601. */
  expired?: string
}

/** The fields that may have a sentence, the best first. */
const sentences = ['message', 'error_description', 'detail', 'description', 'reason', 'errorMessage'] as const
/** Fields that hold at most a title or a code. */
const titles = ['title', 'error', 'code'] as const
const mostErrors = 3
const deepest = 4

/** What an error response says: the message in its JSON, or the text of its HTML. */
export function readErrorBody(body: string): ErrorBody {
  const json = parsedJson(body)
  if (json === undefined) return { said: textOf(body) }
  const said = messageOf(json)
  const record = isFields(json) ? json : {}
  return {
    ...defined({ said, code: typeof record.error === 'string' ? record.error : undefined }),
    ...expiryOf(record),
  }
}

/** The text of a JSON value; undefined if it has no sentence, no title and no other text. */
export function messageOf(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim()
  if (depth > deepest) return undefined
  if (Array.isArray(value)) return listed(value, depth)
  if (!isFields(value)) return undefined
  const sentence = firstOf(sentences, value, depth)
  const title = firstOf(titles, value, depth)
  const errors = listed(isFields(value.errors) ? Object.values(value.errors) : value.errors, depth)
  const parts = [title, sentence, errors].filter(
    (part, at, all) => part !== undefined && all.indexOf(part) === at,
  )
  if (parts.length > 0) return parts.join(': ')
  return messageOf(value.data, depth + 1) ?? otherFields(value)
}

function firstOf(names: readonly string[], record: Fields, depth: number): string | undefined {
  return names.map((name) => messageOf(record[name], depth + 1)).find((found) => found !== undefined)
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
  return (
    shown
      .slice(0, 5)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', ') || undefined
  )
}

/** Such as `expires_at`, `expirationDate` or `expired`, as a date or as milliseconds since 1970. */
function expiryOf(record: Fields): { expired?: string } {
  const value = Object.entries(record).find(([name]) => /^(?:client_?|secret_?)*expir/i.test(name))?.[1]
  const time = typeof value === 'string' ? Date.parse(value) : value
  // Anything smaller is a number of seconds from now.
  if (typeof time !== 'number' || !(time > 1e12 && time <= Date.now())) return {}
  return { expired: new Date(time).toISOString().slice(0, 10) }
}

/** Text unchanged; of an HTML page its readable text. */
function textOf(body: string): string {
  const text = body.slice(0, 4000)
  return /^\s*</.test(text) ? text.replace(/<[^<>]{0,500}>/g, ' ') : text
}
