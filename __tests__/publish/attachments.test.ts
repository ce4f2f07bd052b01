import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { attachAll, withAttached, type Attaching } from '../../src/publish/attachments.js'
import { keptLog } from '../kept-log.js'
import { accepted, confirmed, green } from './outcomes.js'

const artifact = { id: 9, url: 'https://x.test/artifacts/9', name: 'report-second.tar.gz' }

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

test('green becomes red if its report cannot be attached, which the outcome file says', async () => {
  const temp = mkdtempSync(path.join(tmpdir(), 'attachments-'))
  const attached: string[] = []
  const attach: Attaching['attach'] = async ({ name }) => {
    if (name === 'k-report') throw new Error('The storage quota is used up.')
    attached.push(name)
    return artifact
  }
  const inputs = { name: 'k', retentionDays: 0 }
  const begun = { ...green(), report: { path: temp, ending: '.tar.gz' as const, bytes: 1 } }
  const { verdict, reasons } = await attachAll(begun, {
    ...{ inputs, temp, attach, attempt: '1', log: keptLog().log },
  })
  rmSync(temp, { recursive: true })
  const text = 'k-report.tar.gz could not be attached to the workflow run: The storage quota is used up.'
  expect([verdict, reasons]).toEqual(['error', [{ about: 'report', text }]])
  expect(attached).toEqual(['k-digest', 'k-outcome'])
})
