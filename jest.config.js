/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/__tests__/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  // Imports name the .js file that would be emitted; under jest the .ts source stands there.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } }],
  },
  collectCoverageFrom: ['src/**/*.ts'],
  reporters: ['default', '<rootDir>/scripts/closing-line.js'],
  testTimeout: 60_000,
}
