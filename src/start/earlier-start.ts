import { randomBytes } from 'node:crypto'
import type { Session } from '../session.js'
import type { Source, StartWorld } from './start.js'
import type { World } from '../world.js'
import { defined } from '../text/fields.js'
import { message, NoRecordError, StartError, UserError } from '../errors.js'
import { ServiceError } from '../service/failure.js'
import type { StartInputs } from '../inputs/inputs.js'
import type { Client } from '../service/service.js'
import { hasEnded, phaseOf, type LoadTest } from '../service/project.js'
import {
  isOfOther,
  collectLater,
  mayStillRun,
  type StartNote,
  type StartSubject,
  uploadedBy,
} from '../run/run.js'
import { oneLine } from '../text/foreign-text.js'
import { longLook } from './decision.js'
import {
  candidates,
  existing,
  guess,
  namedTests,
  lookAgain,
  mayAppear,
  mostDetails,
  newCopies,
  sortOut,
  unnoted,
  whose,
} from '../run/new-copies.js'

/** What is recorded before the request. */
export function startNote(subject: StartSubject, highest: number): StartNote {
  return { ...subject, id: randomBytes(6).toString('hex'), highest, at: new Date().toISOString() }
}

interface Looking extends Pick<World, 'clock' | 'log' | 'signal'> {
  client: Pick<Client, 'details' | 'list'>
  startOf: Parameters<typeof unnoted>[1]
}

/**
 * The run that an earlier attempt of this job started with the very same source, if it is still running or has
 * finished, also where that attempt was lost before it knew the run. One that was judged to its end does not count: who
 * runs the job again wants another. If there are two, neither counts: it would be a guess.
 *
 * @param resume a run that may be alive must not be started a second time
 * @throws UserError if it is not known whether an attempt that broke off has started one, or in which state that is; with
 * `resume` also if the state of another is not known, or if there are two
 */
export async function findEarlier(
  notes: readonly StartNote[],
  ours: StartSubject,
  { resume, ...looking }: Looking & { resume: boolean },
) {
  const judged = new Set(notes.flatMap((note) => (note.judged ? [note.id] : [])))
  const alike = ['service', 'organization', 'project', 'template', 'confirms'] as const
  const open = notes
    .filter(({ id, attempt }) => !judged.has(id) && attempt < ours.attempt)
    .filter((note) => alike.every((name) => note[name] === ours[name]))
  const same = open.filter((note) => note.archiveSha512 === ours.archiveSha512)
  // A post step may record again what its main step has recorded.
  const noted = new Map(same.flatMap((note) => (typeof note.run === 'number' ? [[note.run, note]] : [])))
  const told = new Set(open.filter(({ run }) => run === null).map(({ id }) => id))
  // The run of another source is not this step's, but nobody has heard of it. A note that names the run comes last.
  const others = open.filter((note) => !same.includes(note) && !told.has(note.id))
  const lost = others.toSorted((a, b) => (a.run ?? 0) - (b.run ?? 0)).map((note) => [note.id, note] as const)
  for (const { attempt, run, template } of new Map(lost).values()) {
    looking.log.warning(
      `Attempt ${attempt} of this job broke off after it had begun to start a load test from another source. ${run ? mayStillRun({ number: run }) : mayAppear(template)}`,
    )
  }
  // Of a lost one nobody has heard: the attempt broke off, and so did its post step.
  const alive: { note: StartNote; test: LoadTest; isLost: boolean }[] = []
  for (const [run, note] of noted) {
    const isLost = !told.has(note.id)
    const test = await readRun(run, note, { ...looking, isNeeded: resume || isLost })
    if (!test || !isAlive(test)) continue
    if (isForeign(test, note))
      looking.log.warning(
        `Load test ${run} of attempt ${note.attempt} was built from another upload, so the step does not continue with it.`,
      )
    else alive.push({ note, test, isLost })
  }
  const known = new Set([...told, ...[...noted.values()].map(({ id }) => id)])
  for (const note of same.filter(({ id }) => !known.has(id))) {
    const test = await lostCopy(note, [...noted.keys()], looking)
    if (test) alive.push({ note, test, isLost: true })
  }
  const [only] = alive
  if (alive.length < 2) return only
  const runs = alive.map(({ test }) => test.number).join(', ')
  if (resume || alive.some(({ isLost }) => isLost)) {
    throw new UserError(
      `Earlier attempts of this job started several load tests from the same source, so nothing was started: ${runs}. Collect one with mode: collect and its run-number, or start a new workflow run for a new load test.`,
    )
  }
  looking.log.warning(
    `Earlier attempts of this job started several load tests from the same source: ${runs}. The step starts another one; collect one of them with mode: collect and its run-number.`,
  )
  return undefined
}

