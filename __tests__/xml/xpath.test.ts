import fc from 'fast-check'
import fontoxpath from 'fontoxpath'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseXmlDocument } from 'slimdom'
import { buildXPathWorker } from '../gates/built-worker.js'
import { parseGates } from '../../src/language/language.js'
import { judge } from '../../src/gates/gates.js'
import { readXmlTree } from '../../src/xml/xml-tree.js'
import { ReportError } from '../../src/errors.js'
import { runXPath, type XPathAnswer } from '../../src/xml/xpath.js'
import { thorough } from '../daily.js'
import { requestReport, timer } from '../gates/example-report.js'
import { ownFolder } from '../own-folder.js'

const small = `<?xml version="1.0" encoding="UTF-8"?>
<testreport>
  <!-- a comment -->
  <summary><requests><name>All Requests</name><count>1000</count><errors>7</errors><empty/></requests></summary>
  <requests>
    <request><name>A &amp; B</name><count>600</count><percentiles><p95>400</p95><p99.9>1E3</p99.9></percentiles></request>
    <request><name>C</name><count>400</count><percentiles><p95>350.5</p95></percentiles></request>
  </requests>
  <slowestRequests><request><runtime>9000</runtime></request></slowestRequests>
  <configuration><properties><property name="a" value="12"/><property name="b" value="x"/></properties></configuration>
</testreport>`

const folder = ownFolder()
const worker = join(folder, 'xpath-worker.mjs')
const file = join(folder, 'testreport.xml')
beforeAll(async () => {
  await writeFile(file, small)
  await buildXPathWorker(worker)
})

async function answer(
  expression: string,
  bounds: Parameters<typeof runXPath>[0]['bounds'] = {},
): Promise<XPathAnswer | undefined> {
  return (await runXPath({ file, worker, expressions: [expression], bounds }))[0]
}

/** Evaluates all of these at once. */
async function answerAll(
  rows: readonly (readonly [string, unknown])[],
  answers: Map<string, XPathAnswer>,
): Promise<void> {
  const expressions = rows.map(([expression]) => expression)
  for (const [index, found] of (await runXPath({ file, worker, expressions })).entries())
    answers.set(expressions[index] ?? '', found)
}

function missingOf(found: XPathAnswer | undefined): string {
  return found && 'missing' in found ? found.missing : `not missing: ${JSON.stringify(found)}`
}

describe('one number', () => {
  const rows: [string, number][] = [
    ['/testreport/summary/requests/errors', 7],
    ['/testreport/requests/request[1]/percentiles/p99.9', 1000],
    ['/testreport/requests/request[name = "A & B"]/count', 600],
    ['count(//request)', 3],
    ['count(/testreport/requests/request)', 2],
    ['max(//percentiles/p95)', 400],
    ['sum(/testreport/requests/request/count) div 3', 1000 / 3],
    ['//property[@name = "a"]/@value', 12],
    ['/testreport/summary/requests/count/text()', 1000],
    ['string(/testreport/summary/requests/count)', 1000],
    ['exists(//slowestRequests)', 1],
    ['empty(//slowestRequests)', 0],
    ['matches("aaa", "^b")', 0],
    ['let $all := //request/count return avg($all)', 500],
    ['//request ! string-length(name) => sum()', 6],
    ['-1.5', -1.5],
    ['number("  5 ")', 5],
    ['count(/testreport/requests/node())', 2],
    ['//p95[. = "350.5"]/ancestor::request/preceding-sibling::request/count', 600],
  ]
  // One process for all of them: starting one takes longer than they do.
  const answers = new Map<string, XPathAnswer>()
  beforeAll(() => answerAll(rows, answers))

  it.each(rows)('%s', (expression, value) => {
    expect(answers.get(expression)).toEqual({ value })
  })
})

describe('no number', () => {
  const rows: [string, string][] = [
    ['/testreport/requests/nothing', 'The expression finds nothing in the report.'],
    ['/testreport/nothing', 'The report has no section "nothing", which the expression asks for.'],
    ['count(/testreport/errors/error)', 'The report has no section "errors"'],
    ['sum( /*/errors /error/count)', 'The report has no section "errors"'],
    ['sum(testreport/summary/actions/errors)', 'The report has no section "summary/actions"'],
    ['//count', 'The expression finds 3 items, not one number; use max(), sum() or count().'],
    ['/testreport/summary/requests/name', 'The result of the expression is not a number.'],
    ['/testreport/summary/requests/empty', 'The result of the expression is not a number.'],
    ['""', 'The result of the expression is not a number.'],
    ['"0x10"', 'The result of the expression is not a number.'],
    ['1e0 div 0', 'The result of the expression is not a number.'],
    ['xs:date("2026-01-01")', 'The result of the expression is not a number.'],
    ['error()', 'The expression could not be evaluated: FOER0000'],
    ['1 div 0 idiv 0', 'The expression could not be evaluated: '],
    ['map { "a": 1 }', 'The expression could not be evaluated: '],
    [
      'let $f := function($f, $n) { $f($f, $n + 1) } return $f($f, 1)',
      'The expression is nested too deeply.',
    ],
  ]
  const answers = new Map<string, XPathAnswer>()
  beforeAll(() => answerAll(rows, answers))

  it.each(rows)('%s', (expression, reason) => {
    expect(missingOf(answers.get(expression))).toContain(reason)
  })

  it('trace() writes nothing to the log', async () => {
    expect(await answer('trace(5, "::error::x")')).toEqual({ value: 5 })
  })
})

