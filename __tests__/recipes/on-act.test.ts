import { readFileSync } from 'node:fs'
import { leftToLocalRunner, stories } from '../../others/act-stories.js'
import { workflows } from './company.js'

const onAct = stories.map(({ from }) => from)
const names = workflows.map(({ from }) => from)

test('npm run others runs each workflow of the documents on act, or says why not', () => {
  const leftOut = Object.keys(leftToLocalRunner)
  expect([...onAct.filter((from) => names.includes(from)), ...leftOut].sort()).toEqual([...names].sort())
})

test.each(Object.entries(leftToLocalRunner))('%s is left out because it uses %s', (from, action) => {
  expect(workflows.find((one) => one.from === from)?.text).toContain(`uses: ${action}/`)
})

test("the runner's README has a row for each of them", () => {
  const page = readFileSync('sandbox/runner/README.md', 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| '))
  for (const from of names) {
    const [, file = ''] = /^(?:docs\/recipes\/|README\.md )(.*)$/.exec(from) ?? []
    const [start, text] = from.startsWith('README') ? ['| README.md ', `\`${file}\``] : [`| ${file} `, '']
    const row = rows.find((line) => line.startsWith(start) && line.includes(text)) ?? ''
    expect([from, row.includes('| not run:')]).toEqual([from, from in leftToLocalRunner])
    expect(row).not.toBe('')
  }
})
