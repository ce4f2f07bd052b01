import { afterBadEnd, endReason } from '../../src/run/run.js'

const maven = `[INFO] Scanning for projects...
[INFO] ----------------------< com.acme:loadtest >----------------------
[INFO] Building loadtest 1.0
[INFO] --- compiler:3.11.0:compile (default-compile) @ loadtest ---
[INFO] Compiling 12 source files with javac [debug target 17] to target/classes
[INFO] -------------------------------------------------------------
[ERROR] COMPILATION ERROR :
[INFO] -------------------------------------------------------------
[ERROR] /work/suite/src/com/acme/Shop.java:[7,3] cannot find symbol
  symbol:   class Baskett
  location: class com.acme.Shop
[INFO] 1 error
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compile (default-compile) on project loadtest: Compilation failure
[ERROR] -> [Help 1]
[ERROR] Re-run Maven using the -X switch to enable full debug logging.`

const gradle = `> Task :compileJava FAILED
/work/suite/src/Shop.java:7: error: cannot find symbol
  symbol: class Baskett
1 error
FAILURE: Build failed with an exception.
* What went wrong:
Execution failed for task ':compileJava'.`

const compiled = '/work/suite/src/com/acme/Shop.java:[7,3] cannot find symbol'
const goal =
  'Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compile (default-compile) on project loadtest: Compilation failure'

test.each([
  ['a sentence', 'The environment 6.x is retired.', 'The environment 6.x is retired.'],
  ['a long one', 'x'.repeat(400), `${'x'.repeat(299)}…`],
  ['lines without a fault', 'It ended.\nNobody knows why.', 'It ended. Nobody knows why.'],
  ['a sentence before a log', `The build failed.\n${maven}`, `The build failed. ${compiled} ${goal}`],
  ['a log', maven, `${compiled} ${goal}`],
  [
    'a log on one line',
    `The build failed. ${maven.replaceAll('\n', ' ')}`,
    `The build failed. ${compiled} symbol: class Baskett location: class com.acme.Shop ${goal}`,
  ],
  [
    "Gradle's log",
    gradle,
    '/work/suite/src/Shop.java:7: error: cannot find symbol > Task :compileJava FAILED',
  ],
  [
    'the same fault twice',
    `It failed.\n${'[ERROR] A.java:[1,1] no\n'.repeat(9)}`,
    'It failed. A.java:[1,1] no',
  ],
  [
    'blank and indented lines',
    `It failed.\r\n\r\n   A.java:7: error: no \n`,
    'It failed. A.java:7: error: no',
  ],
  [
    'a sentence with a bracket',
    'It failed [twice].\nA.java:7: error: no',
    'It failed [twice]. A.java:7: error: no',
  ],
  ['a fault without a space', 'It failed.\n[ERROR]A.java:7 no', 'It failed. A.java:7 no'],
  ['nothing', ' \n ', ''],
  ['a line without end', `It failed.\n[ERROR] ${'y'.repeat(400)}`, `It failed. ${'y'.repeat(179)}…`],
])('the reason of an end: %s', (_, text, due) => {
  expect(endReason(text)).toBe(due)
})

test.each([
  ['ERROR', true, /^Correct what the reason names.* Look at https:\/\/x\.test\/17 for the whole log\.$/],
  ['ABORTED', false, /^Look at https:\/\/x\.test\/17 for why it ended, or who ended it\./],
  ['ERROR', false, /^Look at https:\/\/x\.test\/17 for the cause/],
])('what to do after %s, with a reason for that it never ran: %s', (state, isBuildFault, due) => {
  const run = { number: 17, url: 'https://x.test/17', state }
  expect(afterBadEnd(run, isBuildFault)).toEqual([expect.stringMatching(due)])
  expect(afterBadEnd({ number: 17, state }, isBuildFault).join()).toContain(
    'Look at load test 17 on the service for',
  )
})
