import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

/** The names that occur more than once. */
function doubles(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))]
}

test('no two exports of src have the same name: each name has one meaning', () => {
  const exported =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm
  // The overloads of a function have one name, too.
  const namesIn = (text: string) => new Set([...text.matchAll(exported)].map(([, name = '']) => name))
  const names = files.flatMap((file) => [...namesIn(readFileSync(path.join('src', file), 'utf8'))])
  expect(names.length).toBeGreaterThan(300)
  expect(doubles(names)).toEqual([])
})
