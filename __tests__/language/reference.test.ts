import { readFile } from 'node:fs/promises'
import { amountUnits, operators } from '../../src/language/gate.js'
import { singleKinds, summaryKinds } from '../../src/figures/figures.js'
import { parseGates, parseGatesFile } from '../../src/language/language.js'
import { metricWords } from '../../src/figures/metrics.js'
import { checkXPath } from '../../src/xml/expression.js'

async function blocks(language: string): Promise<string[]> {
  const text = await readFile('docs/gates.md', 'utf8')
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].flatMap(([, tag, body = '']) =>
    tag === language ? [body] : [],
  )
}

it('the examples of the reference are gates', async () => {
  const [lines = '', ...more] = await blocks('gates')
  expect(more).toEqual([])
  const { gates, faults } = parseGates(lines, checkXPath)
  expect(faults).toEqual([])
  expect(gates).toHaveLength(lines.trim().split('\n').length)
})

it('the file of the reference is a file with gates', async () => {
  const [file = ''] = await blocks('yaml')
  const { gates, faults } = parseGatesFile(file, 'gates.yml', checkXPath)
  expect(faults).toEqual([])
  expect(gates.map(({ name }) => name)).toEqual([undefined, 'Login stays fast', 'Load generators', undefined])
})

it('the reference names every word of the language', async () => {
  const text = await readFile('docs/gates.md', 'utf8')
  const words = [...metricWords, ...amountUnits, ...operators, ...summaryKinds.keys(), ...singleKinds.keys()]
  for (const word of words.filter((one) => one !== 'p99')) expect(text).toContain(word)
})
