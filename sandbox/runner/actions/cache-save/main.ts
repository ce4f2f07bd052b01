import { copyFileSync, existsSync } from 'node:fs'
import path from 'node:path'

const { SANDBOX_CACHES = '', INPUT_PATH = '', INPUT_KEY = '' } = process.env
if (!existsSync(INPUT_PATH)) {
  console.log(`::warning::Path Validation Error: ${INPUT_PATH} does not exist, so nothing is cached.`)
} else {
  const cache = path.join(SANDBOX_CACHES, encodeURIComponent(INPUT_KEY))
  if (existsSync(cache)) console.log(`::warning::A cache with the key ${INPUT_KEY} already exists.`)
  else copyFileSync(INPUT_PATH, cache)
}
