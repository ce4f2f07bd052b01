import { readFileSync } from 'node:fs'

const page = readFileSync('docs/internals/comparison.md', 'utf8')
const actions = ['this step', 'Gatling', 'Azure', 'k6', 'LoadRunner', 'Bencher']

/** The tables that compare the actions: for each row, the action and its description. */
const tables = page
  .split(/^\| action .*\n\| -.*\n/m)
  .slice(1)
  .map((text) =>
    (/^(?:\|.*\n)+/.exec(text)?.[0] ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, action = '', said = '']) => ({ action, said })),
  )
/** The last one lists the sources. */
const compared = tables.slice(0, -1).flat()

const defined = new Map(
  [...page.matchAll(/^\[([\w-]+)\]: (\S+)$/gm)].map(([, name = '', address = '']) => [name, address]),
)
const used = [...page.matchAll(/\]\[([\w-]+)\]/g)].map(([, name = '']) => name)

it('each table has this step first, then those of the others that document the matter', () => {
  expect(tables.length).toBeGreaterThan(2)
  for (const table of tables.slice(0, -1)) {
    const named = table.map(({ action }) => action)
    expect(named).toEqual(actions.filter((one) => named.includes(one)))
    expect(named[0]).toBe('this step')
    expect(named.length).toBeGreaterThan(1)
  }
  expect(tables.at(-1)?.map(({ action }) => action)).toEqual(actions.slice(1))
})

it('each cell about another action has a link to its documentation, or says that it is not documented', () => {
  const others = compared.filter(({ action }) => action !== 'this step')
  expect(others.filter(({ said }) => !/\]\[[\w-]+\]|^Not documented\b/.test(said))).toEqual([])
})

it('each cell about this step has a link to its own pages', () => {
  const own = compared.filter(({ action }) => action === 'this step')
  expect(own.filter(({ said }) => !/\]\((?!https?:)/.test(said))).toEqual([])
})

it('cells are short', () => {
  const visible = ({ said }: { said: string }) => said.replace(/\]\([^)]*\)|\]\[[^\]]*\]/g, '').length
  expect(compared.filter((row) => visible(row) > 240)).toEqual([])
})

it('every address is https, unique and used; every link has its address', () => {
  expect([...defined.values()].filter((address) => !address.startsWith('https://'))).toEqual([])
  expect(new Set(defined.values()).size).toBe(defined.size)
  expect([...defined.keys()].toSorted()).toEqual([...new Set(used)].toSorted())
})

it('the page says on which day it was written, in the same way throughout', () => {
  const days = page.match(/\bread on \d{4}-\d\d-\d\d/gi) ?? []
  expect(days.length).toBeGreaterThan(0)
  expect(new Set(days.map((day) => day.slice(-10))).size).toBe(1)
})
