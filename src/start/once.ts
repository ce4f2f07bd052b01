import { defined } from '../text/fields.js'
import { message, StartError } from '../errors.js'
import { formatDuration } from '../text/duration.js'
import type { Log } from '../log.js'
import type { Client, NamelessAnswer, StartAnswer } from '../service/service.js'
import { pauseWithin, wantedPause } from '../service/failure.js'
import type { LoadTest } from '../service/project.js'
import type { Clock } from '../clock.js'
import { decide, mayBeExecuted, type Decision, type Known } from './decision.js'
import {
  candidates,
  existing,
  guess,
  mayAppear,
  newCopies,
  sortOut,
  whose,
  type OwnStart,
} from '../run/new-copies.js'

export interface Start {
  client: Pick<Client, 'authenticate' | 'list' | 'details' | 'runCopy'>
  template: LoadTest
  /** As the service's OpenAPI document has it; absent if it does not say. */
  method?: NonNullable<Parameters<Client['runCopy']>[1]>
  archiveId?: string
  clock: Clock
  /** Ends the pauses between two looks, not a start that is under way. */
  signal?: AbortSignal
  log: Log
  /** Records the highest number that exists, so that a start that is cut off can be looked for. Its fault ends the start. */
  onStarting(highest: number): Promise<void>
}

/** The service may ask for more, but nothing can be decided without the list. Milliseconds. */
const longestPause = 30 * 60_000

type Existing = Awaited<ReturnType<typeof existing>>

/**
 * Starts one copy of the template, and one only. Each request is followed by looks at the list of load tests, unless
 * its answer names the copy; decision.ts says what follows from them.
 *
 * @returns with what existed before; `isOpen` as in `OwnStart`; `notes` are what the reader has to know about that
 * @throws StartError if a copy may run that cannot be named; the fault of the request where none does, also if the job is
 * cancelled then; what the list before the start throws
 */
export async function startOnce(
  start: Start,
): Promise<Existing & { copy: LoadTest; isOpen: boolean; notes: string[] }> {
  const { client, template, clock, signal, log } = start
  const { hasStates: _, numbers, ...before } = await existing(client, template.number)
  const { highest } = before
  await client.authenticate()
  await start.onStarting(highest)
  const earlier: NamelessAnswer[] = []
  let method = start.method ?? 'GET'
  let answer = await client.runCopy(template.number, method)
  for (;;) {
    const isOpen = earlier.length > 0
    const nameless = asNameless(answer, (number) => numbers?.has(number) ?? number <= highest)
    if (nameless.is === 'named') return { copy: nameless.copy, isOpen, ...before, notes: [] }
    const { message: said } = nameless.fault
    log.warning(
      before.noList ? said : `${said} Looking in the list for the load test that was started, if any.`,
    )
    const { decision, ...seen } = await lookFor(start, before, nameless, earlier).catch((error: unknown) => {
      throw signal?.aborted && !mayBeExecuted([...earlier, nameless]) ? nameless.fault : error
    })
    if (decision.do === 'follow') {
      const { copy, evidence } = decision
      log.info(`Judging by the list, this step started load test ${copy.number}: following it.`)
      if (evidence === 'archive') return { copy, isOpen, ...before, notes: [] }
      return { copy, isOpen: true, ...before, notes: [guess(copy, template.number)] }
    }
    if (decision.do === 'end') throw endOf(decision, start, seen.known, seen.blindness)
    if (decision.otherwise) method = method === 'GET' ? 'POST' : 'GET'
    const none = before.noList ? '' : `No new copy of load test ${template.number} is in the list. `
    log.info(`${none}Requesting the start once more${decision.otherwise ? ` by ${method}` : ''}.`)
    earlier.push(nameless)
    try {
      await clock.sleep(decision.after, signal)
      answer = await client.runCopy(template.number, method)
    } catch (error) {
      signal?.throwIfAborted()
      throw new StartError(`${said} ${message(error)}`, {
        advice: [mayAppear(template.number)],
        cause: error,
      })
    }
  }
}

/** The answer, unless what it names existed before: that says nothing about the copy. */
function asNameless(answer: StartAnswer, existed: (number: number) => boolean): StartAnswer {
  if (answer.is !== 'named' || !existed(answer.copy.number)) return answer
  const fault = `The service answered the start with load test ${answer.copy.number}, which existed before.`
  return { is: 'unnamed', fault: new Error(fault) }
}

/** Looks at the list until it is clear what to do. */
async function lookFor(
  { client, template, method, archiveId, clock, signal, log }: Start,
  { highest, noList }: Existing,
  answer: NamelessAnswer,
  earlier: readonly NamelessAnswer[],
) {
  const own: OwnStart = { template, highest, ...defined({ archiveId }) }
  const answered = clock.now()
  const known: Known = {
    ...{ answer, earlier, elapsed: 0, looks: 0, copies: undefined, blind: false },
    ...{ hasList: noList === undefined, isMethodKnown: method !== undefined },
  }
  let blindness: unknown = noList
  let asked = 0
  for (;;) {
    const decision = decide(known)
    if (decision.do !== 'look') return { decision, known, blindness }
    await clock.sleep(Math.max(decision.after, asked), signal)
    asked = 0
    try {
      known.copies = await newCopies(client, own, log)
      known.blind = false
    } catch (error) {
      signal?.throwIfAborted()
      blindness = error
      asked = pauseWithin(wantedPause(error), longestPause, log)
      known.blind = true
      log.info(`${message(error)} Looking at the list again.`)
    }
    known.looks++
    known.elapsed = clock.now() - answered
  }
}

/** The error that ends the step. Each one except a plain refusal says that a copy may be running, or names the candidates. */
function endOf(
  { because }: Extract<Decision, { do: 'end' }>,
  { template }: Start,
  known: Known,
  blindness: unknown,
): Error {
  const { answer, earlier, elapsed, copies } = known
  const { fault } = answer
  const [first] = earlier
  if (because === 'refused' && !first) return fault
  if (because === 'refused' && first?.is === 'refused' && answer.is === 'refused') {
    const [one, other] = [first.fault, answer.fault]
    const isAboutMethod = one.status === 405 || one.status === 501
    // One that only says that the method is wrong explains nothing.
    if (one.operation.method !== other.operation.method) return isAboutMethod ? other : one
  }
  if (because === 'whose' && copies) {
    const all = candidates(copies)
    const what = `${whose(all)} ${fault.message} No other start was requested.`
    return new StartError(what, { advice: sortOut(copies, template.number), cause: fault })
  }
  const found =
    because === 'blind'
      ? `It is not known whether a load test was started, because the list could not be read. ${message(blindness)}`
      : `${earlier.length > 0 ? 'Two requests were sent, and no' : 'No'} new copy of load test ${template.number} is in ` +
        `the list after ${formatDuration(elapsed)}; no other start was requested.`
  return new StartError(`${fault.message} ${found}`, { advice: [mayAppear(template.number)], cause: fault })
}
