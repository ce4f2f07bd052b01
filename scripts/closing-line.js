/** A jest reporter whose one line closes the run: `12 passed, 0 failed`, read by whoever runs the tests. */
export default class ClosingLine {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : ''
    // After the default reporter's summary, which goes to stderr.
    process.stderr.write('', () => console.log(`${numPassedTests} passed, ${failed} failed${skipped}`))
  }
}