describe('bounds', () => {
  // Waits for: its two seconds, spent counting.
  it('an expression that never ends is stopped, and earlier results stay', async () => {
    const endless = 'count(for $a in 1 to 1000000, $b in 1 to 1000000 return $a)'
    const answers = await runXPath({
      file,
      worker,
      expressions: ['1', endless, '2'],
      bounds: { milliseconds: 2000 },
    })
    const missing = 'It was stopped after 2 s, the time limit for all xpath gates together.'
    expect(answers).toEqual([{ value: 1 }, { missing }, { missing }])
  })

  it('regular expressions do not backtrack', async () => {
    const stuck = `matches("${'a'.repeat(2000)}b", "${'(a*)*'.repeat(8)}c")`
    expect(await answer(stuck)).toEqual({ value: 0 })
  })

  it('a single text as large as all memory ends no other process, and the next expression is evaluated', async () => {
    const swelling =
      'string-length(string-join(fold-left(1 to 25, "abcdefghijklmnop", function($a, $b) { string-join(($a, $a, "x")) })))'
    const bounds = { heapBytes: 64_000_000 }
    expect(await runXPath({ file, worker, expressions: ['1', swelling, '2'], bounds })).toEqual([
      { value: 1 },
      { missing: 'It was stopped because it needs more than 64.0 MB of memory.' },
      { value: 2 },
    ])
  })

  thorough('a text that is longer than any may be', async () => {
    const long = 'string-length(fold-left(1 to 60, "abc", function($a, $b) { concat($a, $a) }))'
    expect(await answer(long)).toEqual({ missing: 'The expression builds too large a text.' })
  })

  it('a document that takes all memory does so once', async () => {
    const bounds = { heapBytes: 4_000_000 }
    const answers = await runXPath({ file, worker, expressions: ['1', '2', '3'], bounds })
    expect(new Set(answers.map(missingOf))).toEqual(
      new Set(['It was stopped because it needs more than 4.0 MB of memory.']),
    )
  })

  // Waits for: memory to be full.
  thorough('an expression that fills the memory is stopped', async () => {
    const greedy = 'string-length(string-join(for $a in 1 to 100000000 return "abcdefgh" || $a))'
    const found = await answer(greedy, { heapBytes: 24_000_000, milliseconds: 60_000 })
    expect(found).toEqual({ missing: 'It was stopped because it needs more than 24.0 MB of memory.' })
  })

  it('a cancelled step stops it', async () => {
    const endless = 'count(for $a in 1 to 1000000, $b in 1 to 1000000 return $a)'
    const cancel = new AbortController()
    const answers = runXPath({ file, worker, expressions: [endless], signal: cancel.signal })
    cancel.abort()
    expect(await answers).toEqual([{ missing: 'It was stopped because the step was cancelled.' }])
    const missing = 'It was stopped because the step was cancelled.'
    expect(await runXPath({ file, worker, expressions: [endless], signal: cancel.signal })).toEqual([
      { missing },
    ])
  })

  it.each([
    [{ bytes: 100 }, 'more than 100 bytes, the limit for xpath gates'],
    [{ nodes: 10 }, 'more than 10 nodes, the limit for xpath gates'],
  ])('%j of the document', async (bounds, reason) => {
    expect(missingOf(await answer('1', bounds))).toContain(reason)
  })

  it.each([
    ['depth', `<testreport>${'<a>'.repeat(200)}${'</a>'.repeat(200)}</testreport>`, 'nests elements more'],
    ['entities', '<!DOCTYPE testreport [<!ENTITY a "1">]><testreport>&a;</testreport>', 'document type'],
    ['an end', small.slice(0, 500), 'is truncated'],
    ['form', '<testreport><a></b></testreport>', 'not well-formed'],
    ['encoding', Buffer.from([0x3c, 0x74, 0xff, 0xfe, 0x3e]), 'UTF-8'],
    ['another root', '<html/>', 'its root is <html>'],
    ['content', '', 'is empty'],
  ])('%s of the document', async (_what, xml, reason) => {
    const path = join(folder, 'other.xml')
    await writeFile(path, xml)
    const tree = readXmlTree(path, { bytes: 1e6, nodes: 1e6 })
    await expect(tree).rejects.toThrow(ReportError)
    await expect(tree).rejects.toThrow(reason)
  })

  it('a missing document or worker is given as the reason', async () => {
    const gone = await runXPath({ file: join(folder, 'gone.xml'), worker, expressions: ['1'] })
    expect(gone).toEqual([{ missing: 'The testreport.xml of the report cannot be read.' }])
    const [broken] = await runXPath({ file, worker: join(folder, 'gone.mjs'), expressions: ['1'] })
    expect(missingOf(broken)).toContain('The evaluation failed')
  })

  it('its process sees nothing of the environment of the step', async () => {
    const spy = join(folder, 'spy.mjs')
    const names = 'JSON.stringify(Object.keys(process.env))'
    await writeFile(spy, `process.once('message', () => process.send({ answer: { missing: ${names} } }))`)
    process.env['INPUT_CLIENT-SECRET'] = 'secret'
    process.env['RUNNER_TRACKING_ID'] = 'github_1'
    const [seen] = await runXPath({ file, worker: spy, expressions: ['1'] })
    expect(missingOf(seen)).toBe('["RUNNER_TRACKING_ID"]')
  })

  it('without expressions no process is started', async () => {
    expect(await runXPath({ file, worker: 'no such worker', expressions: [] })).toEqual([])
  })
})

