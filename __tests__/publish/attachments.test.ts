import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { attachAll, type Attaching } from '../../src/publish/publication.js'
import { keptLog } from '../kept-log.js'
import { accepted, confirmed, green } from './outcomes.js'

const file = { path: '/nowhere', ending: '.tar.gz' as const, bytes: 1 }
const artifactOf = (name: string) => ({ id: 9, url: `https://x.test/artifacts/${name}`, name })
const isLost = (what: string) =>
  `${what}.tar.gz could not be attached to the workflow run: The quota is used up.`

/** What becomes of an outcome of which nothing is attached yet, and what is attached. @param lost names of the others */
async function attached(begun: LoadTestOutcome, ...lost: string[]) {
  const temp = mkdtempSync(path.join(tmpdir(), 'attachments-'))
  const names: string[] = []
  const attach: Attaching['attach'] = async ({ name }) => {
    if (lost.includes(name)) throw new Error('The quota is used up')
    names.push(name)
    return artifactOf(name)
  }
  const inputs = { name: 'k', retentionDays: 0 }
  const outcome = await attachAll(begun, { inputs, temp, attach, attempt: '1', log: keptLog().log })
  rmSync(temp, { recursive: true })
  return { outcome, names }
}

function twice(): LoadTestOutcome {
  const { confirmation, ...first } = confirmed()
  const second = confirmation && { ...confirmation, report: file, results: file }
  return { ...first, verdict: 'passed', report: file, ...(second && { confirmation: second }) }
}

test('report and results of a second run get their own artifacts, and the first keeps its artifact', async () => {
  const { outcome, names } = await attached(twice())
  expect(outcome).toMatchObject({
    ...{ verdict: 'passed', report: { artifact: artifactOf('k-report') } },
    confirmation: {
      report: { artifact: artifactOf('k-report-second') },
      results: { artifact: artifactOf('k-results-second') },
    },
  })
  expect(names).toEqual(['k-report', 'k-report-second', 'k-results-second', 'k-digest', 'k-outcome'])
})

test.each([
  ['the second report cannot be attached, which is half of the evidence', twice(), 'k-report-second'],
  ['the report of an accepted run cannot', { ...accepted(), report: file }, 'k-report'],
  ['the report cannot', { ...green(), report: file }, 'k-report'],
])('the verdict is not green if %s', async (_, begun, lost) => {
  const { outcome, names } = await attached(begun, lost)
  expect(outcome.verdict).toBe('error')
  expect(outcome.reasons).toContainEqual({ about: 'report', text: isLost(lost) })
  expect(names.slice(-2)).toEqual(['k-digest', 'k-outcome'])
})

test('a digest that cannot be attached is told in a note', async () => {
  const { outcome } = await attached({ ...green(), report: file }, 'k-digest')
  expect(outcome).toMatchObject({ verdict: 'passed', reasons: [] })
  expect(outcome.notes.at(-1)).toBe(isLost('k-digest').replace('.tar.gz', '.html'))
})
