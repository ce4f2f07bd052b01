import { defined } from '../text/fields.js'
import { message, StartError, UserError } from '../errors.js'
import { formatDuration } from '../text/duration.js'
import type { Client, NamelessAnswer, StartAnswer } from '../service/service.js'
import { pauseWithin, AnswerError, ServiceError, wantedPause } from '../service/failure.js'
import type { LoadTest } from '../service/project.js'
import { deadline } from '../clock.js'
import { decide, mayBeExecuted, nextLook, type Decision, type Known } from './decision.js'
import {
  candidates,
  guess,
  mayAppear,
  newCopies,
  sortOut,
  unnoted,
  whose,
  type existing,
  type NewCopies,
} from '../run/new-copies.js'
import type { StartNote } from '../run/run.js'
import type { World } from '../world.js'

/** A start that is on record. Its signal ends the pauses between two looks, not a request that is under way. */
export interface Start extends Pick<World, 'clock' | 'log' | 'signal'> {
  client: Pick<Client, 'list' | 'details' | 'runCopy'>
  note: StartNote
  /** What existed before it. */
  before: Awaited<ReturnType<typeof existing>>
  /** As the service's OpenAPI document has it; absent if it does not say. */
  method?: NonNullable<Parameters<Client['runCopy']>[1]>
  startOf: Parameters<typeof unnoted>[1]
}

/** The service may ask for more, but nothing can be decided without the list. Milliseconds. */
const longestPause = 30 * 60_000

/**
 * Starts one copy of the template, and one only. Each request is followed by looks at the list of load tests, unless
 * its answer names the copy; decision.ts says what follows from them.
 *
 * @returns `isOpen`: another copy may appear, of a request whose answer was lost; `notes` are what the reader has to know
 * @throws StartError if a copy may run that cannot be named; the fault of the request where none does, also if the job is
 * cancelled then
 */
export async function startOnce(start: Start): Promise<{ copy: LoadTest; isOpen: boolean; notes: string[] }> {
  const { client, before, clock, signal, log } = start
  const { template } = start.note
  const earlier: NamelessAnswer[] = []
  // A refusal stays one.
  const cancelled = (last: NamelessAnswer, error: unknown): unknown =>
    signal.aborted && !mayBeExecuted([...earlier, last]) ? last.fault : error
  let method = start.method ?? 'GET'
  let answer = await client.runCopy(template, method)
  for (;;) {
    const nameless = await asNameless(start, answer)
    const isOpen = earlier.length > 0
    if (nameless.is === 'named') return { copy: nameless.copy, isOpen, notes: [] }
    const { message: said } = nameless.fault
    log.warning(
      before.noList ? said : `${said} Looking in the list for the load test that was started, if any.`,
    )
    const { decision, ...seen } = await lookFor(start, nameless, earlier).catch((error: unknown) => {
      throw cancelled(nameless, error)
    })
    if (decision.do === 'follow') {
      const { copy, evidence } = decision
      log.info(`Judging by the list, this step started load test ${copy.number}: following it.`)
      if (evidence === 'archive') return { copy, isOpen, notes: [] }
      return { copy, isOpen: true, notes: [guess(copy, template)] }
    }
    if (decision.do === 'end') throw endOf(decision, template, seen)
    if (decision.otherwise) method = method === 'GET' ? 'POST' : 'GET'
    const none = before.noList ? '' : `No new copy of load test ${template} is in the list. `
    log.info(`${none}Requesting the start once more${decision.otherwise ? ` by ${method}` : ''}.`)
    earlier.push(nameless)
    try {
      await clock.sleep(decision.after, signal)
      answer = await client.runCopy(template, method)
    } catch (error) {
      if (signal.aborted) throw cancelled(nameless, error)
      const advice = [mayAppear(template)]
      throw new StartError(`${said} ${message(error)}`, { advice, cause: error })
    }
  }
}

/** The answer, unless what it names existed before, or is not the copy: that says nothing about the copy. */
async function asNameless(start: Start, answer: StartAnswer): Promise<StartAnswer> {
  if (answer.is !== 'named') return answer
  const { before, note, signal } = start
  const { copy, unproven } = answer
  const said = `The service answered the start with load test ${copy.number}`
  // A service may assign the numbers in any order: a record that names one which was not in the list is of the copy.
  const isNew = copy.number > before.highest || (!unproven && before.numbers?.has(copy.number) === false)
  if (!isNew || copy.number === note.template)
    return { is: 'unnamed', fault: new Error(`${said}, which existed before.`) }
  // Without a list, there is nothing else to follow.
  if (!unproven && before.noList) return answer
  const fault = await disproof(start, answer).catch((error: unknown) => {
    // What is known of a run is never lost by a cancelled job.
    if (unproven || !signal.aborted) throw error
    return undefined
  })
  if (fault === undefined) return answer
  return { is: 'unnamed', fault: new Error(`${said}, ${fault}.`), ...(unproven ? {} : { copy }) }
}

