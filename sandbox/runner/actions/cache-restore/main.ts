import { appendFileSync, copyFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'

const { SANDBOX_CACHES = '', GITHUB_OUTPUT = '', INPUT_PATH = '', INPUT_KEY = '' } = process.env
const wanted = [INPUT_KEY, ...(process.env['INPUT_RESTORE-KEYS'] ?? '').split('\n')]
  .map((line) => line.trim())
  .filter((line) => line !== '')
const latestFirst = readdirSync(SANDBOX_CACHES)
  .map((name) => ({ key: decodeURIComponent(name), file: path.join(SANDBOX_CACHES, name) }))
  .sort((a, b) => statSync(b.file).mtimeMs - statSync(a.file).mtimeMs)
const found =
  latestFirst.find(({ key }) => key === INPUT_KEY) ??
  wanted
    .map((start) => latestFirst.find(({ key }) => key.startsWith(start)))
    .find((cache) => cache !== undefined)
if (found) {
  copyFileSync(found.file, INPUT_PATH)
  console.log(`Cache restored from key: ${found.key}`)
} else if (process.env['INPUT_FAIL-ON-CACHE-MISS'] === 'true') {
  console.log(`::error::There is no cache for the keys ${wanted.join(', ')}.`)
  process.exitCode = 1
}
appendFileSync(
  GITHUB_OUTPUT,
  `cache-hit=${found?.key === INPUT_KEY}\ncache-matched-key=${found?.key ?? ''}\n`,
)
