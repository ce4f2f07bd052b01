import { parseGates } from '../../src/language/language.js'
import { suggestedIn } from '../publish/suggested.js'
import { pullRequest, push, verdicts, workflow } from './company.js'
import { open, shop, starts, summaries } from './opened-company.js'

/* The week of docs/gates.md: from no gates to gates that were tried before they block anybody. */

const readme = workflow('README.md load-test.yml')
/** The workflow of README with these gates, and with a job that tries them on main's runs. */
const withGates = (gates: readonly string[]) => ({
  ...readme,
  text: readme.text.replace(
    /^ +gates: \|\n(?: {12}.*\n?)+/m,
    gates.length === 0 ? '' : `          ${block(gates, 12)}`,
  ),
})
const history = (gates: readonly string[]) => ({
  ...readme,
  text: `${readme.text.slice(0, readme.text.indexOf('jobs:'))}jobs:
  history:
    runs-on: ubuntu-latest
    steps:
      - uses: load-test-action/load-test-action/history@v1
        with:
          ${block(gates, 12)}`,
})

function block(gates: readonly string[], indent: number): string {
  return ['gates: |', ...gates.map((gate) => `${' '.repeat(indent)}${gate}`), ''].join('\n')
}

test('from no gates to gates that were tried on the runs of main, and then guard it', async () => {
  const { service, run } = await open([shop], { simulatedMinutes: 10 })

  // Monday: without gates. One run says little, so only fixed limits are suggested.
  const monday = await run(withGates([]), push)
  expect(verdicts(monday)).toEqual(['passed'])
  const first = suggestedIn(summaries(monday)[0])
  expect(first.length).toBeGreaterThan(0)
  expect(first.filter((gate) => gate.includes('baseline'))).toEqual([])

  // Tuesday to Thursday: the merges of others.
  await run(withGates([]), push)
  await run(withGates([]), push)
  const thursday = await run(withGates([]), push)
  const gates = suggestedIn(summaries(thursday)[0])
  expect(parseGates(gates.join('\n')).faults).toEqual([])
  expect(gates.filter((gate) => gate.includes('baseline')).length).toBeGreaterThan(0)

  // Friday: the gates are tried on the past, then proposed, then guard.
  const tried = await run(history(gates), push)
  expect(tried.conclusion).toBe('success')
  const [page] = tried.jobs.flatMap(({ steps }) => steps.map(({ summary }) => summary))
  expect(page).toContain('With the gates below, 0\u00a0of\u00a04\u00a0runs would have failed.')
  service.settings.slowdown = 1.5
  const slower = await run(withGates(gates), pullRequest)
  expect(verdicts(slower)).toEqual(['failed'])
  expect(starts()).toHaveLength(5)
})
