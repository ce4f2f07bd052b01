import { execFileSync } from 'node:child_process'

const { SANDBOX_ORIGIN, SANDBOX_PERMISSIONS = '', GITHUB_SHA = '' } = process.env
const input = (name: string): string => process.env[`INPUT_${name}`] ?? ''
const git = (...args: string[]): void => {
  execFileSync('git', args, { stdio: 'inherit' })
}

if (!/"contents":"(read|write)"/.test(SANDBOX_PERMISSIONS)) {
  console.log('::error::actions/checkout reads the repository: the job needs the permission contents: read.')
  process.exit(1)
}
git('init', '-q')
git('remote', 'add', 'origin', `file://${SANDBOX_ORIGIN}`)
const depth = input('FETCH-DEPTH')
const ref = input('REF')
git('fetch', '-q', ...(depth === '0' ? [] : [`--depth=${depth}`]), 'origin', ref || GITHUB_SHA)
const folders = input('SPARSE-CHECKOUT')
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line !== '')
if (folders.length > 0) git('sparse-checkout', 'set', ...folders)
git('checkout', '-q', '--detach', 'FETCH_HEAD')
console.log(`HEAD is now at ${ref || GITHUB_SHA}`)
