import type { ServiceError } from '../service/failure.js'
import type { NamelessAnswer } from '../service/service.js'
import type { LoadTest } from '../service/project.js'
import type { NewCopies } from '../run/new-copies.js'

/** All that is known after a request to start a copy whose answer did not name the copy. Times in milliseconds. */
export interface Known {
  answer: NamelessAnswer
  earlier: readonly NamelessAnswer[]
  /** Since the latest answer. */
  elapsed: number
  /** Looks at the list since then. */
  looks: number
  /** What the latest successful look has shown. */
  copies: NewCopies | undefined
  /** The list could not be downloaded at the latest look. */
  blind: boolean
  /** There is a list to look in. */
  hasList: boolean
  /** The service's OpenAPI document has the method of the request. */
  isMethodKnown: boolean
}

export type Decision =
  | { do: 'follow'; copy: LoadTest; evidence: 'archive' | 'only-copy' }
  /** One more request; `otherwise` means with the other method. */
  | { do: 'ask'; after: number; otherwise: boolean }
  | {
      do: 'end'
      /**
       * There are new load tests, and it is unknown whose they are; the list could not be downloaded when it mattered;
       * refused, or never sent, and there is nothing new; there is no new copy, but one may still appear.
       */
      because: 'whose' | 'blind' | 'refused' | 'open'
    }

const second = 1000
/** Pauses before the looks at the list where the request may have been executed, or be executed late: 137 s. */
export const longLook = [0, 2, 5, 10, 20, 40, 60].map((seconds) => seconds * second)
/** When to look in the list where it is almost ruled out that a run exists. */
const shortLook = [0, 5 * second]
/** How long to wait for a service that does not answer, because nothing can be decided without the list. */
const blindFor = 30 * 60 * second
const blindPause = 60 * second
const mostRequests = 2
const longestRetryAfter = 3 * 60 * second

/** How long to wait before another look at the list, in milliseconds; undefined if it would show nothing more. */
export function nextLook({ answer, earlier, ...known }: Known): number | undefined {
  const { copies, looks, blind, elapsed, hasList } = known
  // Only this step's archive proves that a copy is its own; without that proof, another one may be listed later.
  if (!hasList || copies?.certain.length === 1) return undefined
  const mayRun = mayBeExecuted([...earlier, answer])
  const pause = (mayRun ? longLook : shortLook)[looks]
  if (pause !== undefined && (mayRun || !isLasting(answer))) return pause
  return blind && mayRun && elapsed < blindFor ? blindPause : undefined
}

/**
 * What to do after all looks: follow a copy, ask once more, or end. A second run costs more than a step that ends
 * without one: so another request needs looks that showed nothing new, and there is at most one.
 */
export function decide(known: Known): Decision {
  const { answer, earlier, copies } = known
  const mayRun = mayBeExecuted([...earlier, answer])
  if (!known.hasList) return withoutList(known, mayRun)
  const [ours, ...more] = copies?.certain ?? []
  if (ours && more.length === 0) return { do: 'follow', copy: ours, evidence: 'archive' }
  if (answer.is === 'unsent' && !mayRun) return askAgain(known)
  return decideByList(known, mayRun)
}

export function mayBeExecuted(answers: readonly NamelessAnswer[]): boolean {
  return answers.some(({ is }) => is !== 'refused' && is !== 'unsent')
}

/** Nothing but a request that was never sent leads to another. */
function withoutList(known: Known, mayRun: boolean): Decision {
  if (mayRun) return { do: 'end', because: 'blind' }
  return known.answer.is === 'unsent' ? askAgain(known) : { do: 'end', because: 'refused' }
}

/** Another look would show nothing more. @param mayRun a request may have been executed */
function decideByList(known: Known, mayRun: boolean): Decision {
  const { blind, copies } = known
  const { certain = [], possible = [], unlikely = [] } = copies ?? {}
  const [only] = possible
  if (mayRun && !blind && only && possible.length === 1 && certain.length === 0)
    return { do: 'follow', copy: only, evidence: 'only-copy' }
  if (certain.length + possible.length > 0 || (mayRun && unlikely.length > 0))
    return { do: 'end', because: 'whose' }
  if (blind || !copies) return { do: 'end', because: 'blind' }
  return askAgain(known)
}

/** Nothing new is there. */
function askAgain({ answer, earlier, elapsed, blind, copies, isMethodKnown }: Known): Decision {
  const isLast = earlier.length + 1 >= mostRequests
  switch (answer.is) {
    case 'unnamed':
    case 'unanswered':
      return { do: 'end', because: 'open' }
    case 'unsent':
      if (isLast || blind || isLasting(answer)) return { do: 'end', because: 'refused' }
      return { do: 'ask', after: 0, otherwise: false }
    case 'refused':
      return isLast ? { do: 'end', because: 'refused' } : afterRefusal(answer.fault, isMethodKnown)
    case 'unclear': {
      const asked = (answer.fault.facts.retryAfterSeconds ?? 0) * second
      if (isLast || copies?.isPartial || asked > longestRetryAfter) return { do: 'end', because: 'open' }
      return { do: 'ask', after: Math.max(0, asked - elapsed), otherwise: false }
    }
  }
}

function afterRefusal({ status, isAboutToken }: ServiceError, isMethodKnown: boolean): Decision {
  // Another token may do.
  if (status === 401 || isAboutToken) return { do: 'ask', after: 0, otherwise: false }
  // Some services refuse a wrong method in other words, such as 404 or 403.
  const mayBeForMethod = status === 405 || status === 501 || !isMethodKnown
  return mayBeForMethod ? { do: 'ask', after: 0, otherwise: true } : { do: 'end', because: 'refused' }
}

/** What no later look could change: an untrusted certificate. */
function isLasting({ is, fault }: NamelessAnswer): boolean {
  return is === 'unsent' && fault.facts.lasting === true
}
