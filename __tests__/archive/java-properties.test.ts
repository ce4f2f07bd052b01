import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { propertyLines } from '../../src/archive/archive.js'
import { anyText } from '../any-text.js'
import { ownFolder } from '../own-folder.js'

const files = ownFolder()

test.each<[string, string, string]>([
  ['shop.url', 'https://pr-7.example.com/?a=b#c', 'shop.url=https\\://pr-7.example.com/?a\\=b\\#c'],
  ['a key', ' two words ', 'a\\ key=\\ two words '],
  ['path', 'C:\\temp', 'path=C\\:\\\\temp'],
  ['name', 'Jürgen 😀', 'name=J\\u00fcrgen \\ud83d\\ude00'],
  ['!bang', '!', '\\!bang=\\!'],
  ['empty', '', 'empty='],
])('%s is set to "%s"', (key, value, line) => {
  expect(propertyLines([[key, value]])).toBe(`\n\n${line}\n`)
})

const nasty = fc.constantFrom(...Array.from(' \t\\=:#!\n\r\fä€😀\0'), '\\u0041')
const text = fc
  .array(fc.oneof(nasty, anyText({ maxLength: 3 })), { maxLength: 12 })
  .map((all) => all.join(''))
const pairs = fc.uniqueArray(fc.tuple(text, text), { selector: ([key]) => key, maxLength: 6 })
/** What may already be in the file; its last line has no line break. */
const before = fc.constantFrom(
  '',
  'old = 1',
  'old = 1\n',
  '# comment',
  'old = 1 \\',
  'old = 1 \\\n',
  'old=\\\\',
  'K\u00e4se = 1',
)

// One program for all, because it takes longer to start than to read.
test("Java's own reader returns each generated value, whatever was in the file", () => {
  const samples = fc.sample(fc.tuple(before, pairs), { numRuns: 200, seed: 17 })
  for (const [index, [old, own]] of samples.entries()) {
    writeFileSync(path.join(files, `${index}`), old + propertyLines([...own, ['old', 'new']]), 'latin1')
  }
  const program = path.resolve('__tests__/archive/ReadProperties.java')
  // Compiled as little as possible: it runs only for a moment.
  const quick = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', program, files]
  const printed = execFileSync('java', quick, { encoding: 'utf8', maxBuffer: 50e6 })
  const read = new Map<string, Map<string, string>>()
  for (const line of printed.trimEnd().split('\n')) {
    const [file = '', key = '', value = ''] = line.split(' ')
    const of = read.get(file) ?? new Map<string, string>()
    read.set(file, of.set(text16(key), text16(value)))
  }
  for (const [index, [old, own]] of samples.entries()) {
    const kept: (readonly [string, string])[] = old.startsWith('K') ? [['K\u00e4se', '1']] : []
    expect(read.get(String(index))).toEqual(new Map<string, string>([...kept, ...own, ['old', 'new']]))
  }
})

function text16(hex: string): string {
  return (hex.slice(1).match(/.{4}/g) ?? []).map((unit) => String.fromCharCode(parseInt(unit, 16))).join('')
}
