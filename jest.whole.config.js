import quick from './jest.config.js'

// Properties are tried with all of their inputs; see __tests__/draws.ts.
process.env.DRAWS = 'whole'
const properties = [
  ...['archive/names', 'gates/gates-file', 'gates/grammar', 'gates/xpath', 'github/publication'],
  ...[
    'report/archive',
    'report/result-archive',
    'report/scorecard',
    'report/test-report',
    'text/foreign-text',
    'text/redaction',
  ],
]

/** What `npm test` leaves out, since it takes long: whole matrices, large corpora, what waits as people do. */
/** @type {import('jest').Config} */
export default {
  ...quick,
  testMatch: [
    '<rootDir>/__tests__/**/*.whole.test.ts',
    ...properties.map((name) => `<rootDir>/__tests__/${name}.test.ts`),
  ],
  testPathIgnorePatterns: quick.testPathIgnorePatterns.filter((pattern) => !pattern.includes('whole\\.')),
  testTimeout: 300_000,
}
