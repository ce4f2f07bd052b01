import { chanceToFind, lengthFor } from '../../src/gates/suggested-gates.js'

const variation = { steady: 0.05 ** 2, sampling: 0.05 ** 2, freedom: 8, cut: 0.0035 }
const found = (slower: number, more: Partial<Parameters<typeof chanceToFind>[1]> = {}) =>
  chanceToFind(variation, { slower, tolerance: 0, ...more })

describe('the chance that a slowdown is found', () => {
  test('is that of a false alarm where there is none', () => {
    expect(found(1)).toBeCloseTo(variation.cut, 6)
  })

  test('is a half where the change is as large as what noise hides', () => {
    // Student's t with 8 degrees of freedom exceeds 3.6149 with a chance of 0.0034.
    expect(found(Math.exp(3.598 * Math.sqrt(0.005)))).toBeCloseTo(0.5, 2)
  })

  test('is a half where the change is as large as the tolerance, if that is larger than noise', () => {
    expect(found(1.6, { tolerance: 0.6 })).toBeCloseTo(0.5, 6)
    expect(found(1.6, { tolerance: 0.1 })).toBe(found(1.6))
  })

  test('rises with the change, and with the length of the runs as far as that is the cause of noise', () => {
    expect(found(1.3)).toBeGreaterThan(found(1.2))
    expect(found(1.2, { longer: 2 })).toBeGreaterThan(found(1.2))
    const steady = { ...variation, sampling: 0 }
    const of = (longer: number) => chanceToFind(steady, { slower: 1.2, tolerance: 0, longer })
    expect(of(9)).toBe(of(1))
    // Twice as long: half of the variance that samples cause.
    const half = chanceToFind(
      { ...variation, sampling: variation.sampling / 2 },
      { slower: 1.2, tolerance: 0 },
    )
    expect(found(1.2, { longer: 2 })).toBe(half)
  })
})

describe('the length that shows a slowdown', () => {
  const few = { ...variation, steady: 0.01 ** 2, sampling: 0.06 ** 2 }

  test('is the shortest that gives it its chance', () => {
    const longer = lengthFor(few, 1.1, 0.8) ?? 0
    const at = (length: number) => chanceToFind(few, { slower: 1.1, tolerance: 0, longer: length })
    expect(longer).toBeGreaterThan(1)
    expect(at(longer)).toBeGreaterThanOrEqual(0.8)
    expect(at(longer - 1)).toBeLessThan(0.8)
  })

  test('is that of the runs themselves if they show it', () => {
    expect(lengthFor(few, 2, 0.8)).toBe(1)
  })

  test('is unknown if runs differ too much, or if only an endless one would show it', () => {
    expect(lengthFor(variation, 1.1, 0.8)).toBeUndefined()
    expect(lengthFor({ ...few, sampling: 1 }, 1.1, 0.8)).toBeUndefined()
  })
})
