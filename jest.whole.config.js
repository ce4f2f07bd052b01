import quick from './jest.config.js'

/** What `npm test` leaves out, since it takes long: whole matrices, large corpora, what waits as people do. */
/** @type {import('jest').Config} */
export default {
  ...quick,
  testMatch: ['<rootDir>/__tests__/**/*.whole.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 300_000,
}
