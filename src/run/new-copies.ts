import { message } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import type { Log } from '../log.js'
import { IncompleteListError, ServiceError } from '../service/failure.js'
import type { Client } from '../service/service.js'
import { phaseOf, type LoadTest } from '../service/project.js'
import { collectLater, type StartNote } from './run.js'

/** What the copy of a start is found by. */
export interface SoughtCopy
  extends
    Pick<StartNote, 'template' | 'templateName' | 'archiveId' | 'highest'>,
    Partial<Pick<StartNote, 'at'>> {
  /** All numbers, as long as they are known: a copy may have a lower one all the same. */
  numbers?: ReadonlySet<number>
}

/** The load tests that are new since a start, by how certainly they are its copy. */
export interface NewCopies {
  /** Built from the very archive of this step. */
  certain: LoadTest[]
  /** Named after the template; it is unknown what they are built from. */
  possible: LoadTest[]
  /** Named after something else, built from another archive, or with a number that is not the highest. */
  unlikely: LoadTest[]
  /** The list does not even have the template, so it may lack a copy as well. */
  isPartial?: boolean
}

/** More new load tests than this are not read one by one. */
export const mostDetails = 10

/**
 * The numbers that load tests have, and whether the list says of at least one in which state it is; or why there is
 * no list in which a copy could be found: it needs a separate scope, and may have a next part in a form that is not known.
 *
 * @throws ServiceError or AnswerError if it cannot be read for any other reason
 */
export async function existing(
  client: Pick<Client, 'list'>,
  template: number,
): Promise<{ highest: number; numbers?: ReadonlySet<number>; hasStates?: boolean; noList?: Error }> {
  try {
    // A list that lags may not even contain the template, which is not a copy.
    const all = await client.list()
    const highest = all.reduce((most, { number }) => Math.max(most, number), template)
    const numbers = new Set([template, ...all.map(({ number }) => number)])
    return { highest, numbers, hasStates: all.some(({ state }) => phaseOf(state) !== 'unknown') }
  } catch (error) {
    const isRefused = error instanceof ServiceError && (error.status === 401 || error.status === 403)
    if (isRefused || error instanceof IncompleteListError) return { highest: template, noList: error }
    throw error
  }
}

interface Looking {
  client: Pick<Client, 'list' | 'details'>
  log: Log
}

/** Looks in the list for what is new since a start. @throws ServiceError or AnswerError if the list is not available */
export async function newCopies({ client, log }: Looking, start: SoughtCopy): Promise<NewCopies> {
  const all = await client.list()
  const template = all.find(({ number }) => number === start.template)
  const name = start.templateName ?? template?.name
  const { highest, numbers, at = '' } = start
  // What began after the request is new, whatever its number. The clock of the service may be a minute behind.
  const since = Date.parse(at) - 60_000
  const isNew = ({ number, startTime = 0 }: LoadTest) =>
    number > highest || (numbers ? !numbers.has(number) : startTime > since)
  const added = all.filter((test) => test !== template && isNew(test))
  const copies: NewCopies = { certain: [], possible: [], unlikely: [], isPartial: !template }
  for (const test of added) {
    const { number } = test
    const isUntold = start.archiveId !== undefined && test.archiveId === undefined
    const read = isUntold && added.length <= mostDetails ? client.details(number) : undefined
    // The details may name the code archive even if the list does not.
    const details = await read?.catch((error: unknown) => {
      log.info(`${message(error)} It is not known which code archive load test ${number} is built from.`)
    })
    const known = { ...test, ...details }
    const kind = kinship(known, name, start.archiveId)
    // An older one may have been missing in the list before.
    copies[kind === 'possible' && number <= highest ? 'unlikely' : kind].push(known)
  }
  return copies
}

function kinship(
  test: LoadTest,
  name: string | undefined,
  archiveId: string | undefined,
): Exclude<keyof NewCopies, 'isPartial'> {
  const isNamedSo = !test.name || !name || test.name.includes(name)
  if (!isNamedSo) return 'unlikely'
  if (test.archiveId === undefined || archiveId === undefined) return 'possible'
  return test.archiveId === archiveId ? 'certain' : 'unlikely'
}

