import type { LoadTest } from '../../src/service/project.js'
import { isOfOther, foreignArchive, uploadedBy, type Uploaded } from '../../src/run/run.js'

const sha512 = 'a'.repeat(128)
const other = 'b'.repeat(128)

test.each<[Partial<LoadTest>, Partial<Uploaded>, boolean]>([
  [{ archiveId: 'ca-2' }, { id: 'ca-2' }, false],
  [{ archiveId: 'ca-1' }, { id: 'ca-2' }, true],
  [{ archiveId: 'ca-1' }, {}, false],
  [{}, { id: 'ca-2' }, false],
  [{ revision: sha512 }, {}, false],
  [{ revision: ` ${sha512.toUpperCase()}\n` }, {}, false],
  [{ revision: other }, {}, true],
  [{ revision: other.slice(1) }, {}, false],
  // More than a SHA-512 is another text.
  [{ revision: `main/${other}` }, {}, false],
  [{ revision: `${other}0` }, {}, false],
  [{ revision: 'main/7a95e2f0de20bc7b5c7db609543afeb42d6b9932' }, {}, false],
  // The ids are compared first: they name the archive itself.
  [{ archiveId: 'ca-2', revision: other }, { id: 'ca-2' }, false],
  [{ archiveId: 'ca-1', revision: sha512 }, { id: 'ca-2' }, true],
  [{ archiveId: 'ca-1', revision: sha512 }, {}, false],
])('a record with %j, for what was uploaded with %j, is of another upload: %s', (record, id, isOther) => {
  expect(isOfOther(record, { sha512, ...id })).toBe(isOther)
})

const byId =
  'is built from the code archive ca-1, not from ca-2, which was uploaded for it: another upload came in between'
const byDigest =
  'is built from the code archive with the SHA-512 bbbbbbbbbbbb…, not from the one with aaaaaaaaaaaa…, which was uploaded'
test.each<[Partial<LoadTest>, Partial<Uploaded>, string]>([
  [{ archiveId: 'ca-1', useLatest: true }, { id: 'ca-2' }, `${byId}. Let only`],
  [
    { archiveId: 'ca-1' },
    { id: 'ca-2' },
    `${byId}, or the template is set to that one instead of Use Latest. Let`,
  ],
  [{ revision: other }, { id: 'ca-2' }, byDigest],
  [{ archiveId: 'ca-1', revision: other }, {}, byDigest],
])('what to say about %j', (record, id, sentence) => {
  expect(foreignArchive(10, record, { sha512, ...id }).message).toContain(`Load test 10 ${sentence}`)
})

test('a note has what was uploaded only if it has its digest', () => {
  expect(uploadedBy({})).toBeUndefined()
  expect(uploadedBy({ archiveId: 'ca-2', archiveSha512: sha512 })).toEqual({ id: 'ca-2', sha512 })
  expect(uploadedBy({ archiveSha512: sha512 })).toEqual({ sha512 })
})
