import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { ActionFileError, readActionFile } from '../../sandbox/runner/action-file.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'action-file-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('everything that the runner acts on is read', async () => {
  await writeFile(
    join(folder, 'action.yml'),
    `name: Some action
inputs:
  plain: {}
  bare:
  number: { default: 10 }
  switch: { default: false }
  text: { default: "\${{ github.token }}", required: true }
runs: { using: node24, main: b.js, post: c.js, post-if: success() }
`,
  )
  expect(await readActionFile(folder)).toEqual({
    folder,
    inputs: new Map([
      ['plain', ''],
      ['bare', ''],
      ['number', '10'],
      ['switch', 'false'],
      ['text', '${{ github.token }}'],
    ]),
    main: 'b.js',
    post: 'c.js',
    postIf: 'success()',
  })
})

test.each([
  ['{', 'not YAML'],
  ['[]', 'is a mapping'],
  ['name: x', "'runs' is missing"],
  ['runs: { using: node20, main: a.js }', "'runs.using' is 'node20'"],
  ['runs: { using: composite, steps: [] }', 'only node24'],
  ['runs: { using: node24 }', "'runs.main' is missing"],
  ['runs: { using: node24, main: 1 }', "'runs.main' must be a text"],
  ['runs: { using: node24, main: a.js, post: "" }', "'runs.post' must be a text"],
  ['{ inputs: [], runs: { using: node24, main: a.js } }', "'inputs' must be a mapping"],
  ['{ inputs: { a: { default: [] } }, runs: { using: node24, main: a.js } }', "the default of 'a'"],
])('%s is refused', async (text, fault) => {
  await writeFile(join(folder, 'action.yml'), text)
  await expect(readActionFile(folder)).rejects.toThrow(ActionFileError)
  await expect(readActionFile(folder)).rejects.toThrow(fault)
})

test('a folder without an action file is named', async () => {
  await expect(readActionFile(folder)).rejects.toThrow(`There is no action.yml in ${folder}.`)
})
