import {
  acceptanceIn,
  acceptanceOfAll,
  type LabelEvent,
  type LabelRecord,
} from '../../src/judgement/acceptance.js'
import { defined } from '../../src/text/fields.js'

const head = 'a'.repeat(40)
const label = 'accepted-regression'
const pushedAt = '2026-11-22T10:00:00Z'
const at = '2026-11-22T10:00:01Z'
const before = '2026-11-22T09:59:59Z'
const maintainer = { login: 'olga', isBot: false }
const set: LabelEvent = { kind: 'labeled', label, at, by: maintainer }

const record: LabelRecord = {
  pull: 7,
  head,
  labels: ['bug', label],
  events: [set],
  setter: { permission: 'write', role: 'maintain' },
  pushes: [{ commit: head, at: pushedAt }],
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
  const events = [{ ...set, label: 'ACCEPTED-regression' }]
  expect(ruling({ labels: ['Accepted-Regression'], events })).toMatchObject({ by: 'olga' })
})

test('a label that is not on the pull request does not accept, whatever happened before', () => {
  expect(ruling({ labels: ['bug'] })).toBeUndefined()
})

test.each<[string, Partial<LabelRecord>, RegExp]>([
  [
    'before the push',
    { events: [{ ...set, at: before }] },
    /^it was set at 2026-11-22T09:59:59Z, which is not after the push/,
  ],
  ['in the same second', { events: [{ ...set, at: pushedAt }] }, /which is not after the push/],
  [
    'by a bot',
    { events: [{ ...set, by: { login: 'labeler[bot]', isBot: true } }] },
    /^labeler\[bot\], a bot, set it\./,
  ],
  ['by nobody', { events: [{ kind: 'labeled', label, at }] }, /^an account that no longer exists set it\./],
  [
    'under another name',
    { events: [{ ...set, label: 'wontfix' }] },
    /^GitHub does not say clearly who set it/,
  ],
  [
    'and removed',
    { events: [set, { ...set, kind: 'unlabeled' }] },
    /^GitHub does not say clearly who set it/,
  ],
  ['without events', { events: [] }, /^GitHub does not say clearly who set it/],
  [
    'with a later push',
    { pushes: [{ commit: 'b'.repeat(40), at: pushedAt }] },
    /^GitHub does not say when commit a{12} was pushed/,
  ],
  ['without pushes', { pushes: [] }, /^GitHub does not say when commit a{12} was pushed/],
])('a label set %s does not count', (_, changes, refusal) => {
  expect(why(ruling(changes))).toMatch(refusal)
})