test('gates', async () => {
  const rows = [
    ['xpath(/testreport/summary/requests/errors) = 7', 7, 'passed'],
    ['xpath(/testreport/summary/requests/errors) <= 6.5', 7, 'failed'],
    ['requests p95 <= 1 s', 400, 'passed'],
    ['warn: xpath(/testreport/summary/requests/errors) <= 6.5', 7, 'warned'],
    ['xpath(/testreport/gone) = 0', undefined, 'not-measured'],
    ['warn: xpath(/testreport/gone) = 0', undefined, 'warned'],
  ] as const
  const { gates } = parseGates(rows.map(([line]) => line).join('\n'))
  const { results } = await judge({
    gates,
    report: requestReport([timer('A')]),
    xpath: { file, worker, errorsIn: () => [] },
  })
  expect(results.map(({ gate, value, result }) => [gate, value, result])).toEqual(rows)
  expect(results[0]).toMatchObject({ subject: 'xpath', unit: 'number' })
})

describe('the tree', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'p99.9')
  const text = fc.constantFrom('1', '2.5', 'x & y', 'ä😀', '<')
  const escape = (raw: string): string => raw.replace(/&/g, '&amp;').replace(/</g, '&lt;')
  const { element } = fc.letrec<{ element: string }>((tie) => ({
    element: fc
      .tuple(
        name,
        fc.option(text),
        fc.oneof(
          { depthSize: 'small' },
          text.map(escape),
          fc.array(tie('element'), { maxLength: 4 }).map((all) => all.join('')),
        ),
      )
      .map(([tag, id, inner]) => `<${tag}${id === null ? '' : ` id="${escape(id)}"`}>${inner}</${tag}>`),
  }))
  const document = fc
    .array(element, { maxLength: 5 })
    .map((all) => `<testreport>${all.join('')}</testreport>`)
  const expressions = [
    'count(//a)',
    'count(//node())',
    'string-join(//a/b ! string(.), "|")',
    'string-join(//@id, "|")',
    'string-join((//b | //a | //c) ! name(), "|")',
    'count(//a/following-sibling::b)',
    'count(//a/preceding-sibling::*)',
    'count(//c/ancestor::a)',
    'string-join(//*[last()] ! local-name(), "|")',
    'string-join(//a[1]/following::* ! name(), "|")',
    'string-join(//b/preceding::*[1] ! name(), "|")',
    'count(//p99.9[@id])',
    'string(/)',
    'sum(//text()[. castable as xs:double] ! number())',
    'count(//@id/..)',
    'deep-equal(/testreport/*[1], /testreport/*[2])',
    'string-join(//*/a[last()]/@id, "|")',
  ]

  it('gives the same results as an ordinary document', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (xml) => {
        const path = join(folder, 'tree.xml')
        await writeFile(path, xml)
        const tree = await readXmlTree(path, { bytes: 1e6, nodes: 1e6 })
        const usual = parseXmlDocument(xml)
        for (const expression of expressions) {
          const ours = fontoxpath.evaluateXPathToString(expression, tree.document, tree)
          expect([expression, ours]).toEqual([
            expression,
            fontoxpath.evaluateXPathToString(expression, usual),
          ])
        }
      }),
      { numRuns: 20 },
    )
  })
})
