import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { validate } from '@actions/languageservice'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { parse } from 'yaml'
import {
  readActionFile,
  readActions,
  usualInputs,
  withReference,
  withUsualInputs,
} from '../scripts/readme-tables.js'
import { parseGates } from '../src/language/language.js'
import { checkXPath } from '../src/xml/expression.js'
import { readInputs } from '../src/inputs/inputs.js'
import { actionOf, modes, type ActionName, verdicts } from '../src/outcome/outcome.js'
import { rootInputs } from './load-test-inputs.js'
import { patternOf, quotes } from './printed.js'
import { optionalScopes, scopesFor } from '../src/inputs/inputs.js'

const actions = readActions()
const action = actions.root
const actionFiles = { 'load-test': action, ...actions.own }
const readme = readFileSync('README.md', 'utf8')
const setup = readFileSync('docs/setup.md', 'utf8')
const reference = readFileSync('docs/reference.md', 'utf8')
const ours = 'load-test-action/load-test-action'

/** Every Markdown file of the repository, including those next to code. */
const markdownFiles = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).trim().split('\n')

interface Block {
  page: string
  language: string
  body: string
}

const blocks: Block[] = markdownFiles.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(
    ([, language = '', body = '']) => ({ page, language, body }),
  ),
)

/** The workflow files of a folder. */
function workflowFiles(folder: string): (readonly [string, Block])[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yml'))
    .map((name) => path.join(folder, name))
    .map((page) => [page, { page, language: 'yaml', body: readFileSync(page, 'utf8') }] as const)
}

const recipes = workflowFiles('docs/recipes')
const ownWorkflows = workflowFiles('.github/workflows')

/** A snippet that is a whole workflow file; parts of one have no jobs. */
const snippets = blocks
  .filter(({ language, body }) => language === 'yaml' && /^jobs:/m.test(body))
  .map(
    (block) =>
      [`${block.page}, ${/^name: (.*)$/m.exec(block.body)?.[1] ?? 'without a name'}`, block] as const,
  )

/** What users copy. */
const workflows = [...snippets, ...recipes]

/** What the language service says about a workflow file. */
async function complaints(text: string): Promise<string[]> {
  // Parsed files are cached by address, so each text has its own.
  const address = `file:///.github/workflows/${encodeURIComponent(text)}.yml`
  const document = TextDocument.create(address, 'yaml', 1, text)
  const found = await validate(document, {
    actionsMetadataProvider: {
      fetchActionMetadata: async ({ owner, name, path: folder = '' }) =>
        `${owner}/${name}` === ours
          ? { name: 'Load Test Action', ...actionFiles[actionOf(folder)] }
          : { name, description: '' },
    },
  })
  return found.map(({ message, range }) => {
    const text = typeof message === 'string' ? message : message.value
    return `line ${range.start.line + 1}: ${text}`
  })
}

interface Step {
  action: ActionName
  with: Record<string, string>
}

/** The steps of a workflow that use one of the actions. */
function ourSteps(text: string): Step[] {
  const workflow: unknown = parse(text)
  const jobs = fields(fields(workflow)['jobs'])
  return Object.values(jobs).flatMap((job) => {
    const steps = fields(job)['steps']
    return (Array.isArray(steps) ? steps : []).flatMap((step: unknown) => {
      const { uses, with: given } = fields(step)
      if (typeof uses !== 'string' || !uses.startsWith(ours)) return []
      const texts = Object.entries(fields(given)).map(([name, value]) => [name, String(value)] as const)
      return [
        {
          action: actionOf(path.basename(uses.slice(ours.length).replace(/@.*/, ''))),
          with: Object.fromEntries(texts),
        },
      ]
    })
  })
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

/** The rows of the table below a heading, cells without blanks and code marks. */
function rows(heading: string, page = readme): string[][] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    )
}

it('the tables of inputs and outputs are those of the actions', async () => {
  expect(await withUsualInputs(readme, actions)).toBe(readme)
  expect(await withReference(reference, actions)).toBe(reference)
})

