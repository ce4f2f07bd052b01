import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { quotes } from '../__tests__/printed.js'

/*
 * After `PRINTED=FOLDER npm test`: `tsx scripts/printed.ts FOLDER` says which messages that the pages quote no test made
 * the program print; with `--write` it renews the list of what was printed.
 */

const list = '__tests__/printed.json'
const [folder = '', ...options] = process.argv.slice(2)
const printed = new Map(
  readdirSync(folder)
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as [string, string]),
)
const missing = quotes().filter((quote) => !printed.has(quote))
for (const quote of missing) console.log(`No test made the program print: ${quote}`)
if (options.includes('--write')) {
  const known = JSON.parse(readFileSync(list, 'utf8')) as Record<string, string>
  const entries = quotes().flatMap((quote) => {
    const line = printed.get(quote) ?? known[quote]
    return line === undefined ? [] : [[quote, line.replace(/\/tmp\/[\w.-]+/g, '/home/runner')]]
  })
  writeFileSync(list, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`)
}
process.exitCode = missing.length > 0 ? 1 : 0
