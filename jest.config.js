import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'

const browser = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const isOnPath = (program) =>
  (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program)))

/** Programs beside Node and Git, and the files whose tests need one. */
const needed = {
  python3: [
    ...['archive/files', 'archive/pack', 'archive/preflight', 'engine/golden', 'gates/oracle'],
    ...['scorecard', 'test-report'].map((name) => `sandbox-report/${name}`),
  ],
  unzip: ['archive/pack'],
  tar: ['step/modes', 'step/own-actions', 'unpack/archive'],
  bash: ['recipes/recipes', 'sandbox-runner/workflow', 'workflows'],
  openssl: ['recipes/recipes', 'step/tls'],
  mkfifo: ['checked-out', 'files', 'git-traps', 'pack']
    .map((name) => `archive/${name}`)
    .concat('inputs/inputs', 'report/report-reader'),
  sleep: ['step/post'],
  prlimit: ['github/runner'],
  java: ['archive/java-properties'],
  mvn: ['engine/release'],
  Chromium: ['publish/pages'],
}
/** Tests that need a program which is not here are left out, loudly; in CI all of them run. */
const leftOut = Object.entries(needed).flatMap(([program, names]) => {
  const isHere =
    program === 'Chromium'
      ? browser.some((file) => file !== undefined && existsSync(file))
      : isOnPath(program)
  if (isHere || process.env.CI) return []
  const how = program === 'Chromium' ? 'Install it, or name it in CHROMIUM.' : 'Install it.'
  console.warn(`Left out: ${names.join(', ')} in __tests__: they need ${program}. ${how}`)
  return names.flatMap((name) => ['', '.whole'].map((kind) => `<rootDir>/__tests__/${name}${kind}.test.ts`))
})

/** @type {import('jest').Config} */
export default {
  // Keeps what tests see of the messages that the pages quote: scripts/printed.ts.
  setupFilesAfterEnv: process.env.PRINTED ? ['<rootDir>/__tests__/recorder.ts'] : [],
  testEnvironment: '<rootDir>/scripts/left-open.js',
  testMatch: ['<rootDir>/__tests__/**/*.test.ts'],
  // What takes long is run by npm run test:whole.
  testPathIgnorePatterns: ['/node_modules/', '\\.whole\\.test\\.ts$', ...leftOut],
  extensionsToTreatAsEsm: ['.ts'],
  // Imports name the .js file that would be emitted; under jest the .ts source stands there.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript' },
          target: 'es2023',
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
  reporters: ['default', '<rootDir>/scripts/closing-line.js'],
  // One more than cores: steps and browsers wait for part of their time.
  maxWorkers: availableParallelism() + 1,
  // A test that may take longer says why, at its own limit. In CI other work goes on beside the tests.
  testTimeout: process.env.CI ? 60_000 : 20_000,
}