it.each(Object.entries(actionFiles))(
  'the reference has each input and each output of %s, and no other',
  (name, { inputs, outputs, groups }) => {
    const title = name === 'load-test' ? 'Load test' : name
    const [, section = ''] = reference.split(`\n## ${title}\n`)
    const alike = /^As \[above\]\(#load-test\): (.*)\.$/gm
    const above = [...(section.split('\n## ')[0] ?? '').matchAll(alike)].flatMap(([, names = '']) =>
      names.replaceAll('`', '').split(', '),
    )
    const listed = rows(title, reference).map(([row]) => row)
    const known = [...Object.keys(inputs), ...Object.keys(outputs)]
    expect([...listed, ...above].sort()).toEqual(known.sort())
    const titles = [...(section.split('\n## ')[0] ?? '').matchAll(/^\*\*(.+)\*\*$/gm)].map(([, text]) => text)
    expect(titles).toEqual([...groups.map((group) => group.title), 'Outputs'])
  },
)

it('README has the usual inputs; those of its example and of baseline.yml are among them or connect', () => {
  expect(rows('Inputs').map(([name]) => name)).toEqual(usualInputs)
  expect(usualInputs).toHaveLength(11)
  const [connection] = action.groups
  const shown = [...snippets, ...recipes]
    .filter(([name]) => /README|baseline\.yml|pull-request\.yml/.test(name))
    .flatMap(([, { body }]) => ourSteps(body).flatMap((step) => Object.keys(step.with)))
  expect(shown).not.toEqual([])
  expect([...(connection?.names ?? []), ...usualInputs]).toEqual(expect.arrayContaining(shown))
})

it('each input is in exactly one group', () => {
  for (const { groups, inputs } of Object.values(actionFiles)) {
    expect(groups.flatMap(({ names }) => names)).toEqual(Object.keys(inputs))
  }
  const ungrouped = 'description: z\ninputs:\n  a:\n    description: x\noutputs:\n  b:\n    description: y\n'
  expect(() => readActionFile(ungrouped)).toThrow('do not begin with the comment that titles their group')
})

it('every verdict and every mode has its row', () => {
  expect(rows('Verdicts').map(([name]) => name)).toEqual(expect.arrayContaining([...verdicts]))
  expect(rows('Verdicts')).toHaveLength(verdicts.length)
  expect(rows('Modes').map(([name]) => name)).toEqual(modes)
})

it.each(modes)('the scopes of mode %s are those that the step asks for', (mode) => {
  const more = mode === 'run' || mode === 'check' ? { 'delete-archive': 'true' } : {}
  const asked = scopesFor(rootInputs({ mode, results: 'true', ...more }))
  const column = modes.indexOf(mode) + 1
  const listed = rows('Credentials of the service', setup).filter(
    (cells) => /^[A-Z_]+$/.test(cells[0] ?? '') && cells[column] !== 'no',
  )
  expect(listed.map(([scope]) => scope).sort()).toEqual([...asked].sort())
  const optional = optionalScopes.filter((scope) => asked.includes(scope))
  expect(listed.flatMap((cells) => (cells[column] === 'optional' ? [cells[0]] : [])).sort()).toEqual(optional)
})

it('every recipe is described, uses the action, and says why it has its concurrency', () => {
  const page = readFileSync('docs/recipes/README.md', 'utf8')
  for (const [file, { body }] of recipes) {
    const name = path.basename(file)
    expect(page).toContain(`[${name}](${name})`)
    expect(ourSteps(body)).not.toEqual([])
    expect(body).toMatch(/^ *# .*\n *concurrency:$/m)
  }
  expect(recipes.length).toBeGreaterThanOrEqual(7)
})

it.each(ownWorkflows)('%s pins other actions to commits, and may only read', (_name, { body }) => {
  const used = [...body.matchAll(/uses: (.*)/g)].map(([, action]) => action)
  expect(used).not.toEqual([])
  for (const action of used) expect(action).toMatch(/^(\.\/|[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d)/)
  expect(fields(parse(body))['permissions']).toEqual({ contents: 'read' })
})

it.each([...workflows, ...ownWorkflows])('%s is a workflow that GitHub accepts', async (_name, { body }) => {
  expect(await complaints(body)).toEqual([])
})

const secrets = { 'client-id': 'id', 'client-secret': 'secret' }

it.each(workflows)('%s gives inputs that the step accepts', (_name, { body }) => {
  for (const step of ourSteps(body)) {
    // Only the runner knows the value of an expression: the input's default stands in for it.
    const plain = Object.entries(step.with).filter(([, value]) => !value.includes('${{'))
    const hidden = Object.keys(step.with).filter((name) => step.with[name]?.includes('${{'))
    const standIns = {
      ...(hidden.includes('load-test') ? { 'load-test': 'Some test' } : {}),
      ...(hidden.includes('run-number') && step.with['mode'] === 'collect' ? { 'run-number': '42' } : {}),
    }
    const given: Record<string, string> = { ...secrets, ...standIns, ...Object.fromEntries(plain) }
    const known = actionFiles[step.action].inputs
    const inputs = readInputs(step.action, (name) => given[name] ?? known[name]?.default ?? '', {
      workspace: process.cwd(),
      env: {},
    })
    expect(Object.keys(known)).toEqual(expect.arrayContaining(Object.keys(step.with)))
    expect('gates' in inputs ? inputs.gates : []).toHaveLength(gateLines(given['gates'] ?? ''))
  }
})

function gateLines(text: string): number {
  return text.split('\n').filter((line) => line.replace(/#.*/, '').trim() !== '').length
}

it('the gates of the README are valid', () => {
  const example = blocks.find(
    ({ page, body }) => page === 'README.md' && body.startsWith('transactions errors'),
  )
  const { gates, faults } = parseGates(example?.body ?? '', checkXPath)
  expect(faults).toEqual([])
  expect(gates).toHaveLength(8)
})

it.each(markdownFiles)('what %s links to exists', (page) => {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
  const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = '']) => target)
  const missing = links.filter((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? page : path.join(path.dirname(page), file)
    if (!existsSync(target)) return true
    return anchor !== undefined && !anchors(readFileSync(target, 'utf8')).includes(anchor)
  })
  expect(missing).toEqual([])
})

/** The names that GitHub gives headings. */
function anchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n')
const ownCode = tracked.filter((file) =>
  /^(?:src|sandbox|scripts|bench|__tests__)\/(?!readme).*\.ts$|^eslint\.config\.js$/.test(file),
)
const codeNames = new Set(
  ownCode.flatMap((file) => readFileSync(file, 'utf8').match(/\b[a-z]+[A-Z]\w*/g) ?? []),
)
const scripts = fields(fields(JSON.parse(readFileSync('package.json', 'utf8')))['scripts'])
const npmScripts = Object.keys(scripts)
const isFile =
  /^[\w./-]+\.(?:ts|js|py|json|md|txt|yml)$|^(?:\.ci|\.devcontainer|\.github|__tests__|bench|docs|others|sandbox|scripts|src)(?:\/[\w.-]+)*$/

/** A file that a line names: from the root or src, in the folder of the file before it, or beside the page. */
function namedFile(name: string, folders: readonly string[]): string | undefined {
  return ['.', 'src', ...folders].map((folder) => path.join(folder, name)).find((file) => existsSync(file))
}

/** What a line gives a name that nothing has: files, functions "in" a file or in brackets after it, and commands. */
function unknownNames(line: string, page: string): string[] {
  let last: string | undefined
  return [...line.matchAll(/(\()?`([^`]+)`(?: in `([^`]+)`)?/g)].flatMap(([, bracket, name = '', where]) => {
    if (name.startsWith('npm run ')) return npmScripts.includes(name.split(' ')[2] ?? '') ? [] : [name]
    const file = isFile.test(name) ? name : where !== undefined && isFile.test(where) ? where : undefined
    const found =
      file === undefined ? last : namedFile(file, [path.dirname(last ?? page), path.dirname(page)])
    if (found === undefined) return file === undefined ? [] : [file]
    last = found
    if (file === name || !/^[a-z]+[A-Z]\w*$/.test(name)) return []
    const isThere =
      where === undefined && bracket === undefined
        ? codeNames.has(name)
        : readFileSync(found, 'utf8').includes(name)
    return isThere ? [] : [name]
  })
}

it('each command that runs some of the long tests finds them', () => {
  const asked = Object.values(scripts).flatMap(
    (script) => /test:whole -- (\S+)$/.exec(String(script))?.[1] ?? [],
  )
  expect(asked).not.toEqual([])
  for (const name of asked) {
    const jest = ['node_modules/jest/bin/jest.js', '--config', 'jest.whole.config.js', '--listTests', name]
    expect(execFileSync(process.execPath, jest, { encoding: 'utf8' })).toContain(name)
  }
})

const pagesAboutCode = markdownFiles.filter((page) =>
  /^(?:README|CONTRIBUTING|SECURITY|sandbox\/|docs\/internals\/)/.test(page),
)

it.each(pagesAboutCode)('the files, functions and commands that %s names exist', (page) => {
  const lines = readFileSync(page, 'utf8')
    .replace(/^```[\s\S]*?^```/gm, '')
    .split('\n')
  const ofTheReader = page === 'README.md' ? ['.github/workflows/load-test.yml'] : []
  expect(lines.flatMap((line) => unknownNames(line, page))).toEqual(ofTheReader)
})

const printed = JSON.parse(readFileSync('__tests__/printed.json', 'utf8')) as Record<string, string>

it('what the tables of troubleshooting and gates quote, a test made the program print', () => {
  const shown = quotes()
  expect(shown.length).toBeGreaterThan(100)
  expect(shown.filter((quote) => !patternOf(quote).test(printed[quote] ?? ''))).toEqual([])
  expect(Object.keys(printed).filter((quote) => !shown.includes(quote))).toEqual([])
  expect(patternOf('The … of (it) …: \\|').exec('x The end of (it) now: |, y')?.[0]).toBe(
    'The end of (it) now: |',
  )
})

it('the figures of a second look are those that npm run noise wrote', () => {
  const noise = readFileSync('docs/internals/noise.md', 'utf8')
  const [, alone, both, found, foundTwice, large] =
    /<!-- outliers -->[\s\S]*?\n\| 5 +\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+) +\| [\d.]+ +\| ([\d.]+)/.exec(
      noise,
    ) ?? []
  const whole = (figure = '') => Math.round(Number(figure))
  expect(readFileSync('docs/baseline.md', 'utf8')).toContain(
    `fall from ${alone} to ${both}%. But one request of twenty that is 20% slower is found in ${whole(foundTwice)} instead of ${whole(found)}% of the runs; one that is 50% slower still in ${whole(large)}%.`,
  )
})
