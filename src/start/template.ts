import { UserError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import type { Client } from '../service/client.js'
import type { LoadTest } from '../service/wire.js'

const mostCandidates = 10

/**
 * The load test to copy, by number or by exact name.
 *
 * @throws UserError if none or several have the name, with candidates; ServiceError if the number is unknown
 */
export async function findTemplate(
  client: Pick<Client, 'list' | 'details'>,
  wanted: { number: number } | { name: string },
): Promise<LoadTest> {
  if ('number' in wanted) return client.details(wanted.number)
  const all = await client.list()
  const named = all.filter(({ name }) => name === wanted.name)
  const [only] = named
  if (only && named.length === 1) return client.details(only.number)
  const quoted = `"${oneLine(wanted.name, 100)}"`
  if (named.length > 1) {
    throw new UserError(
      `Several load tests are named ${quoted}: ${list(named)}. Write the number of one of them in load-test. ` +
        'Copies of a template keep its name, so a number is the safer choice.',
    )
  }
  const near = all.filter(({ name }) => name && isNear(name, wanted.name))
  const candidates = near.length > 0 ? near : all
  throw new UserError(
    `No load test of the project is named ${quoted}. ` +
      (candidates.length > 0
        ? `There ${near.length > 0 ? 'are similar ones' : 'are'}: ${list(candidates)}.`
        : 'The project has no load tests.'),
  )
}

/**
 * A template with another source would run without the upload, and nobody would notice.
 *
 * @throws UserError if it certainly has another source
 */
export function checkTakesUpload({ number, useLatest, archiveId, archiveEnabled }: LoadTest): void {
  if (archiveEnabled === false) {
    throw new UserError(
      `Load test ${number} does not enable its code archive: what this step uploads would not be run. ` +
        'Enable the code archive on the service, or set upload: false.',
    )
  }
  if (useLatest !== false) return
  const source =
    archiveId === undefined ? 'builds from Git' : `is set to the code archive ${oneLine(archiveId, 60)}`
  throw new UserError(
    `Load test ${number} ${source}: what this step uploads would not be run. ` +
      'Set it to Use Latest on the service, or set upload: false.',
  )
}

function isNear(a: string, b: string): boolean {
  const [x, y] = [a.toLowerCase().trim(), b.toLowerCase().trim()]
  return x.includes(y) || y.includes(x)
}

function list(tests: readonly LoadTest[]): string {
  const named = tests
    .slice(0, mostCandidates)
    .map(({ number, name }) => `${number} ("${oneLine(name ?? 'without a name', 60)}")`)
  const more = tests.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
