import { acceptanceIn, type LabelEvent, type LabelRecord } from '../../src/accept/label-record.js'

const head = 'a'.repeat(40)
const label = 'accepted-regression'
const pushedAt = '2026-11-22T10:00:00Z'
const at = '2026-11-22T10:00:01Z'
const maintainer = { login: 'olga', isBot: false }
const set: LabelEvent = { kind: 'labeled', label, at, by: maintainer }

const record: LabelRecord = {
  pull: 7,
  head,
  labels: ['bug', label],
  events: [set],
  setter: { permission: 'write', role: 'maintain' },
  latestPush: { commit: head, at: pushedAt },
}
const why = (ruling: ReturnType<typeof acceptanceIn>) =>
  ruling && 'refusal' in ruling ? ruling.refusal : undefined
const ruling = (changes: Partial<LabelRecord>, tested: string | undefined = head) =>
  acceptanceIn({ ...record, ...changes }, label, tested)

test('a label set after the push by someone with write access is an acceptance with all its facts', () => {
  expect(ruling({})).toEqual({ label, by: 'olga', role: 'maintain', at, commit: head, pushedAt })
})

test.each([
  ['admin', 'admin'],
  ['write', 'write'],
  ['write', 'maintain'],
  // A role that the organization created.
  ['write', 'Release captain'],
])('the base permission %s of the role %s is enough', (permission, role) => {
  expect(ruling({ setter: { permission, role } })).toMatchObject({ by: 'olga', role })
})

test.each([
  ['read', 'triage'],
  ['read', 'read'],
  ['none', 'none'],
  // A name proves nothing.
  ['read', 'admin'],
])('the base permission %s of the role %s is not', (permission, role) => {
  expect(ruling({ setter: { permission, role } })).toEqual({
    refusal: `olga set it, with the role ${role} in this repository. A person with write access must set it.`,
  })
})

test('label names that differ only in case are one label, as on GitHub', () => {
  expect(
    ruling({ labels: ['Accepted-Regression'], events: [{ ...set, label: 'ACCEPTED-regression' }] }),
  ).toMatchObject({
    by: 'olga',
  })
})

test('a label that is not on the pull request does not accept, whatever happened before', () => {
  expect(ruling({ labels: ['bug'] })).toBeUndefined()
})

const before = '2026-11-22T09:59:59Z'
test.each<[string, Partial<LabelRecord>, RegExp]>([
  [
    'before the push',
    { events: [{ ...set, at: before }] },
    /^it was set at 2026-11-22T09:59:59Z, which is not after the push/,
  ],
  ['in the same second', { events: [{ ...set, at: pushedAt }] }, /which is not after the push/],
  ['at an unreadable time', { events: [{ ...set, at: 'soon' }] }, /which is not after the push/],
  [
    'after a push at an unreadable time',
    { latestPush: { commit: head, at: '' } },
    /which is not after the push/,
  ],
  [
    'by a bot',
    { events: [{ ...set, by: { login: 'labeler[bot]', isBot: true } }] },
    /^labeler\[bot\], a bot, set it\./,
  ],
  ['by nobody', { events: [{ kind: 'labeled', label, at }] }, /^an account that no longer exists set it\./],
  ['under another name', { events: [{ ...set, label: 'wontfix' }] }, /^GitHub does not say who set it/],
  ['and removed', { events: [set, { ...set, kind: 'unlabeled' }] }, /^GitHub does not say who set it/],
  ['without events', { events: [] }, /^GitHub does not say who set it/],
  [
    'with a later push',
    { latestPush: { commit: 'b'.repeat(40), at: pushedAt } },
    /^GitHub does not say when commit a{12} was pushed/,
  ],
])('a label set %s does not count', (_, changes, refusal) => {
  expect(why(ruling(changes))).toMatch(refusal)
})

test('what GitHub does not say counts against the label', () => {
  const { pull, labels, events, setter, latestPush } = record
  const known = { pull, head, labels, events }
  expect(why(acceptanceIn({ ...known, ...(latestPush && { latestPush }) }, label, head))).toMatch(
    /^olga set it, with a role that is unknown/,
  )
  expect(why(acceptanceIn({ ...known, ...(setter && { setter }) }, label, head))).toMatch(
    /^GitHub does not say when commit/,
  )
})

test('the latest event counts, not the best one', () => {
  const first = { ...set, at: '2026-11-22T10:05:00Z' }
  const again = { ...set, at: '2026-11-22T10:06:00Z', by: { login: 'rita', isBot: false } }
  const events = [first, { ...first, kind: 'unlabeled' as const }, again, { ...first, label: 'bug' }]
  const setter = { permission: 'read', role: 'triage' }
  expect(why(ruling({ events, setter }))).toMatch(/^rita set it, with the role triage/)
})

test.each([['b'.repeat(40)], [undefined]])('the head commit must be the tested one: %s is not', (tested) => {
  expect(why(acceptanceIn(record, label, tested))).toMatch(
    /^pull request 7 is at commit a{12} by now, but the tested commit is /,
  )
})

test('names are treated as foreign text', () => {
  const by = { login: 'olga\n::error::x', isBot: false }
  const setter = { permission: 'read', role: '\u202ewrite' }
  expect(why(ruling({ events: [{ ...set, by }], setter }))).not.toMatch(/[\n\u202e]/)
})
