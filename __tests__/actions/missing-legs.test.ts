import { missingLegs, worstOf } from '../../src/actions/merge/merge.js'
import { verdicts, type Leg } from '../../src/outcome/outcome.js'
import { green, leg, missingLeg, regression } from '../publish/outcomes.js'

const nothing = { legs: [], needs: {} }
const place = (index: number, total: number, job = 'load-test') => ({ job, index, total })
const names = (legs: Leg[]) => legs.map(({ name }) => name)

test('a listed leg without an outcome is an error with its name', () => {
  const found = [leg('search', green()), leg('extra', green())]
  expect(missingLegs(found, { legs: ['search', 'login'], needs: {} })).toEqual([
    { name: 'login', verdict: 'error', fault: expect.stringContaining('left no outcome') as string },
  ])
})

test('without a list, the outcomes say how many legs their matrix has', () => {
  const found = [
    leg('a', green(), place(0, 3)),
    leg('b', green(), place(2, 3)),
    leg('c', green(), place(0, 1, 'other')),
  ]
  expect(names(missingLegs(found, nothing))).toEqual(['load-test, leg 2 of 3'])
  expect(missingLegs(found, { legs: ['a', 'b', 'c'], needs: {} })).toEqual([])
})

test('an outcome cannot ask for more legs than a matrix has', () => {
  expect(missingLegs([leg('a', green(), place(0, 999))], nothing)).toHaveLength(255)
})

describe('a needed job that failed', () => {
  const failed = (found: Leg[]) =>
    names(missingLegs(found, { legs: [], needs: { 'load-test': 'failure', build: 'success' } }))

  test('is an error if all that was found of it is green', () => {
    expect(failed([leg('a', green())])).toEqual(['load-test'])
    expect(failed([])).toEqual(['load-test'])
    expect(failed([leg('a', green()), leg('b', regression(), place(0, 1, 'build'))])).toEqual(['load-test'])
  })

  test('is explained by a red leg, or by a missing one', () => {
    expect(failed([leg('a', regression())])).toEqual([])
    expect(failed([missingLeg('a')])).toEqual([])
    // Of a reusable workflow, whose own job has another name than the one that calls it.
    expect(failed([leg('a', regression(), place(0, 1, 'called'))])).toEqual([])
  })

  test('does not include a job that was skipped', () => {
    expect(missingLegs([leg('a', green())], { legs: [], needs: { 'load-test': 'skipped' } })).toEqual([])
  })
})

test('the worst verdict is the verdict of all, in any order', () => {
  const of = (...all: Leg['verdict'][]) => worstOf(all.map((verdict) => ({ name: 'x', verdict })))
  for (const [index, verdict] of verdicts.entries()) {
    for (const better of verdicts.slice(0, index)) {
      expect([of(verdict, better), of(better, verdict)]).toEqual([verdict, verdict])
    }
  }
  expect(of('invalid', 'failed', 'accepted')).toBe('failed')
  expect(of('started', 'passed')).toBe('started')
  expect(of()).toBe('error')
})
