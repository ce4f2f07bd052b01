import { UserError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import type { Project } from './operations.js'

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

/** Encoded for an address. @throws UserError if it would lead elsewhere */
export function pathPart(text: string): string {
  if (!isPathPart(text)) throw new UserError(`"${oneLine(text, 60)}" cannot be part of an address.`)
  return encodeURIComponent(text)
}