/** A copy may not be shown at once. Milliseconds. */
const shownWithin = [0, 2000, 5000, 10_000]
/** For a look at a copy that is not on record yet. Milliseconds. */
const lookWithin = 20_000
/** A copy starts after its request; the clock of the service may be this much behind. Milliseconds. */
const clocksDiffer = 10 * 60_000

const isMissing = (error: unknown) => error instanceof ServiceError && [400, 404].includes(error.status ?? 0)

/** Why a number in the answer is not the copy's; undefined if it is, or if that cannot be seen. */
async function disproof(
  { client, note: { templateName }, before: { noList }, clock, signal, log }: Start,
  { copy: { number }, unproven }: Extract<StartAnswer, { is: 'named' }>,
): Promise<string | undefined> {
  const requested = Date.now()
  for (const pause of shownWithin) {
    await clock.sleep(pause, signal)
    try {
      const { name, startTime = requested } = await client.details(number, deadline(lookWithin))
      const isOlder = noList !== undefined && startTime < requested - clocksDiffer
      const isNamedSo = !templateName || !name || name.includes(templateName)
      return !unproven || (isNamedSo && !isOlder) ? undefined : 'which is another one'
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AnswerError && unproven) return `which is none. ${message(error)}`
      if (!isMissing(error)) return undefined
      log.info(message(error))
    }
  }
  return 'which it does not have'
}

/** Looks at the list until it is clear what to do. */
async function lookFor(
  { client, note, before: { noList, numbers }, method, clock, signal, log, startOf }: Start,
  answer: NamelessAnswer,
  earlier: readonly NamelessAnswer[],
) {
  const answered = clock.now()
  const known: Known = {
    ...{ answer, earlier, elapsed: 0, looks: 0, copies: undefined, blind: false },
    ...{ hasList: noList === undefined, isMethodKnown: method !== undefined },
  }
  let blindness: unknown = noList
  let asked = 0
  for (let pause = nextLook(known); pause !== undefined; pause = nextLook(known)) {
    await clock.sleep(Math.max(pause, asked), signal)
    asked = 0
    try {
      known.copies = await newCopies(client, { ...note, ...defined({ numbers }) }, log)
      const named = answer.is === 'unnamed' ? answer.copy : undefined
      if (named && (await isShown(client, named, known.copies)))
        known.copies = { certain: [named], possible: [], unlikely: [] }
      known.blind = false
    } catch (error) {
      signal.throwIfAborted()
      blindness = error
      asked = pauseWithin(wantedPause(error), longestPause, log)
      known.blind = true
      log.info(`${message(error)} Looking at the list again.`)
    }
    known.looks++
    known.elapsed = clock.now() - answered
  }
  if (known.copies) known.copies.possible = await unnoted(known.copies.possible, startOf)
  return { decision: decide(known), known, blindness }
}

/** Whether a copy that the service named, and did not have at first, is there now. */
async function isShown(
  client: Pick<Client, 'details'>,
  { number }: LoadTest,
  { certain, possible, unlikely }: NewCopies,
): Promise<boolean> {
  if ([...certain, ...possible, ...unlikely].some((one) => one.number === number)) return true
  return client.details(number, deadline(lookWithin)).then(
    () => true,
    () => false,
  )
}

/** The error that ends the step. Each one except a plain refusal says that a copy may be running, or names the candidates. */
function endOf(
  { because }: Extract<Decision, { do: 'end' }>,
  template: number,
  { known: { answer, earlier, elapsed, copies }, blindness }: { known: Known; blindness: unknown },
): Error {
  const { fault } = answer
  const [first] = earlier
  if (because === 'refused' && !first) return fault
  if (because === 'refused' && first?.is === 'refused' && answer.is === 'refused') {
    const byBoth = refusedByBoth(first.fault, answer.fault)
    if (byBoth) return byBoth
  }
  if (because === 'whose' && copies) {
    const all = candidates(copies)
    const what = `${whose(all)} ${fault.message} No other start was requested.`
    return new StartError(what, { advice: sortOut(copies, template), cause: fault })
  }
  const found =
    because === 'blind'
      ? `It is not known whether a load test was started, because the list could not be read. ${message(blindness)}`
      : `${earlier.length > 0 ? 'Two requests were sent, and no' : 'No'} new copy of load test ${template} is in ` +
        `the list after ${formatDuration(elapsed)}; no other start was requested.`
  return new StartError(`${fault.message} ${found}`, { advice: [mayAppear(template)], cause: fault })
}

/** The answer that says why: one that only says that the method is wrong explains nothing. */
function refusedByBoth(first: ServiceError, second: ServiceError): Error | undefined {
  if (first.operation.method === second.operation.method) return undefined
  const isAboutMethod = ({ status }: ServiceError) => status === 405 || status === 501
  const [fault, other] = isAboutMethod(first) && !isAboutMethod(second) ? [second, first] : [first, second]
  const by = `By ${other.operation.method} it answered ${other.status ?? 'nothing'}.`
  return new UserError(`${fault.message} ${by}`, { cause: fault })
}
