import { UserError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { nearest } from '../text/nearest.js'
import { statusOrDetails, type Client } from '../service/service.js'
import type { LoadTest } from '../service/project.js'
import { existing } from './new-copies.js'
import { isNew, serialize } from './run.js'
import type { Log } from '../log.js'

const mostCandidates = 10

/**
 * The load test to copy, by number or by exact name.
 *
 * @throws UserError if none has the name, or it is unknown which of several is the template, with candidates;
 * ServiceError if the number is unknown
 */
export async function findTemplate(
  client: Pick<Client, 'list' | 'details'>,
  wanted: { number: number } | { name: string },
  { log }: { log: Log },
): Promise<LoadTest> {
  if ('number' in wanted) return client.details(wanted.number)
  const all = await client.list()
  const named = all.filter(({ name }) => name === wanted.name).sort((a, b) => a.number - b.number)
  const quoted = `"${oneLine(wanted.name, 100)}"`
  const [only] = named
  if (only && named.length === 1) return client.details(only.number)
  if (only) {
    // The list may not say in which states they are.
    const isUnknown = named.length <= mostCandidates && named.some(({ state }) => state === undefined)
    const read = isUnknown ? await Promise.all(named.map(({ number }) => client.details(number))) : named
    const template = templateAmong(read)
    if (template) {
      log.info(
        `Several load tests are named ${quoted}: ${list(named)}. ${template.number} is the oldest and has never run, so the others are taken for its copies.`,
      )
      return client.details(template.number)
    }
    throw new UserError(
      `Several load tests are named ${quoted}: ${list(named)}. Write the number of the template in load-test. ` +
        'Copies may keep the name of their template.',
    )
  }
  const ours = wanted.name.toLowerCase().trim()
  const names = all.flatMap(({ name }) => name ?? [])
  const close = nearest(ours, names)
  const near = all.filter(({ name }) => {
    const other = name?.toLowerCase().trim()
    return name && other && (close.includes(name) || ours.includes(other))
  })
  const [are, candidates] = near.length > 0 ? ['are similar ones', near] : ['are', all]
  const others = all.length > 0 ? `There ${are}: ${list(candidates)}.` : 'The project has no load tests.'
  throw new UserError(`No load test of the project is named ${quoted}. ${others}`)
}

/**
 * Of load tests that share a name, the one that the others are copies of: it alone has never run, and came before the
 * others, all of which have run.
 *
 * @param named sorted by their numbers, which the service assigns in ascending order
 * @returns undefined if that is not certain
 */
export function templateAmong([first, ...others]: readonly LoadTest[]): LoadTest | undefined {
  const isCertain = first && isNew(first) && others.every((one) => one.state !== undefined && !isNew(one))
  return isCertain ? first : undefined
}

/** The 6.x line is retired, and 10.x is a pre-release (interface section 1). */
const retired = /^\D*6(?:\D|$)/
const preRelease = /^\D*10(?:\D|$)/

/**
 * @returns a sentence if it runs on an engine that is not released yet
 * @throws UserError if it certainly runs on an engine that is retired
 */
export function checkEngine({ number, environment }: LoadTest): string | undefined {
  if (environment === undefined) return undefined
  const engine = oneLine(environment, 40)
  if (retired.test(environment)) {
    throw new UserError(
      `Load test ${number} runs on engine ${engine}, which is retired. Choose a 9.x environment for it on the service.`,
    )
  }
  return preRelease.test(environment)
    ? `Load test ${number} runs on engine ${engine}, a pre-release: choose a 9.x environment for it if its figures must last.`
    : undefined
}

/**
 * The state as a run reads it; undefined if only another load test has one. Without any, the end of a run would not be
 * seen.
 *
 * @param others the list shows states, where that is known already
 * @throws UserError if the service does not say in which state a load test is
 */
export async function shownState(
  client: Pick<Client, 'details' | 'list' | 'patiently' | 'status'>,
  template: LoadTest,
  others?: boolean,
): Promise<string | undefined> {
  const { number } = template
  const { state } = await client.patiently(() => statusOrDetails(client, number))
  if (state !== undefined) return state
  const isShown = others ?? (await existing(client, number)).hasStates
  if (template.state !== undefined || isShown) return undefined
  throw new UserError(
    `The service does not say in which state load test ${number} is, or not in words, so the end of a run could not be seen. Nothing was started. mode: check compares what the service answers with what the step reads.`,
  )
}

const otherwise = 'Set it to Use Latest on the service, or set source: none.'

/** @throws UserError if it certainly has another source: it would run without the upload, and nobody would notice */
export function checkTakesUpload({ number, useLatest, archiveId, archiveEnabled }: LoadTest): void {
  if (archiveEnabled === false) {
    throw new UserError(
      `Load test ${number} does not enable its code archive: what this step uploads would not be run. ` +
        'Enable the code archive on the service, or set source: none.',
    )
  }
  if (useLatest !== false) return
  const source =
    archiveId === undefined ? 'builds from Git' : `is set to the code archive ${oneLine(archiveId, 60)}`
  throw new UserError(`Load test ${number} ${source}: what this step uploads would not be run. ${otherwise}`)
}

/**
 * A template that names an archive, without saying that it takes the latest, shows after the upload whether it does.
 *
 * @param before the template as it was before the upload
 * @param after the same, now
 * @param uploaded the id of this step's archive, if the service names it
 * @throws UserError if a run would be built from another archive
 */
export function checkTookUpload(
  { useLatest, archiveId: earlier }: Pick<LoadTest, 'useLatest' | 'archiveId'>,
  { number, archiveId: named, startTime }: LoadTest,
  uploaded: string | undefined,
): void {
  if (named === undefined || named === uploaded) return
  const [is, ours] = [oneLine(named, 60), uploaded === undefined ? 'its own' : oneLine(uploaded, 60)]
  if (named !== earlier) {
    // If the service does not name ours, this is most likely the one.
    if (uploaded === undefined) return
    throw new UserError(
      `Load test ${number} would be built from the code archive ${is}, not from ${ours}, which this step uploaded: another upload came in between. Nothing was started. ${serialize}`,
    )
  }
  // It may name what it was built from itself.
  if (useLatest) return
  const ran =
    startTime === undefined
      ? ''
      : ` If ${is} is only what load test ${number} itself was built from, use a copy of it that has never run as the template.`
  throw new UserError(
    `Load test ${number} is set to the code archive ${is}, and still was after this step had uploaded ${ours}, which would not be run. Nothing was started. ${otherwise}${ran}`,
  )
}

function list(tests: readonly LoadTest[]): string {
  const named = tests
    .slice(0, mostCandidates)
    .map(({ number, name }) => `${number} ("${oneLine(name ?? 'without a name', 60)}")`)
  const more = tests.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
