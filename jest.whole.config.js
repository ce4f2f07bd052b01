import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import quick from './jest.config.js'

process.env.WHOLE = 'true'
/** Files of both, whose thorough tests are tried here; see __tests__/daily.ts. */
const shared = readdirSync('__tests__', { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    file.endsWith('.test.ts') && readFileSync(path.join('__tests__', file), 'utf8').includes("/daily.js'"),
)

/** What `npm test` leaves out, since it takes long: whole matrices, large corpora, what waits as people do. */
/** @type {import('jest').Config} */
export default {
  ...quick,
  testMatch: [
    '<rootDir>/__tests__/**/*.whole.test.ts',
    ...shared.map((file) => `<rootDir>/__tests__/${file}`),
  ],
  testPathIgnorePatterns: quick.testPathIgnorePatterns.filter((pattern) => !pattern.includes('whole\\.')),
  testSequencer: '<rootDir>/scripts/long-first.js',
  testTimeout: 300_000,
}
