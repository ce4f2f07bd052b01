import { planOf } from './plan.js'

test('the same seed draws the same faults', () => {
  const draw = (seed: number) => Array.from({ length: 50 }, (_, step) => planOf(seed, step))
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).not.toEqual(draw(2))
  expect(
    new Set(draw(1).flatMap(({ faults }) => faults.map(({ fault }) => fault.kind))).size,
  ).toBeGreaterThan(10)
})
