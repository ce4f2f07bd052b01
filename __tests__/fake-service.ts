import type { Client } from '../src/service/service.js'
import { ServiceError } from '../src/service/failure.js'
import { operations } from '../src/service/operations.js'
import type { Clock } from '../src/clock.js'

/** What the faults of a fake service are about. */
export const calls = operations({ organization: 'o', project: 'p' })

/** A fault of the service by its status. */
export const answered = (status: number, operation = calls.details(2)) =>
  new ServiceError(operation, { status, executed: status < 500 ? 'no' : 'unknown' })

/**
 * A service in memory: answers the calls that are given, and keeps each of them as `details 2`. Any other call is a
 * fault of the test: so no test needs to say that nothing was started or deleted.
 */
export function fakeService(answers: Partial<Client>): { client: Client; asked: string[] } {
  const asked: string[] = []
  const unexpected = (name: string) => () => Promise.reject(new Error(`Nobody expected the call ${name}.`))
  const all: Client = {
    list: unexpected('list'),
    details: unexpected('details'),
    status: unexpected('status'),
    runCopy: unexpected('runCopy'),
    startMethod: unexpected('startMethod'),
    upload: unexpected('upload'),
    deleteArchive: unexpected('deleteArchive'),
    open: unexpected('open'),
    authenticate: unexpected('authenticate'),
    openApi: unexpected('openApi'),
    patiently: (call) => call(),
    ...answers,
  }
  const client = new Proxy(all, {
    get(target, name) {
      const call: unknown = Reflect.get(target, name)
      if (typeof call !== 'function' || name === 'patiently') return call
      return (...given: unknown[]): unknown => {
        asked.push([name, ...given.filter((one) => ['number', 'string'].includes(typeof one))].join(' '))
        return Reflect.apply(call, target, given)
      }
    },
  })
  return { client, asked }
}

/** A clock on which a pause is over at once. */
export function simulatedClock(): Clock & { pauses: number[] } {
  let now = Date.UTC(2026, 0, 17)
  const pauses: number[] = []
  return {
    pauses,
    now: () => now,
    sleep: async (milliseconds, signal) => {
      signal?.throwIfAborted()
      pauses.push(milliseconds)
      now += milliseconds
    },
  }
}
