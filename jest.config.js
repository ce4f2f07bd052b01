import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Tests that need a program which is not here are left out, loudly; in CI all of them run. */
const browser = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const hasBrowser = browser.some((file) => file !== undefined && existsSync(file))
const inBrowser = ['publish/digest', 'publish/history-page', 'publish/phone', 'sandbox-web/browser'].flatMap(
  (name) => ['', '.whole'].map((kind) => `<rootDir>/__tests__/${name}${kind}.test.ts`),
)
const leftOut = hasBrowser || process.env.CI ? [] : inBrowser
for (const file of leftOut)
  console.warn(`Left out: ${file} needs Chromium. Install it, or name it in CHROMIUM.`)

/** @type {import('jest').Config} */
export default {
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
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts'],
  reporters: ['default', '<rootDir>/scripts/closing-line.js'],
  // One more than cores: steps and browsers wait for part of their time.
  maxWorkers: availableParallelism() + 1,
  // A test that may take longer says why, at its own limit. In CI other work goes on beside the tests.
  testTimeout: process.env.CI ? 60_000 : 20_000,
}
