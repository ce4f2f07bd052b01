import { message, UserError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import type { Log } from '../log.js'
import { ServiceError } from '../service/failure.js'
import type { Client } from '../service/client.js'
import type { LoadTest } from '../service/wire.js'
import type { Clock } from '../watch/clock.js'

/** It is not known which load test is ours, or whether there is one. Nothing more was started. */
export class StartError extends UserError {
  override name = 'StartError'
}

export interface Start {
  client: Pick<Client, 'list' | 'details' | 'runCopy'>
  template: LoadTest
  /** The code archive that was uploaded for this run. */
  archiveId?: string
  clock: Clock
  /** Ends the pauses between two looks, not a start that is under way. */
  signal?: AbortSignal
  log: Log
  /** Told what was there before, so that a start that is cut off can be looked for later. */
  onStarting(before: readonly number[]): void
  /** Told, as a sentence for the reader, that the run was found in the list after the start's answer was lost. */
  onAdopted(note: string): void
}

// A start whose connection broke may still be under way: the list is looked at this often before it counts as none.
const looks = [0, 5000, 10_000, 20_000]
const maxStarts = 3
const refusedPause = 2000
const longestPause = 3 * 60_000

/**
 * Starts one copy of the template, exactly once. Where it stays unknown whether a start was executed, the
 * list of load tests is compared with what was there before: one new copy is adopted; none, and only then,
 * it is asked for again; anything else ends here, with the candidates named.
 */
export async function startOnce(start: Start): Promise<LoadTest> {
  const { client, template, log } = start
  const before = (await client.list()).map(({ number }) => number)
  start.onStarting(before)
  for (let starts = 1; ; starts++) {
    try {
      const copy = await client.runCopy(template.number)
      if (copy && !before.includes(copy.number)) return copy
      log.info('The service did not say which load test it started; looking for it in the list.')
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (error.facts.executed === 'no') {
        // Busy (429) or away for a moment: nothing was started, so that asking again is no second start.
        const pause = Math.max((error.facts.retryAfterSeconds ?? 0) * 1000, refusedPause)
        if (!error.passing || starts >= maxStarts || pause > longestPause) throw error
        log.info(`${error.message} Nothing was started. Asking again.`)
        await start.clock.sleep(pause, start.signal)
        continue
      }
      log.warning(
        `${error.message} It is not known whether a load test was started; looking for it in the list.`,
      )
      const copy = await look(start, before)
      if (copy) {
        start.onAdopted(
          `The answer to the start was lost. Load test ${copy.number} is the only new copy of load test ` +
            `${template.number}, so it is taken for this step's own; had another job started one in the same ` +
            'seconds, it could be that one. Setting concurrency in the workflow rules that out.',
        )
        return copy
      }
      if (starts >= maxStarts) throw error
      log.info('No new load test is in the list: nothing was started. Asking again.')
      continue
    }
    const copy = await look(start, before)
    if (copy) return copy
    throw new StartError(
      `The service accepted the start of a copy of load test ${template.number}, but no new load test is in ` +
        'its list. Look for the copy on the service before you start again.',
    )
  }
}

async function look(start: Start, before: readonly number[]): Promise<LoadTest | undefined> {
  for (const pause of looks) {
    if (pause > 0) await start.clock.sleep(pause, start.signal)
    const added = (await start.client.list()).filter(({ number }) => !before.includes(number))
    const copy = adopt(start, await withArchives(start, added))
    if (copy) {
      start.log.info(
        `Load test ${copy.number} is the only new copy of load test ${start.template.number}: following it.`,
      )
      return copy
    }
  }
  return undefined
}

/** The details may tell of the code archive where the list does not; few jobs start at the same moment. */
async function withArchives({ client, archiveId, log }: Start, added: LoadTest[]): Promise<LoadTest[]> {
  if (archiveId === undefined || added.length > 10) return added
  return Promise.all(
    added.map(async (test) => {
      if (test.archiveId !== undefined) return test
      try {
        return { ...test, ...(await client.details(test.number)) }
      } catch (error) {
        log.info(`${message(error)} What built load test ${test.number} stays unknown.`)
        return test
      }
    }),
  )
}

/** @throws StartError where it is not certain which of them is ours */
export function adopt(
  { template, archiveId }: Pick<Start, 'template' | 'archiveId'>,
  added: readonly LoadTest[],
): LoadTest | undefined {
  const ours = added.filter(
    (test) =>
      (!test.name || !template.name || test.name.includes(template.name)) &&
      (!test.archiveId || !archiveId || test.archiveId === archiveId),
  )
  const [only] = ours
  if (only && ours.length === 1) return only
  if (added.length === 0) return undefined
  const named = (ours.length > 0 ? ours : added)
    .slice(0, 10)
    .map(({ number, name }) => (name ? `${number} ("${oneLine(name, 60)}")` : String(number)))
  throw new StartError(
    `It is not known which load test this step started, if any: ${named.join(', ')} ` +
      `${named.length === 1 ? 'is' : 'are'} new since then. Nothing more was started. Look at them on the ` +
      'service, then follow yours with mode: collect and its run-number.',
  )
}
