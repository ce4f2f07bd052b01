import { withAttached } from '../../src/publish/attachments.js'
import { accepted, confirmed } from './outcomes.js'

const artifact = {
  id: 9,
  url: 'https://github.com/o/r/actions/runs/1/artifacts/9',
  name: 'report-second.tar.gz',
}

test('the second report gets its own artifact, and the first keeps its artifact', () => {
  const before = confirmed()
  const { report } = before
  expect(withAttached(before, { what: 'second-report', artifact })).toMatchObject({
    confirmation: { report: { artifact } },
    report,
  })
})

test('the verdict is not green if the second report cannot be attached: it is half of the evidence', () => {
  const fault = { sentence: 'The second report could not be attached.', isNowhere: false }
  const outcome = withAttached({ ...confirmed(), verdict: 'passed' }, { what: 'second-report', fault })
  expect(outcome.verdict).toBe('error')
  expect(outcome.reasons).toContainEqual({ about: 'report', text: fault.sentence })
})

test('an accepted run needs its report, too', () => {
  const fault = { sentence: 'The report could not be attached.', isNowhere: false }
  expect(withAttached(accepted(), { what: 'report', fault }).verdict).toBe('error')
})
