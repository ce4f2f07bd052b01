import fc from 'fast-check'
import { readOutcome } from '../../src/outcome/outcome-file.js'
import { ReportError } from '../../src/errors.js'
import { regression } from '../publish/outcomes.js'

const outcome = regression()
const text = JSON.stringify(outcome)

test('the figures of an outcome are read as they were written', () => {
  expect(readOutcome(text, 'outcome.json').report).toEqual(outcome.figures)
})

test.each([
  ['', 'is not JSON'],
  ['{"a": 1}', 'is not an outcome file'],
  ['[]', 'is not an outcome file'],
  [JSON.stringify({ ...outcome, format: 2 }), 'is an outcome file in another format'],
  [JSON.stringify({ ...outcome, figures: undefined }), 'contains no figures'],
  [JSON.stringify({ ...outcome, figures: { timers: {} } }), 'contains figures in another form'],
  [text.replace(/"p95":[^,}]+/, '"p95":1e308'), 'contains figures in another form'],
  [text.replace(/"startTime":\d+/, '"startTime":8.65e15'), 'contains figures in another form'],
])('%.20s is refused with its mistake', (content, sentence) => {
  expect(() => readOutcome(content, 'outcome.json').report).toThrow(sentence)
})

test('however an outcome is changed, its figures have the right shape or it is refused', () => {
  const figures = JSON.stringify(outcome.figures)
  const junk = fc.constantFrom('null', '"x"', '-1', '[]', '{}', 'true', '1e999')
  fc.assert(
    fc.property(fc.nat(figures.length), junk, (at, put) => {
      // Replaces a value somewhere in the figures.
      const changed =
        figures.slice(0, at) + figures.slice(at).replace(/:("[^"]*"|[\d.]+|\[\]|\{\})/, `:${put}`)
      const whole = `{"format":1,"verdict":"passed","figures":${changed}}`
      try {
        const read = readOutcome(whole, 'x').report
        for (const { timers } of Object.values(read.timers)) {
          for (const { percentiles } of timers)
            expect(Object.values(percentiles).every(Number.isFinite)).toBe(true)
        }
      } catch (error) {
        expect(error).toBeInstanceOf(ReportError)
      }
    }),
    { numRuns: 300 },
  )
})
