import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

/** Stands for the varying parts, in the pages and here. */
const gap = '…'

/**
 * Every text of several words in src/ counts as a sentence that the step can print as an error, a warning or a note:
 * this also finds those that reach an error through a function or a variable. Left out are:
 */
const leftOut: readonly { file?: RegExp; text?: RegExp; because: string }[] = [
  { file: /^publish\//, because: 'the pages of a result: headings, tables, the words of a verdict' },
  { file: /^service\/operations/, because: 'what a call does, the beginning of "… failed: …"' },
  { text: /^(listing the code archives|stopping load test …)$/, because: 'the same' },
  {
    text: /^(Check|Create|Find out|Free|Give|Leave|Let|Look|Make|Name|Pack|Put|Rename|Use|Write|Zip) /i,
    because: 'what to do, printed behind a sentence that has its row',
  },
  {
    text: /^(Did you mean|Keys are|Units are|Measured times may|Percentage points only|The expression is XPath) /,
    because: 'the same',
  },
  {
    text: /^( It (has|said:) …\.?| with the scope …|no reason given|in no known state|without a name|are similar ones|at its end)$/,
    because: 'words that are filled into a sentence that has its row',
  },
  { file: /^baseline/, text: /^the latest run of …$/, because: 'the same' },
  {
    file: /^gates/,
    text: /^(… whose name matches|row of web vitals|of … load generators|of 1 load generator|over all load generators|without a date|Nearly all|… of the planned …|… instead of the baseline's …|a bare NUMBER|throughput or error-rate|transactions, actions, .*|actions and .*)$/,
    because: 'the same',
  },
  {
    file: /^report/,
    text: /^(test cases in the load profile|rows of web vitals|it has no text)$/,
    because: 'the same',
  },
  {
    file: /^archive\/deflate-threads/,
    text: /^The threads were ended/,
    because: 'nobody waits for it any more',
  },
  {
    file: /^check/,
    text: /^(answers, (and its certificate|without TLS).*|; its state is …|OpenAPI document|API v2|The template is load test .*|set upload: false, and let .*)$/,
    because: 'what fits',
  },
  { file: /^text\/spelling/, text: /^nbsp iexcl /, because: 'names of HTML' },
  { file: /^gates\/xpath-check/, text: /^if \(false\(\)\)/, because: 'XPath' },
]

/** Reports of progress and of success. */
const progress = /\.(?:info|group|debug)$|^fits$/
/** Calls whose texts are searched for, not printed. */
const comparison = /\.(?:startsWith|includes)$/

/** The sentences of a piece of code. Of the texts in one call only the first counts; what to do follows it. */
function sentencesIn(node: ts.Node): string[] {
  if (ts.isImportDeclaration(node)) return []
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'hint') return []
  if (ts.isCaseClause(node)) return node.statements.flatMap(sentencesIn)
  if (ts.isCallExpression(node)) {
    const called = node.expression.getText()
    if (comparison.test(called)) return sentencesIn(node.expression)
    // The body of a group does not count as progress.
    if (progress.test(called)) return node.arguments.filter(ts.isArrowFunction).flatMap(sentencesIn)
    if (!called.endsWith('.push')) return [...sentencesIn(node.expression), ...firstOf(node.arguments)]
  }
  if (ts.isNewExpression(node)) return firstOf(node.arguments ?? [])
  const text = textOf(node)
  const inner = partsOf(node).flatMap(sentencesIn)
  return text !== undefined && isSentence(text) ? [text, ...inner] : inner
}

function firstOf(given: readonly ts.Node[]): string[] {
  // These may contain code.
  const isCode = (node: ts.Node) =>
    ts.isArrowFunction(node) || ts.isCallExpression(node) || ts.isObjectLiteralExpression(node)
  const texts = given.filter((node) => !isCode(node)).map(sentencesIn)
  return [...(texts.find((found) => found.length > 0) ?? []), ...given.filter(isCode).flatMap(sentencesIn)]
}

/** Three words, or two at the beginning or end of a sentence. */
function isSentence(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /[a-z]/i.test(word))
  return words.length >= 3 || (words.length === 2 && /^[A-Z]|\.$/.test(text.trim()))
}

