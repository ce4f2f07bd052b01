import { JudgeSandbox, expectSentences, expectTaken, mistakes, ways } from './judged.js'

let sandbox: JudgeSandbox
beforeEach(async () => {
  sandbox = await JudgeSandbox.open()
})
afterEach(() => sandbox.close())

test.each(Object.keys(ways))('%s', (way) => expectTaken(sandbox, way))

test('every mistake is reported in a sentence', () => expectSentences(sandbox, mistakes))
