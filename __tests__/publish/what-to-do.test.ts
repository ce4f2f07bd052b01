import { links } from '../../src/publish/facts.js'
import { renderComment } from '../../src/publish/comment.js'
import { whatToDo } from '../../src/publish/what-to-do.js'
import { defined } from '../../src/text/fields.js'
import type { Outcome } from '../../src/outcome.js'
import { green, regression } from './outcomes.js'

const failed = regression()
const changes = 'Code changes'
const linkOf = (outcome: Outcome) => links(outcome).find(({ text }) => text === changes)?.href

/** With the commit of the baseline, or without one. */
function comparedWith(commit: string | undefined): Outcome {
  const { comparison } = failed
  if (!comparison) throw new Error('It compares with nothing.')
  const baseline = { ...comparison.baseline, ...defined({ commit }) }
  if (commit === undefined) delete baseline.commit
  return { ...failed, comparison: { ...comparison, baseline } }
}

test('for gates that failed against a baseline, the advice links to what has changed since', () => {
  expect(whatToDo(failed)).toEqual([
    expect.stringContaining('what has changed since the baseline'),
    ...failed.advice,
  ])
  const compared = comparedWith('def5678')
  expect(linkOf(compared)).toBe(`https://github.com/shop/shop/compare/def5678...${failed.step.commit}`)
  expect(renderComment(compared, 'load-test')).toContain(`[${changes}](<https://github.com/`)
})

test('there is no such link if the commit is the same', () => {
  const again = comparedWith(failed.step.commit)
  expect(linkOf(again)).toBeUndefined()
  expect(whatToDo(again)[0]).toContain('The commit is that of the baseline')
})

test.each([undefined, '../../evil', 'main'])('a baseline of %s has no link to changes', (commit) => {
  expect(linkOf(comparedWith(commit))).toBeUndefined()
})

test('for a gate with a fixed limit, the advice names the report', () => {
  const gates = failed.gates.filter(({ baseline }) => baseline === undefined)
  expect(whatToDo({ ...failed, gates })[0]).toContain('in the report')
})

test('for a green outcome there is no advice', () => {
  expect(whatToDo(green())).toEqual([])
  expect(linkOf(green())).toBeUndefined()
})