/**
 * Another upload came in between: to continue with it would end in the same error again. As long as it runs it counts,
 * since nothing may be started beside it.
 */
function isForeign(test: LoadTest, note: StartNote): boolean {
  const uploaded = uploadedBy(note)
  return uploaded !== undefined && hasEnded(test) && isOfOther(test, uploaded)
}

function isAlive({ state }: LoadTest): boolean {
  return !['aborted', 'error'].includes(phaseOf(state))
}

/** @param isNeeded nothing may be started beside it while it is alive. @throws UserError if that is not known then */
async function readRun(
  run: number,
  { attempt }: StartNote,
  { client, log, isNeeded }: Looking & { isNeeded: boolean },
): Promise<LoadTest | undefined> {
  try {
    return await client.details(run)
  } catch (error) {
    const unread = `Load test ${run} of attempt ${attempt} could not be read. ${message(error)}`
    const isGone = error instanceof ServiceError && error.status === 404
    if (isNeeded && !isGone) {
      const mayRun = `${unread} It may still be running, so nothing was started. Run the job again later, or start a new workflow run for a new load test.`
      throw new UserError(mayRun, { cause: error })
    }
    if (isGone) log.info(unread)
    else log.warning(`${unread} ${mayStillRun({ number: run })} A new one is started now.`)
    return undefined
  }
}

/** Milliseconds: a copy that starts this long after the request belongs to somebody else, if the clocks agree. */
const latest = 60 * 60_000

/**
 * The copy that an attempt requested before it broke off. If the list shows none, none will come: the request never
 * reached the service, or came to nothing.
 *
 * @param others runs that are known to be of other starts
 * @throws UserError if it is not known which one it is, or whether there is one
 */
async function lostCopy(
  note: StartNote,
  others: readonly number[],
  { client, clock, log, signal, startOf }: Looking,
): Promise<LoadTest | undefined> {
  const { template, archiveId, attempt } = note
  const requested = Date.parse(note.at)
  const mayBe = ({ number, archiveId: built }: LoadTest) =>
    !others.includes(number) && (archiveId ?? built) === (built ?? archiveId)
  const isLate = ({ startTime = 0 }: LoadTest) => startTime > requested + latest
  const look = async () => {
    const { certain, possible, unlikely } = await newCopies(client, note, log)
    const [late, near] = [possible.filter(isLate), possible.filter((one) => !isLate(one))]
    return {
      certain: certain.filter(mayBe),
      possible: near.filter(mayBe),
      unlikely: [...late, ...unlikely.filter((one) => !isLate(one))].filter(mayBe),
    }
  }
  const began = `Attempt ${attempt} of this job was about to start a copy of load test ${template} when it broke off`
  try {
    log.info(`${began}. Looking in the list for that copy.`)
    // Not by the time since then: another machine has written that down by its own clock.
    const { copies, fault } = await lookAgain(look, longLook, (pause) => clock.sleep(pause, signal))
    // What the last look would have shown is not known.
    if (!copies || fault) throw fault ?? new Error('the list was not read')
    copies.possible = await unnoted(copies.possible, startOf)
    copies.unlikely = await unnoted(copies.unlikely, startOf)
    const all = candidates(copies)
    const tests = await Promise.all(all.map(({ number }) => client.details(number)))
    const alive = tests.filter(isAlive)
    const [only] = alive
    if (only && alive.length === 1 && copies.certain.length + copies.possible.length > 0) {
      if (copies.certain.length === 0) log.warning(guess(only, template))
      return only
    }
    if (!only) {
      log.info(`${began}. ${all.length > 0 ? 'That copy has failed' : 'The list has no such copy'}.`)
      return undefined
    }
    const then = 'Then start a new workflow run if you need a new load test.'
    const unclear = `${began}. ${whose(alive)} Nothing was started: look at them on the service.`
    throw new StartError(unclear, { advice: [...sortOut(copies, template), then] })
  } catch (error) {
    if (error instanceof StartError) throw error
    signal.throwIfAborted()
    const unknown = `${began}, and whether it did is not known: ${message(error)} Nothing was started. Run the job again later.`
    throw new UserError(unknown, { cause: error })
  }
}

