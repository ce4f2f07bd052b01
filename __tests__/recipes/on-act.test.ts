import { readFileSync } from 'node:fs'
import { leftToLocalRunner, stories } from '../../others/act-stories.js'
import { workflows } from './company.js'

const onAct = stories.map(({ from }) => from)
const names = workflows.map(({ from }) => from)

test('npm run others runs each workflow of the documents on act, or says why not', () => {
  const leftOut = Object.keys(leftToLocalRunner)
  expect([...onAct.filter((from) => names.includes(from)), ...leftOut].sort()).toEqual([...names].sort())
})

test.each(Object.entries(leftToLocalRunner))('%s is left out because it has %s', (from, text) => {
  expect(workflows.find((one) => one.from === from)?.text).toContain(text)
})

test("the runner's README names the workflows that act does not run, and no others", () => {
  const page = readFileSync('sandbox/runner/README.md', 'utf8')
  const named = /: all but (.*?), which needs/.exec(page)?.[1]?.split(', ')
  expect(named).toEqual(Object.keys(leftToLocalRunner).map((from) => from.replace('docs/recipes/', '')))
})