const later = '2026-11-22T10:06:00Z'
const unreadable = ['soon', '', '0', '1792', '1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '2026-11-22Tx']

test.each([undefined, ...unreadable])(
  'an event at the time %p may be the latest: the label does not count',
  (none) => {
    const untimed: LabelEvent = { kind: 'labeled', label, by: maintainer, ...defined({ at: none }) }
    const clear =
      /^GitHub does not say clearly who set it last, and when, as for a label that was renamed\. Remove it and set it again\.$/
    expect(why(ruling({ events: [untimed] }))).toMatch(clear)
    expect(why(ruling({ events: [untimed, set] }))).toMatch(clear)
    expect(why(ruling({ events: [set, { ...untimed, label: 'bug' }] }))).toBeUndefined()
  },
)

test.each([undefined, ...unreadable])(
  'a push at the time %p may be the latest: the label does not count',
  (none) => {
    const untimed = { commit: head, ...defined({ at: none }) }
    const unknown = /^GitHub does not say when commit a{12} was pushed\. Run the job again in a minute\.$/
    expect(why(ruling({ pushes: [untimed] }))).toMatch(unknown)
    expect(why(ruling({ pushes: [{ commit: head, at: pushedAt }, untimed] }))).toMatch(unknown)
  },
)

test.each<[string, LabelRecord['setter']]>([
  ['no permission and no role', undefined],
  ['no role', { permission: 'write' }],
  ['no permission', { role: 'maintain' }],
])('if GitHub names %s, the label does not count', (_, setter) => {
  const { pull, labels, events, pushes } = record
  const read = { pull, head, labels, events, pushes, ...(setter && { setter }) }
  expect(why(acceptanceIn(read, label, head))).toMatch(
    /^olga set it, with (a role that is unknown|the role maintain) in this repository\./,
  )
})

const rita = { login: 'rita', isBot: false }

test('the latest event by its time counts, whichever is listed last', () => {
  const first = { ...set, at: '2026-11-22T10:05:00Z' }
  const again = { ...set, at: later, by: rita }
  const events = [first, { ...first, kind: 'unlabeled' as const }, again, { ...first, label: 'bug' }]
  const setter = { permission: 'read', role: 'triage' }
  for (const listed of [events, events.toReversed()]) {
    expect(why(ruling({ events: listed, setter }))).toMatch(/^rita set it, with the role triage/)
  }
  const removed: LabelEvent = { ...set, at: later, kind: 'unlabeled' }
  expect(why(ruling({ events: [removed, set] }))).toMatch(/^GitHub does not say clearly who set it/)
})

test('two people in the same second: nobody knows whose change was the latest', () => {
  expect(why(ruling({ events: [{ ...set, by: rita }, set] }))).toMatch(/^GitHub does not say clearly/)
  // Earlier ones do not matter, nor does one person who changed it back.
  expect(ruling({ events: [{ ...set, at: before, by: rita }, set] })).toMatchObject({ by: 'olga' })
  expect(ruling({ events: [{ ...set, kind: 'unlabeled' }, set] })).toMatchObject({ by: 'olga' })
})

test('the latest push by its time counts, whichever is listed first', () => {
  const away = { commit: 'b'.repeat(40), at: before }
  const back = { commit: head, at: later }
  const first = { commit: head, at: pushedAt }
  const either = (...pushes: LabelRecord['pushes'][number][]) =>
    [pushes, pushes.toReversed()].map((all) => ruling({ pushes: all }))
  for (const found of either(first, away)) expect(found).toMatchObject({ pushedAt })
  for (const found of either(first, back)) {
    expect(why(found)).toMatch(/not after the push of commit a{12} at 2026-11-22T10:06:00Z/)
  }
  expect(why(ruling({ pushes: [first, { ...away, at: later }] }))).toMatch(/^GitHub does not say when/)
})

test.each([['b'.repeat(40)], [undefined]])('the head commit must be the tested one: %s is not', (tested) => {
  expect(why(acceptanceIn(record, label, tested))).toBe(
    `pull request 7 is at commit ${'a'.repeat(12)} by now, but the tested commit is ${tested?.slice(0, 12) ?? 'unknown'}.`,
  )
})

test('names are treated as foreign text', () => {
  const by = { login: 'olga\n::error::x', isBot: false }
  const setter = { permission: 'read', role: '\u202ewrite' }
  expect(why(ruling({ events: [{ ...set, by }], setter }))).not.toMatch(/[\n\u202e]/)
})

const yes = ruling({})
const latest = ruling({ events: [{ ...set, at: '2026-11-22T11:00:00Z' }] })
const no = { refusal: 'it was set by a bot.' }

test.each<[string, ReturnType<typeof acceptanceIn>[], ReturnType<typeof acceptanceOfAll> | undefined]>([
  ['all', [yes, latest], latest],
  ['all, the other way round', [latest, yes], latest],
  ['the only one', [yes], yes],
  ['not the second', [yes, undefined], { missing: [8] }],
  ['none', [undefined, undefined], { missing: [7, 8] }],
  ['one that does not count', [yes, no], { ...no, pull: 8 }],
  ['the only one, which does not count', [no], { ...no, pull: 7 }],
  ['no pull request', [], { missing: [] }],
])('a label on several pull requests: %s', (_, rulings, due) => {
  expect(acceptanceOfAll(rulings.map((one, index) => ({ pull: 7 + index, ruling: one })))).toEqual(due)
})
