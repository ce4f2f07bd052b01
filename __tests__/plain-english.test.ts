import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import ts from 'typescript'

/** Words that came from another language, or say less than they seem to, and what a native writer puts there. */
const unwelcome: readonly { words: RegExp; because: string }[] = [
  {
    words:
      /(?<!there )\bis no (?!longer|more|fewer|less|later|such|good|use\b|need\b|doubt\b|surprise\b)\w+/i,
    because: 'a thing is not a metric; it is not "no metric"',
  },
  {
    words:
      /\b(?:missing|colon|quote|it|gate|warn|strict`?) behind\b|\bbehind (?:the |a )?(?:gate|limit|name)/i,
    because: 'what is written later comes after; behind is a place',
  },
  { words: /\b(?:one|gate|name|file) an? (?:line|item)\b/i, because: 'one per line' },
  { words: /\b(?:is|are|was|were|be) told\b/i, because: 'things are reported or shown; people are told' },
  { words: /\bcould not be told\b/i, because: 'it is unknown' },
  { words: /\bgoes on (?:and|at)\b|\brun goes on\b/i, because: 'a run is still running, or continues' },
  { words: /\bif nobody needs\b/i, because: 'you no longer need it: the reader is spoken to' },
  { words: /\bgate that counts held\b|\bgates? (?:did not hold|held)\b/i, because: 'gates pass or fail' },
  { words: /\bown (?:certificate )?authorit(?:y|ies)\b/i, because: 'your own CA' },
  { words: /\banew\b/i, because: 'again; anew is for sermons' },
  { words: /\bat most so many\b/i, because: 'at most that many' },
  { words: /(?<!be )\bcompared is\b/i, because: 'the subject comes first' },
  { words: /\bis another than\b|\bis another, for\b/i, because: 'it differs from' },
  {
    words: /\bcould not be had\b|\bcannot be had\b/i,
    because: 'it is not available, or could not be downloaded',
  },
  { words: /\bhas no place (?:here|behind|after)\b/i, because: 'it is not allowed here' },
  { words: /\bwas not there after\b/i, because: 'it was not available after' },
  { words: /\bthe gate asks for\b/i, because: 'a gate has a limit: the value must be at most that' },
  { words: /\bturns? (?:no|a|the|that) verdict/i, because: 'a verdict changes' },
  { words: /\btells? of\b/i, because: 'it reports, shows or says' },
  {
    words: /\bheld against\b|\bholds? (?:a|the|each|all|every|it|step)\b[^.]{0,60}\bagainst\b/i,
    because: 'things are compared with each other; what is held against somebody is a grudge',
  },
  {
    words: /\b(?:take[sn]?|taking) up (?:the|that|a|no|one|load)\b|\btook up\b/i,
    because: 'a step continues with a run',
  },
  { words: /\bpass(?:ed|es)? over\b/i, because: 'skip or ignore' },
  { words: /\blook(?:ed|s)? at twice\b/i, because: 'judged twice, or checked again' },
  { words: /\breckon/i, because: 'compute, estimate, account for' },
  { words: /\bsurely\b/i, because: 'certainly; surely asks the reader to agree' },
  { words: /\bWhether [^.]{0,80} is not known\b/, because: 'It is not known whether: the news comes first' },
  {
    words: /\b(?:used|attached|uploaded|served|taken) as (?:it is|they are)\b/i,
    because: 'unchanged, or as is',
  },
  { words: /\b(?:and|or) (?:its|their) like\b/i, because: 'and the like, and so on' },
  { words: /\bwhat is wrong with\b/i, because: 'the mistake, or the fault' },
  { words: /\bcame of it\b|\bwhat came of\b/i, because: 'the result' },
  { words: /\bholds? no\b/i, because: 'it contains no, or has no' },
  {
    words: /\bof (?:its|their|his|our) own\b(?! (?:accord|code|branch))/i,
    because: 'its own name, or a separate name',
  },
  { words: /\bso many (?!that\b)\w+/i, because: 'this many, or that many' },
  { words: /\bknows no\b/i, because: 'it does not know, or does not support' },
  { words: /\bin the place of\b/i, because: 'instead of' },
  { words: /\bin the order of their\b/i, because: 'sorted by name' },
  { words: /\b(?:is|are) (?:it is |there )already\b/i, because: 'it already exists' },
  { words: /\bbut for the\b/i, because: 'except the' },
  { words: /\bthat (?:is|are) none\b/i, because: 'an invalid date is not "a date that is none"' },
  { words: /\b(?:at hand|in one go|so that nobody)\b/i, because: 'current; at once; name the effect' },
  { words: /\bas good as (?:absent|this|the)\b/i, because: 'counts as' },
  { words: /\bnothing but (?:gates|failed)\b/i, because: 'only gates' },
  {
    words: /\b(?:every|each) (?:other )?face\b/i,
    because: 'a reader has no faces: name the summary, the comment, the digest, the log',
  },
  {
    words: /\b(?:says?|said) of (?:it|its|their|the|each)\b|\bknown? of (?:it|its|each|the|them)\b/i,
    because: 'says about, known about',
  },
  { words: /\b(?:undefined|absent|empty|\w*error) where\b/i, because: 'if: where is a place' },
  { words: /\bin small letters\b/i, because: 'in lower case' },
  { words: /\b(?:finds?|found) fault with\b/i, because: 'reports as a mistake; to find fault is to nag' },
  { words: /\bfor green\b|\bopens? the way\b/i, because: 'counts as green, makes it green' },
  { words: /\bleads? to expect\b|\blets? (?:one )?expect\b/i, because: 'suggests' },
  { words: /\bspeaks? for all\b/i, because: 'reports for all' },
  { words: /\bof one name\b/i, because: 'with the same name' },
  { words: /\b(?:is|are|not|and) taken up\b/i, because: 'a step continues with a run' },
  { words: /\bglued to\b/i, because: 'nothing follows it' },
  { words: /\bThe price(?:\.\*\*|:)/, because: 'a trade-off; a price is paid in money' },
  {
    words: /\bwith (?:a|no) step\b|\bstep to (?:worse|better)\b/i,
    because: 'a step is part of a job; a figure changes',
  },
]

const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0')
const isPage = (name: string) =>
  (name.endsWith('.md') && name !== 'CODE_OF_CONDUCT.md') ||
  name === 'action.yml' ||
  /^docs\/.*\.(?:json|yml)$/.test(name)
const isCode = (name: string) =>
  /^(?:src|sandbox|scripts|bench|others|__tests__)\/.*\.ts$/.test(name) &&
  name !== '__tests__/plain-english.test.ts'

/** Each line of a page, each text and comment in code, and where it is. */
function* texts(): Generator<{ at: string; text: string }> {
  for (const name of files.filter(isPage)) {
    for (const [index, text] of readFileSync(name, 'utf8').split('\n').entries()) {
      yield { at: `${name}:${index + 1}`, text }
    }
  }
  for (const name of files.filter(isCode)) {
    const source = ts.createSourceFile(name, readFileSync(name, 'utf8'), ts.ScriptTarget.Latest, true)
    yield* textsIn(source, source)
    yield* commentsIn(source)
  }
}

function* textsIn(node: ts.Node, source: ts.SourceFile): Generator<{ at: string; text: string }> {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart())
    yield { at: `${source.fileName}:${line + 1}`, text: node.getText().replace(/\s+/g, ' ') }
  }
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => void children.push(child))
  for (const child of children) yield* textsIn(child, source)
}

/** Comments and docstrings, each on one line. */
function* commentsIn(source: ts.SourceFile): Generator<{ at: string; text: string }> {
  for (const [comment] of source.text.matchAll(/\/\*[^]*?\*\/|(?<=^\s*)\/\/.*$/gm)) {
    yield { at: source.fileName, text: comment.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ') }
  }
}

const all = [...texts()]

test('there are texts to read', () => {
  expect(all.length).toBeGreaterThan(3000)
})

test.each(unwelcome)('$words: $because', ({ words }) => {
  expect(all.filter(({ text }) => words.test(text)).map(({ at, text }) => `${at}: ${text}`)).toEqual([])
})

test('percent stands without a space; only tests of the language of gates write it with one', () => {
  const spaced = all.filter(
    ({ at, text }) => !at.startsWith('__tests__/') && /\d(?: |\u00a0|\\u00a0)%/.test(text),
  )
  expect(spaced.map(({ at, text }) => `${at}: ${text}`)).toEqual([])
})