/** The load tests of which one may be the step's, the likely ones alone where there are any. */
export function candidates({ certain, possible, unlikely }: NewCopies): LoadTest[] {
  return certain.length + possible.length > 0 ? [...certain, ...possible] : unlikely
}

/** Without those that another step has noted as its own. @param startOf the note of a run, where there is one */
export async function unnoted(
  tests: readonly LoadTest[],
  startOf: (run: number) => Promise<unknown>,
): Promise<LoadTest[]> {
  const notes = await Promise.all(tests.slice(0, mostDetails).map(({ number }) => startOf(number)))
  return tests.filter((_, at) => !notes[at])
}

/** What to say about candidates if it is unknown which one is the step's. */
export function whose(tests: readonly LoadTest[]): string {
  const are = tests.length === 1 ? 'is' : 'are'
  return `It is not known which load test this step started, if any: ${namedTests(tests)} ${are} new since then.`
}

export function namedTests(tests: readonly LoadTest[]): string {
  // One that is not named may run for nothing: a whole matrix has at most 256.
  return tests
    .slice(0, 256)
    .map(({ number, name }, at) => (name && at < 10 ? `${number} ("${oneLine(name, 60)}")` : String(number)))
    .join(', ')
}

/** What to say about a copy that counts as the step's without more evidence. */
export function guess(copy: LoadTest, template: number): string {
  return (
    `The answer to the start was lost. Load test ${copy.number} is the only new copy of load test ${template}, so the ` +
    'step treats it as its own. If another job started one in the same minutes, it may be that one instead. ' +
    'Setting concurrency in the workflow rules that out.'
  )
}

/** What to do if the list has no new copy. */
export function mayAppear(template: number): string {
  return (
    `A copy of load test ${template} may be running all the same: look at the list of load tests on the service before you ` +
    'start again. If there is one, follow it with mode: collect and its run-number.'
  )
}

/** What to do about candidates. Where all of them are unlikely, the copy may not be among them. */
export function sortOut(copies: NewCopies, template: number): string[] {
  const tests = candidates(copies)
  return [
    'Look at them on the service: follow yours, and stop those that you do not need.',
    ...tests.slice(0, 3).flatMap(collectLater),
    ...(tests === copies.unlikely ? [mayAppear(template)] : []),
  ]
}

/**
 * Looks at the list after each pause, until one copy is certain.
 *
 * @returns what the last look that succeeded has shown, and why the last one did not
 */
export async function lookAgain(
  look: () => Promise<NewCopies>,
  pauses: readonly number[],
  sleep: (pause: number) => Promise<void>,
): Promise<{ copies?: NewCopies; fault?: Error }> {
  let seen: { copies?: NewCopies; fault?: Error } = {}
  for (const pause of pauses) {
    await sleep(pause)
    try {
      seen = { copies: await look() }
      if (seen.copies?.certain.length === 1) break
    } catch (error) {
      seen = { ...seen, fault: error instanceof Error ? error : new Error(message(error)) }
    }
  }
  return seen
}

/**
 * Copies that appeared beside a step's own run and belong to nobody known: a request that was executed
 * late, or twice.
 *
 * @param run the step's own, where it is known
 * @throws ServiceError or AnswerError if the list is not available
 */
export async function strayCopies(
  looking: Looking & { startOf: Parameters<typeof unnoted>[1] },
  start: SoughtCopy,
  run?: number,
): Promise<LoadTest[]> {
  const { certain, possible } = await newCopies(looking, start)
  const others = [...certain, ...possible].filter(({ number }) => number !== run)
  return unnoted(others, looking.startOf)
}

export function stray({ number }: LoadTest, { template }: Pick<StartNote, 'template'>): string {
  return (
    `Load test ${number} is a copy of load test ${template} that appeared during this step, and it is not known ` +
    'who started it. If another job did, set concurrency in the workflow; else stop it on the service.'
  )
}
