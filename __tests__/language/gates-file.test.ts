import { readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { parse } from 'yaml'
import { parseGatesFile as parseFile } from '../../src/language/language.js'
import { checkXPath } from '../../src/xml/expression.js'
import { anyText } from '../any-text.js'

const file = 'load/gates.yml'
const parseGatesFile = (text: string, name: string) => parseFile(text, name, checkXPath)

async function schemaAccepts(): Promise<(text: string) => boolean> {
  const schema: unknown = JSON.parse(await readFile('docs/gates.schema.json', 'utf8'))
  const validate = new Ajv().compile(Object(schema))
  return (text) => validate(parse(text))
}

describe('a file with gates that is read', () => {
  it.each([
    ['a list', '- requests errors = 0\n- scorecard passes\n', ['1', '2']],
    ['a list under gates', 'gates:\n  - requests errors = 0 # none\n\n  - scorecard passes\n', ['2', '4']],
    [
      'names',
      'gates:\n  - name: No errors\n    gate: requests errors = 0\n  - gate: scorecard passes\n    name: Ours\n',
      ['3 No errors', '4 Ours'],
    ],
    ['quotes', `- 'request "a: #b" p95 <= 1 s'\n- "request \\"x\\" p95 <= 1 s"\n`, ['1', '2']],
    ['a text', 'gates: |\n  requests errors = 0\n  # comment\n\n  scorecard passes\n', ['2', '5']],
    ['texts in a list', '- |\n  requests errors = 0\n- >-\n  scorecard\n  passes\n', ['2', '4']],
    ['a schema', '$schema: x.json\ngates:\n  - scorecard passes\n', ['3']],
    ['JSON', '{"gates": ["scorecard passes", {"gate": "requests errors = 0", "name": "n"}]}', ['1', '1 n']],
  ])('%s', async (_what, text, expected) => {
    const { gates, faults } = parseGatesFile(text, file)
    expect(faults).toEqual([])
    expect(gates.map(({ line, name = '' }) => `${line} ${name}`.trim())).toEqual(expected)
    expect(gates.every((gate) => gate.file === file && !gate.warn)).toBe(true)
    expect((await schemaAccepts())(text)).toBe(true)
  })

  it.each([
    '- warn: requests errors = 0\n',
    "- 'warn: requests errors = 0'\n",
    '- name: n\n  warn: requests errors = 0\n',
    `- name: ${'😀'.repeat(150)}\n  warn: requests errors = 0\n`,
    `- |\n${'  # a comment\n'.repeat(400)}  warn: requests errors = 0\n`,
    '$schema: 5\ngates: [warn: requests errors = 0]\n',
  ])('a gate that warns: %j', async (text) => {
    const { gates, faults } = parseGatesFile(text, file)
    expect(faults).toEqual([])
    expect(gates).toMatchObject([{ warn: true, text: 'warn: requests errors = 0' }])
    expect((await schemaAccepts())(text)).toBe(true)
  })
})

/** A name of as many characters as it may have. */
const longest = 'x'.repeat(200)

describe('mistakes in a file with gates', () => {
  it.each([
    ['an empty file', '', 1, 1, 'contains no list of gates', false],
    ['a text alone', 'scorecard passes', 1, 1, 'contains no list of gates', false],
    ['an empty list', 'gates: []', 1, 1, 'contains no gates', false],
    ['nothing under gates', 'gates:\n', 1, 1, 'gates is not a list', false],
    ['another key', '- scorecard passes\n- gates: x', 2, 3, '"gates" is not a key of a gate', false],
    [
      'an odd key at the top',
      'gates: [scorecard passes]\nmore: 5',
      2,
      1,
      '"more" is not a key of a file',
      false,
    ],
    ['a number', '- 5', 1, 3, 'This item is not a gate', false],
    ['a list in a list', '- [scorecard passes]', 1, 3, 'This item is not a gate', false],
    ['an alias', '- &a scorecard passes\n- *a', 2, 3, 'YAML aliases', true],
    ['a name alone', '- scorecard passes\n- name: x', 2, 3, 'A name without a gate', false],
    ['a name that is not text', '- gate: scorecard passes\n  name: 5', 2, 3, 'name is not text', false],
    ['two gates', '- gate: scorecard passes\n  warn: scorecard passes', 2, 3, 'contains one gate', false],
    ['a comment as a gate', '- gate: "# nothing"\n  name: x', 1, 9, 'This item contains no gate', false],
    ['a blank item', '- scorecard passes\n- ""', 2, 3, 'This item contains no gate', false],
    ['a list of comments', '- "# one"', 1, 3, 'This item contains no gate', false],
    ['a long line', `- request "${'x'.repeat(4000)}" p95 <= 1 s`, 1, 4003, 'is longer than 4000', false],
    ['a blank more', `- name: "${longest} "\n  gate: scorecard passes`, 1, 3, 'longer than 200', false],
    ['a longer name', `- name: ${longest}x\n  gate: scorecard passes`, 1, 3, 'longer than 200', false],
    ['a colon without quotes', '- request "a: b" p95 <= 1 s', 1, 3, 'is not a key of a gate', false],
    ['a hash without quotes', '- request "a # b" p95 <= 1 s', 1, 11, 'has no closing quote', true],
    ['a wrong unit in plain text', 'gates:\n  - requests p95 <= 5', 2, 22, 'has no unit', true],
    ['a wrong unit in quotes', "gates:\n  - 'requests p95 <= 5'", 2, 23, 'has no unit', true],
    ['a wrong unit behind a key', '- name: x\n  gate: requests p95 <= 5', 2, 26, 'has no unit', true],
    ['a wrong unit in a text', 'gates: |\n   # comment\n   requests p95 <= 5', 3, 4, 'has no unit', true],
    ['a wrong unit over two lines', '- requests\n  p95 <= 5', 1, 3, 'has no unit', true],
    ['a double key', 'gates: [scorecard passes]\ngates: []', 2, 1, 'gates occurs twice', undefined],
    ['a double name', '- name: x\n  name: y\n  gate: scorecard passes', 2, 3, 'one name', undefined],
    ['two documents', '- scorecard passes\n---\n- scorecard passes', 2, 1, 'is not valid YAML', undefined],
  ])('%s', async (_what, text, line, column, sentence, valid) => {
    const { faults } = parseGatesFile(text, file)
    expect(faults).toMatchObject([{ file, line, column }])
    expect(faults[0]?.sentence).toContain(sentence)
    if (valid !== undefined) expect((await schemaAccepts())(text)).toBe(valid)
  })

  it('hints at quotes if YAML cut a gate', () => {
    for (const gate of ['- request "a # b" p95 <= 1 s', '- request "a: b" p95 <= 1 s']) {
      expect(parseGatesFile(gate, file).faults[0]?.hint).toContain('single quotes')
    }
  })

  it('are all reported, in the order of the file', () => {
    const text = '- requests p95 <= 5\n- 7\n- name: x\n- request errors = 0'
    expect(parseGatesFile(text, file).faults.map(({ line }) => line)).toEqual([1, 2, 3, 4])
  })

  it.each([
    ['deep nesting', '['.repeat(5000)],
    ['more than 100,000 characters', '#'.repeat(100_001)],
    ['as many signs', `[${','.repeat(99_000)}`],
    ['501 gates', '- scorecard passes\n'.repeat(501)],
  ])('%s: refused', (_what, text) => {
    const { faults } = parseGatesFile(text, file)
    expect(faults.length).toBeGreaterThan(0)
    expect(faults.length).toBeLessThanOrEqual(5)
  })
})

it('of thousands of mistakes, and of a long word, only some are shown', () => {
  const keys = Array.from({ length: 3000 }, (_, i) => `k${i}: 1`).join('\n')
  for (const text of [keys, '- x\n'.repeat(3000), `gates: |\n${'  x\n'.repeat(3000)}`]) {
    const { length } = parseGatesFile(text, file).faults
    expect(length).toBeGreaterThan(1000)
    expect(length).toBeLessThan(1010)
  }
  const long = 'secretWord'.repeat(40)
  for (const text of [
    `- !${long} x`,
    `- *${long}`,
    `${long}: 1`,
    `- ${long}: 1`,
    `- ${long} p95`,
    `- "${long}`,
    `- > ${long.replaceAll('W', ' ')}`,
  ]) {
    const { sentence = '' } = parseGatesFile(text, file).faults[0] ?? {}
    expect(sentence.match(/secret/g)?.length ?? 0).toBeLessThanOrEqual(8)
  }
})

it('no text breaks the reader of files with gates', () => {
  const words = [
    'gates',
    ':',
    ' ',
    '\n',
    '- ',
    'name: x',
    'gate: ',
    'scorecard passes',
    '"',
    "'",
    '|',
    '>',
    '*a',
    '&a ',
    '#',
    '{',
    '}',
    '[',
    ']',
    '\t',
    '? ',
    '!!',
  ]
  const texts = fc.oneof(
    anyText({ maxLength: 300 }),
    fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const { gates, faults } = parseGatesFile(text, file)
      expect(gates.length + faults.length).toBeGreaterThan(0)
      for (const { line, column, sentence } of faults) {
        expect(sentence).toMatch(/^[^\u0000-\u001f]+\.$/)
        expect(line).toBeLessThanOrEqual(text.split('\n').length)
        expect(Math.min(line, column)).toBeGreaterThanOrEqual(1)
      }
    }),
    { numRuns: 40 },
  )
})
