import quick from './jest.config.js'

// Files of both: properties are tried with all of their inputs, tests with their variations; see __tests__/draws.ts.
process.env.DRAWS = 'whole'
const shared = [
  ...[
    'archive/names',
    'comparison/compare',
    'language/gates-file',
    'language/grammar',
    'gates/noise',
    'gates/oracle',
    'gates/suggestion',
    'xml/xpath',
    'publish/publication',
    'github/enterprise-artifacts',
  ],
  ...[
    'unpack/archive',
    'unpack/result-archive',
    'report/scorecard',
    'report/test-report',
    'text/foreign-text',
    'text/redaction',
  ],
  ...[
    'step/assumptions',
    'step/breakdown',
    'step/fault-matrix',
    'step/build',
    'step/enterprise',
    'step/status',
    'step/merge',
    'publish/legs',
    'publish/digest',
    'publish/phone',
    'engine/child',
    'step/check',
    'step/cancellation',
    'step/faces',
    'step/modes',
    'step/baseline',
    'step/judge',
    'step/other-reports',
    'step/verdicts',
    'step/second-look',
    'step/refusals',
    'step/hostile',
    'step/attempts',
    'step/downloads',
    'step/whose-run',
    'step/on-demand',
    'step/events',
    'step/secrets',
    'step/tls',
    'actions/branch-history',
    'archive/deflate-threads',
    'archive/git-traps',
    'archive/pack',
    'sandbox-runner/workflow',
    'sandbox-web/browser',
  ],
]

/** What `npm test` leaves out, since it takes long: whole matrices, large corpora, what waits as people do. */
/** @type {import('jest').Config} */
export default {
  ...quick,
  testMatch: [
    '<rootDir>/__tests__/**/*.whole.test.ts',
    ...shared.map((name) => `<rootDir>/__tests__/${name}.test.ts`),
  ],
  testPathIgnorePatterns: quick.testPathIgnorePatterns.filter((pattern) => !pattern.includes('whole\\.')),
  testSequencer: '<rootDir>/scripts/long-first.js',
  testTimeout: 300_000,
}