/**
 * Where nobody can read what earlier attempts have started: a copy that runs may be theirs, unless another step has noted
 * that it started it.
 *
 * @throws StartError
 */
async function checkNoneRuns(
  { client, inputs, world: { clock, log, signal, startOf } }: Session<StartWorld, StartInputs>,
  template: LoadTest,
  ours: StartSubject,
): Promise<void> {
  const { number, name: templateName } = template
  const { noList } = await existing(client, number)
  if (noList) {
    log.warning(`${message(noList)} ${mayAppear(number)}`)
    return
  }
  const sought = { ...ours, ...defined({ templateName }), highest: 0 }
  const { possible } = await newCopies(client, sought, log)
  const uploaded = uploadedBy(ours)
  const open = possible.filter((test) => !hasEnded(test)).toSorted((a, b) => a.number - b.number)
  const tests = await Promise.all(open.slice(-mostDetails).map((test) => client.details(test.number)))
  let running = tests.filter((test) => isUnderWay(test) && !(uploaded && isOfOther(test, uploaded)))
  for (const pause of [0, notedWithin]) {
    if (running.length === 0) return
    await clock.sleep(pause, signal)
    running = await unnoted(running, (run) => startOf(run, inputs))
  }
  if (running.length === 0) return
  const these = running.length === 1 ? ['this copy', 'runs', 'It'] : ['these copies', 'run', 'One of them']
  const unknown = `What earlier attempts of this job have started is not on record, and ${these[0]} of load test ${number} still ${these[1]}: ${namedTests(running)}. ${these[2]} may be theirs, so nothing was started.`
  const advice = [
    'If that is so on the service, follow it; if not, run the job again later, or start a new workflow run.',
    ...running.slice(0, 3).flatMap(collectLater),
  ]
  throw new StartError(unknown, { advice })
}

/** Milliseconds until another step that starts a copy has noted its run. */
const notedWithin = 30_000

/** One that waits for its start may be anything. */
function isUnderWay(test: LoadTest): boolean {
  const waits = [undefined, 'NEW', 'SCHEDULED'].includes(test.state)
  return !hasEnded(test) && !(waits && test.startTime === undefined)
}

/** In a re-run of the job: the run of an earlier attempt, if the step should continue with it; else a warning about it. */
export async function findEarlierRun(
  session: Session<StartWorld, StartInputs>,
  { template, archive }: Source,
  confirms?: number,
) {
  const { inputs, world, client } = session
  const { attempt, clock, earlierStarts, log, signal } = world
  const looking = { client, clock, log, signal, startOf: (run: number) => world.startOf(run, inputs) }
  if (attempt < 2) return undefined
  return log.group('Look for the run of an earlier attempt', async () => {
    const same = { service: inputs.baseUrl, ...inputs.project, template: template.number, attempt }
    const ours = { ...same, ...defined({ confirms, archiveSha512: archive?.sha512 }) }
    const read = await earlierStarts().catch((error: unknown) => {
      const isLasting = error instanceof NoRecordError
      if (isLasting && !inputs.resume) {
        // The step goes on as if earlier attempts had started nothing.
        log.warning(message(error))
        return undefined
      }
      const otherwise = isLasting
        ? 'Set resume: false to start a new load test.'
        : 'If that does not help, start a new workflow run for a new load test.'
      const mayRun = `${message(error)} A load test that an earlier attempt started may still be running, so nothing was started. ${otherwise}`
      throw new UserError(mayRun, { cause: error })
    })
    if (!read && confirms === undefined) await checkNoneRuns(session, template, ours)
    const notes = read ?? []
    const earlier = await findEarlier(notes, ours, { ...looking, resume: inputs.resume })
    if (!earlier) return undefined
    const { note, test, isLost } = earlier
    const state = oneLine(test.state ?? 'in no known state', 40)
    if (!inputs.resume && !isLost) {
      log.warning(
        `Attempt ${note.attempt} of this job started load test ${test.number} from the same source, and it is ${state}. ` +
          `A new one is started now. To continue with the earlier one instead, set resume: true. ${collectLater(test).join(' ')}`,
      )
      return undefined
    }
    log.notice(
      `Continuing with load test ${test.number}, which attempt ${note.attempt} of this job started; it is ${state}.`,
    )
    return earlier
  })
}
