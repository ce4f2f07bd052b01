import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

/** Stands for the varying parts, in the pages and here. */
const gap = '…'

/**
 * Every text of several words in src/ counts as a message that the step can print as an error, a warning or a note:
 * this also finds those that reach an error through a function or a variable. Each says itself what to do, or has a
 * row on a page. Left out are:
 */
const leftOut: readonly { file?: RegExp; text?: RegExp; because: string; row?: string }[] = [
  { file: /^publish\//, because: 'the pages of a result: headings, tables, the words of a verdict' },
  { file: /^gates\/baseline\/added-time/, because: 'what a result shows below what got slower' },
  { file: /^service\/operations/, because: 'what a call does, the beginning of "… failed: …"' },
  { text: /^(listing the code archives|stopping load test …)$/, because: 'the same' },
  {
    text: /^( It (has|said:) …\.?| with the scope …|no reason given|in no known state|an unknown number of|without a name|are similar ones|at its end)$/,
    because: 'words that are filled into another message',
  },
  { file: /^baseline/, text: /^the latest run of …$/, because: 'the same' },
  {
    file: /^gates/,
    text: /^(… whose name matches|row of web vitals|of … load generators|of 1 load generator|over all load generators|without a date|Nearly all|… of the planned …|… instead of the baseline's …|a bare NUMBER|throughput or error-rate|transactions, actions, .*|actions and .*|failed as well|could not be measured)$/,
    because: 'the same',
  },
  {
    file: /^(follow|actions|start|github)\//,
    text: /^(load test … on the service|on the service|with the SHA-512 …|the one with …|… of workflow run …|what is checked out is …|it is not known what is checked out|… is checked out|it is not known which commit of this repository is checked out|the workflow is of another repository)$/,
    because: 'the same',
  },
  { file: /^unpack\/faults/, text: /^The … archive …$/, because: 'the beginning of the next ones' },
  {
    file: /^(report|unpack)\/(?!scorecard)/,
    text: /^[^A-Z]/,
    because: 'why an archive or a file of a report is not read',
    row: 'is refused: ….',
  },
  {
    file: /^report\/scorecard/,
    text: /^[^A-Z]/,
    because: 'the same',
    row: 'The scorecard.xml of the report …',
  },
  {
    file: /^archive\/(listing\/(listing|git|git-process)|preflight)\./,
    text: /^[^A-Z]/,
    because: 'why it is not read',
    row: 'The folder … cannot be packed',
  },
  {
    file: /^archive\/listing\/(links|names)\./,
    because: 'a reason that the callers add with what to do',
    row: 'The archive … cannot be used',
  },
  {
    file: /^outcome\/json-schema/,
    because: 'what is wrong there in the file',
    row: 'does not conform to docs/outcome.schema.json: …',
  },
  {
    text: /^ is no measurement$/,
    because: 'what is wrong there in the file',
    row: 'does not conform to docs/outcome.schema.json: …',
  },
  {
    file: /^gates\/baseline\/comparable/,
    text: /^it|^all/,
    because: 'why it was left out',
    row: '… was left out: ….',
  },
  {
    file: /^archive\/zip\/deflate-threads/,
    text: /^The threads were ended/,
    because: 'nobody waits for it any more',
  },
  {
    file: /^actions\/check/,
    text: /^(answers, (and its certificate|without TLS).*|; its state is …|OpenAPI document|API v2|The template is load test .*|set upload: false, and let .*)$/,
    because: 'what fits',
  },
  {
    text: /^(The job was cancelled|Load test … has ended|No load test was started|The load test (was started|has already finished)|First run: |New baseline: |Expected if this change|The report covers …|What is tested is commit|The gates differ from the baseline's|There is no earlier run to compare with|An outcome file does not have|Runs without figures|The oldest runs are left out|… Trying again|Attempt … failed the same way|Continuing with load test|An earlier attempt of this job has used|… is the oldest and has never run|Load test … is still running at …)/,
    because: 'it says all there is to know, and asks for nothing',
  },
  { file: /^actions\/actions/, text: /^The step has already ended/, because: 'nobody waits for it any more' },
  {
    file: /^github\/runs\/earlier/,
    text: /^(The (earlier )?runs |The history$)/,
    because: 'words that are filled into another message',
  },
  {
    file: /^github\/artifacts\/(enterprise-artifacts|file-containers)/,
    text: /^(An artifact named … already exists|no token to read the artifact … with|… became shorter while it was attached)$/,
    because: 'why an artifact is not attached or read',
    row: 'could not be attached to the workflow run',
  },
  { file: /^text\/spelling/, text: /^nbsp iexcl /, because: 'names of HTML' },
  {
    file: /^judgement\/label-record/,
    text: /^, with … in this repository$/,
    because: 'words that are filled into another message',
  },
  { file: /^gates\/xpath\/check/, text: /^if \(false\(\)\)/, because: 'XPath' },
]

/** What a message with an instruction contains. */
const verbs =
  'add|ask|begin|change|check|choose|collect|compare|correct|create|delete|did you mean|download|enable|find|follow|free|give|install|judge|keep|leave|let|look|make|name|open|pack|put|remove|rename|replace|report|run|see|set|shorten|skip|stop|store|take|try|use|wait|write|zip'
const lists =
  'a quote inside|an item is|percentage points only follow|it applies|it stands for|keys are|metrics are|only|operators are|subjects are|the expression is|the only one|times in|units are'
const instruction = new RegExp(
  `(^|[-.:;,…?)] +|\\b(and|or|so|then|please) )(${verbs}|${lists})\\b|\\bmust (not )?(be|contain|end|have|name|set|start)\\b|needs? (the permission|github-token)|is required[:. ]|at most|rules that out`,
  'i',
)

/** Reports of progress and of success. */
const progress = /\.(?:info|group|debug)$|^fits$/
/** Calls whose texts are searched for, not printed. */
const comparison = /\.(?:startsWith|includes)$/

/** A sentence in the code. */
interface Message {
  text: string
  /** All that is printed with it: the texts of the same call. */
  whole: string
}

/** The sentences of a piece of code. Of the texts in one call only the first counts; what to do follows it. */
function messagesIn(node: ts.Node): Message[] {
  if (ts.isImportDeclaration(node)) return []
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'hint') return []
  if (ts.isCaseClause(node)) return node.statements.flatMap(messagesIn)
  if (ts.isCallExpression(node)) {
    const called = node.expression.getText()
    if (comparison.test(called)) return messagesIn(node.expression)
    // The body of a group does not count as progress.
    if (progress.test(called)) return node.arguments.filter(ts.isArrowFunction).flatMap(messagesIn)
    if (!called.endsWith('.push')) return [...messagesIn(node.expression), ...firstOf(node.arguments)]
  }
  if (ts.isNewExpression(node)) return firstOf(node.arguments ?? [])
  if (ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node)) {
    return printedWith(node, partsOf(node).flatMap(messagesIn))
  }
  const text = textOf(node)
  const inner = partsOf(node).flatMap(messagesIn)
  return text !== undefined && isSentence(text) ? printedWith(node, [{ text, whole: '' }, ...inner]) : inner
}

function firstOf(given: readonly ts.Node[]): Message[] {
  // These may contain code.
  const isCode = (node: ts.Node) =>
    ts.isArrowFunction(node) || ts.isCallExpression(node) || ts.isObjectLiteralExpression(node)
  const texts = given.filter((node) => !isCode(node)).map(messagesIn)
  const first = texts.find((found) => found.length > 0) ?? []
  return [
    ...given.filter((node) => !isCode(node)).reduce((found, node) => printedWith(node, found), first),
    ...given.filter(isCode).flatMap(messagesIn),
  ]
}

function printedWith(node: ts.Node, messages: readonly Message[]): Message[] {
  const more = textsReachedFrom(node).join('. ')
  return messages.map(({ text, whole }) => ({ text, whole: `${whole}. ${more}` }))
}

function sentencesIn(node: ts.Node): string[] {
  return messagesIn(node).map(({ text }) => text)
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

/** The texts of a piece of code and of the constants and functions of its file that it names. */
function textsReachedFrom(node: ts.Node): string[] {
  const named = declarations(node.getSourceFile())
  const names = namesIn(node).flatMap((name) => named.get(name) ?? [])
  return [...everyTextIn(node), ...names.flatMap(everyTextIn)]
}

function namesIn(node: ts.Node): string[] {
  return ts.isIdentifier(node) ? [node.text] : partsOf(node).flatMap(namesIn)
}

const declared = new Map<ts.SourceFile, ReadonlyMap<string, ts.Node[]>>()

function declarations(source: ts.SourceFile): ReadonlyMap<string, ts.Node[]> {
  const known = declared.get(source)
  if (known) return known
  const found = new Map<string, ts.Node[]>()
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      found.set(node.name.text, [...(found.get(node.name.text) ?? []), node.initializer])
    if (ts.isFunctionDeclaration(node) && node.name && node.body) found.set(node.name.text, [node.body])
    ts.forEachChild(node, visit)
  }
  visit(source)
  declared.set(source, found)
  return found
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
    .filter((block) => block.startsWith('| message '))
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

it('each message that the step can print says what to do, or has a row that does', () => {
  const mute = sources.flatMap(({ file, source }) =>
    messagesIn(source)
      .filter(({ text }) => !leftOut.some((one) => isLeftOut(one, file, text)))
      .filter(({ text, whole }) => !instruction.test(text) && !instruction.test(whole))
      .filter(({ text }) => !rows.some((row) => tells(row, text)))
      .map(({ text }) => `${file}: ${text}`),
  )
  expect(mute).toEqual([])
})

function isLeftOut({ file, text }: { file?: RegExp; text?: RegExp }, inFile: string, found: string): boolean {
  return file?.test(inFile) !== false && text?.test(found) !== false
}

it('every exception is needed, and those that lean on a row have it', () => {
  const idle = leftOut.filter(
    (one) =>
      !sources.some(({ file, source }) => sentencesIn(source).some((found) => isLeftOut(one, file, found))),
  )
  expect(idle).toEqual([])
  expect(rows).toEqual(expect.arrayContaining(leftOut.flatMap(({ row }) => row ?? [])))
})

it.each([
  ['its own words', "fail('The pot is empty. Fill it or use another.')", true],
  ['the words beside it', "slips.push({ sentence: 'Tea is missing.', hint: 'Add a spoon of it.' })", true],
  ['a constant', "const advice = 'Make it again.'; add('The tea is cold', advice)", true],
  ['a function', "fail(`The tea is cold. ${next()}`); function next() { return 'Make it again.' }", true],
  ['nothing', "fail('The tea is cold.')", false],
  ['a noun', "fail('The run of the tea names no use.')", false],
])('what to do is found in %s', (_, code, isTold) => {
  expect(messagesIn(parsed('tea.ts', code)).some(({ whole }) => instruction.test(whole))).toBe(isTold)
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