/** The text of a literal or of a sum of them. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => gap + literal.text).join('')
  }
  if (!isSum(node)) return undefined
  const [left, right] = [textOf(node.left), textOf(node.right)]
  return left === undefined && right === undefined ? undefined : (left ?? gap) + (right ?? gap)
}

/** The children of a node; for a sum, those filled into its texts. */
function partsOf(node: ts.Node): ts.Node[] {
  if (isSum(node)) {
    return [node.left, node.right].flatMap((side) => (textOf(side) === undefined ? [side] : partsOf(side)))
  }
  const parts: ts.Node[] = []
  ts.forEachChild(node, (part) => void parts.push(part))
  return parts
}

function isSum(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken
}

function everyTextIn(node: ts.Node): string[] {
  const text = textOf(node)
  const inner = partsOf(node).flatMap(everyTextIn)
  return text === undefined ? inner : [text, ...inner]
}

function parsed(file: string, code: string): ts.SourceFile {
  return ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true)
}

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, source: parsed(file, readFileSync(path.join('src', file), 'utf8')) }))

/** The texts of the first columns of a page's tables of sentences. */
function sentencesOn(page: string): string[] {
  return readFileSync(page, 'utf8')
    .split(/\n\n+/)
    .filter((block) => block.startsWith('| sentence '))
    .flatMap((table) => table.split('\n').slice(2))
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text))
}

/** Whether the pieces of one occur in the other, in the same order. */
function isWithin(one: string, other: string): boolean {
  let at = 0
  return one.split(gap).every((piece) => {
    const found = other.indexOf(piece.trim(), at)
    at = found + piece.trim().length
    return found >= 0
  })
}

/** A row may have a part of a text in the code, or fill its gaps. */
function tells(row: string, text: string): boolean {
  return isWithin(row, text) || isWithin(text, row)
}

const rows = ['docs/troubleshooting.md', 'docs/gates.md'].flatMap(sentencesOn)
const texts = sources.flatMap(({ source }) => everyTextIn(source)).filter(isSentence)

it.each(rows)('the step can print: %s', (row) => {
  expect(isSentence(row)).toBe(true)
  expect(texts.filter((text) => tells(row, text))).not.toEqual([])
})

it('each sentence that the step can print has its row', () => {
  const missing = sources.flatMap(({ file, source }) =>
    sentencesIn(source)
      .filter(
        (text) => !leftOut.some((one) => !(one.file?.test(file) === false || one.text?.test(text) === false)),
      )
      .filter((text) => !rows.some((row) => tells(row, text)))
      .map((text) => `${file}: ${text}`),
  )
  expect(missing).toEqual([])
})

it('no cell of this page is longer than three lines', () => {
  const cells = readFileSync('docs/troubleshooting.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .flatMap((line) => line.split(' | ').map((cell) => cell.replace(/^\||\|$/g, '').trim()))
  expect(cells.length).toBeGreaterThan(500)
  expect(cells.filter((cell) => cell.length > 240 && !/^-+$/.test(cell))).toEqual([])
})

it('every exception is needed', () => {
  const idle = leftOut.filter(
    ({ file, text }) =>
      !sources.some(
        (one) =>
          file?.test(one.file) !== false &&
          sentencesIn(one.source).some((found) => text?.test(found) !== false),
      ),
  )
  expect(idle).toEqual([])
})

it.each([
  ['an error', "throw new UserError('The pot is empty. Fill it.')", ['The pot is empty. Fill it.']],
  ['a sum with gaps', 'log.warning(`The ${pot} is ` + full() + " of tea.")', ['The … is … of tea.']],
  [
    'what is filled in',
    "fail(`The pot ${x ? 'is too hot' : 'is too cold'}.`)",
    ['The pot ….', 'is too hot', 'is too cold'],
  ],
  ['a variable', "const why = tea ? 'the tea is cold' : 'no tea'; fail(why)", ['the tea is cold']],
  ['the first of a call', "add('Broken pots', name, 'Buy new ones.')", ['Broken pots']],
  ['each that is pushed', "notes.push('Tea is late.', 'Milk is sour.')", ['Tea is late.', 'Milk is sour.']],
  ['code within a call', "log.group('Make the tea', () => fail('No tea is left.'))", ['No tea is left.']],
  ['no hint', "slips.push({ sentence: 'Tea is missing.', hint: 'Add a spoon of it.' })", ['Tea is missing.']],
  ['no progress', "log.info('The tea is ready.')", []],
  ['no comparison', "if (said.startsWith('The tea is')) pour()", []],
])('a sentence is found in code: %s', (_, code, sentences) => {
  expect(sentencesIn(parsed('tea.ts', code))).toEqual(sentences)
})
