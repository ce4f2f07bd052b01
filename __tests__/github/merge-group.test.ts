import { entryOf, groupPulls } from '../../src/github/pull-request/labels.js'

const [base, first, second, other] = ['a', 'b', 'c', 'd'].map((sign) => sign.repeat(40))
const queue = 'refs/heads/gh-readonly-queue/release/9'
const refOf = (pull: number | string, below = base) => `${queue}/pr-${pull}-${below}`

test.each([
  [refOf(7), { pull: 7, below: base }],
  [`refs/heads/gh-readonly-queue/a/pr-1-${first}/b/pr-7-${base}`, { pull: 7, below: base }],
  [refOf('7x'), undefined],
  [refOf(0), undefined],
  [refOf('9'.repeat(20)), undefined],
  [refOf(7, 'main'), undefined],
  [`${refOf(7)}\n`, undefined],
  [`x${refOf(7)}`, undefined],
  [`refs/heads/main/pr-7-${base}`, undefined],
  ['', undefined],
])('the branch of an entry: %j', (ref, due) => {
  expect(entryOf(ref)).toEqual(due)
})

const none = async () => {
  throw new Error('nobody needs the other branches')
}

test('a group of one is known by the name of its branch', async () => {
  expect(await groupPulls({ ref: refOf(7), base: base ?? '' }, none)).toEqual([7])
})

const third = { ref: refOf(9, second), base: base ?? '' }
const branches = [
  { ref: refOf(7), commit: first ?? '' },
  { ref: refOf(8, first), commit: second ?? '' },
  { ref: third.ref, commit: other ?? '' },
]

test('a group of three is known by the branches that are put on each other', async () => {
  expect(await groupPulls(third, async () => branches)).toEqual([9, 8, 7])
  expect(await groupPulls({ ...third, base: first ?? '' }, async () => branches)).toEqual([9, 8])
})

test.each<[string, string, { ref: string; commit: string }[]]>([
  ['no entry', 'refs/heads/main', branches],
  ['a branch that is missing', third.ref, branches.slice(1)],
  ['two branches with one commit', third.ref, [...branches, { ref: refOf(5, first), commit: second ?? '' }]],
  ['a branch of something else', third.ref, [{ ref: 'refs/heads/x', commit: second ?? '' }]],
  ['entries in a circle', third.ref, [{ ref: refOf(8, second), commit: second ?? '' }]],
])('what is not certain is refused: %s', async (_, ref, refs) => {
  await expect(groupPulls({ ref, base: base ?? '' }, async () => refs)).rejects.toThrow(
    'GitHub does not say clearly which pull requests the merge group',
  )
})
