import { leaveArchive } from '../../src/actions/load-test/load-test.js'
import type { Part } from '../../src/outcome/outcome.js'
import { answered, calls, fakeService } from '../fake-service.js'
import { keptLog } from '../kept-log.js'
import { loadTestInputs } from '../load-test-inputs.js'
import { toldOutcome } from '../told.js'

/* What becomes of a code archive that is to be deleted: it is kept as long as a run may be built from it. */

const nameless = { name: 'suite.zip', bytes: 1, files: 1, sha512: 'ab' }
const named = { ...nameless, id: 'ca-2' }
const run = { number: 2, state: 'FINISHED' }
const goesOn = { number: 2, state: 'RUNNING' }

async function left(part: Part, { mayRun = false, isAborted = false, isRefused = false } = {}) {
  const deleteArchive = isRefused
    ? () => Promise.reject(answered(403, calls.deleteArchive('ca-2')))
    : async () => undefined
  const { client, asked } = fakeService({ deleteArchive })
  const telling = toldOutcome()
  telling.tell(part)
  const signal = isAborted ? AbortSignal.abort() : new AbortController().signal
  const session = { inputs: loadTestInputs(), world: { log: keptLog().log, signal }, client, ...telling }
  const notes = await leaveArchive(session, mayRun)
  return { notes, asked }
}

const deleted = ['deleteArchive ca-2']
const isKept = [
  expect.stringMatching(/^The code archive ca-2 was not deleted: this step has not seen the end/),
]

test.each<[string, Part, boolean, string[], unknown[]]>([
  ['of a run that has ended', { archive: named, run }, true, deleted, []],
  ['of a run that goes on', { archive: named, run: goesOn }, true, [], isKept],
  ['of a start that came to nothing', { archive: named }, false, deleted, []],
  ['of a start that may have come to something', { archive: named }, true, [], isKept],
  ['of a run that goes on, whatever else may run', { archive: named, run: goesOn }, false, [], isKept],
  ['that was never uploaded', { archive: nameless }, false, [], []],
  ['whose id is not known, of a run that goes on', { archive: nameless, run: goesOn }, true, [], []],
  ['that was not packed', {}, false, [], []],
])('an archive %s', async (_, part, mayRun, asked, notes) => {
  expect(await left(part, { mayRun })).toEqual({ notes, asked })
})

test('an archive without an id, of a run that has ended, is left with a sentence', async () => {
  const { notes, asked } = await left({ archive: nameless, run }, { mayRun: true })
  expect(asked).toEqual([])
  expect(notes).toEqual([
    expect.stringMatching(/^The code archive was not deleted: the service did not name its id/),
  ])
})

test('an archive is kept until the second run has ended, too', async () => {
  const confirmation = { result: 'open', verdict: 'timed-out', reasons: [], gates: [] } as const
  const both = (second: typeof run) => ({
    archive: named,
    run,
    confirmation: { ...confirmation, run: second },
  })
  expect(await left(both(goesOn), { mayRun: true })).toEqual({ notes: isKept, asked: [] })
  expect(await left(both(run), { mayRun: true })).toEqual({ notes: [], asked: deleted })
})

test('a refusal is told, and what a cancelled job leaves is for the post step', async () => {
  const { notes } = await left({ archive: named, run }, { isRefused: true })
  expect(notes).toEqual([expect.stringMatching(/^The code archive was not deleted\. .* 403\./)])
  expect(await left({ archive: named, run }, { isAborted: true })).toEqual({ notes: [], asked: [] })
})
