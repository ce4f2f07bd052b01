import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { format, resolveConfig } from 'prettier'
import { parse } from 'yaml'
import { assumptions } from '../sandbox/service/assumptions.js'
import { manual, sources, type Assumption } from '../sandbox/service/assumptions/assumption.js'
import { ownActions, type OwnAction } from '../src/outcome/outcome.js'

/**
 * Writes the tables of inputs and outputs into docs/reference.md, and that of the usual inputs into README.md, from the
 * action.yml of each action; and that of the assumptions into docs/internals/service.md, from the sandbox.
 */

/** The part of an action.yml that users see. */
export interface ActionFile {
  description: string
  /** Titles with the names of their inputs: each comment among the inputs begins a group. */
  groups: { title: string; names: string[] }[]
  inputs: Record<string, Input>
  outputs: Record<string, { description: string }>
}

interface Input {
  description: string
  required?: boolean
  default?: string
}

/** The action at the root, and those in folders, by their names. */
export interface Actions {
  root: ActionFile
  own: Readonly<Record<OwnAction, ActionFile>>
}

/** The actions of this repository. */
export function readActions(): Actions {
  const read = (name: string) =>
    readActionFile(readFileSync(new URL(`../${name}/action.yml`, import.meta.url), 'utf8'))
  return { root: read('.'), own: { judge: read('judge'), merge: read('merge'), history: read('history') } }
}

/** @param text the content of action.yml */
export function readActionFile(text: string): ActionFile {
  const file = parse(text) as Omit<ActionFile, 'groups'>
  return { ...file, groups: groupsOf(text) }
}

function groupsOf(text: string): ActionFile['groups'] {
  const groups: ActionFile['groups'] = []
  const [, inputs = ''] = /^inputs:\n((?: .*\n)*)/m.exec(text) ?? []
  for (const [, title, name] of inputs.matchAll(/^ {2}(?:# (.+)|([\w-]+):)$/gm)) {
    if (title !== undefined) groups.push({ title, names: [] })
    const group = groups.at(-1)
    if (!group)
      throw new Error('The inputs of action.yml do not begin with the comment that titles their group.')
    if (name !== undefined) group.names.push(name)
  }
  return groups
}

/** The inputs that most workflows use; the five that connect to the service are in the example. */
export const usualInputs = [
  ...['load-test', 'mode', 'source', 'properties', 'run-page', 'timeout'],
  ...['gates', 'baseline', 'accept', 'fail-on', 'comment'],
]

/**
 * @param readme the content of README.md, with a pair of markers for the table
 * @returns the same with a new table of their first sentences, formatted like the rest of the project
 */
export async function withUsualInputs(readme: string, { root }: Actions): Promise<string> {
  const firstSentence = (input: Input): Input => ({
    ...input,
    description: input.description.replace(/(?<=\.) [A-Z].*$/, ''),
  })
  const inputs = Object.entries(root.inputs).map(([name, input]) => [name, firstSentence(input)] as const)
  const short = { ...root, inputs: Object.fromEntries(inputs) }
  return formatted(between(readme, 'inputs', inputTable(usualInputs, short)))
}

/**
 * @param page the content of docs/reference.md, with a pair of markers for the tables
 * @returns the same with new tables
 */
export async function withReference(page: string, { root, own }: Actions): Promise<string> {
  const sections = [
    section('Load test', repository, root),
    ...ownActions.map((name) => section(name, `${repository}/${name}`, own[name], root)),
  ]
  return formatted(between(page, 'actions', sections.join('\n\n')))
}

const repository = 'load-test-action/load-test-action'

/** All about an action: its inputs by group, and its outputs; only the names of those that are as in the action above. */
function section(title: string, uses: string, action: ActionFile, above?: ActionFile): string {
  const part = (
    heading: string,
    all: readonly string[],
    kind: 'inputs' | 'outputs',
    tableOf: typeof inputTable,
  ) => {
    const isAbove = (name: string) => isDeepStrictEqual(action[kind][name], above?.[kind][name])
    const own = all.filter((name) => !isAbove(name))
    const same = all.filter(isAbove).map(code).join(', ')
    return [
      `**${heading}**`,
      ...(own.length > 0 ? [tableOf(own, action)] : []),
      ...(same ? [`As [above](#load-test): ${same}.`] : []),
    ]
  }
  return [
    `## ${title}`,
    `${action.description}: ${code(`uses: ${uses}@v1`)}`,
    ...action.groups.flatMap(({ title: heading, names }) => part(heading, names, 'inputs', inputTable)),
    ...part('Outputs', Object.keys(action.outputs), 'outputs', (names, { outputs }) =>
      table(
        ['output', 'content'],
        names.map((name) => [code(name), cell(outputs[name]?.description ?? '')]),
      ),
    ),
  ].join('\n\n')
}

function inputTable(names: readonly string[], { inputs }: ActionFile): string {
  return table(
    ['input', 'meaning', 'default'],
    names.map((name) => inputRow(name, inputs[name])),
  )
}

/**
 * @param page the content of docs/internals/service.md, with a pair of markers for the table
 * @returns the same with a new table
 */
export async function withAssumptions(page: string, all: readonly Assumption[]): Promise<string> {
  const head = ['topic', 'assumed', 'source', 'if that is wrong']
  const rows = all.map(({ topic, assumed, source, ifWrong }) => [topic, assumed, source, ifWrong])
  const addresses = Object.entries(sources).map(
    ([key, { path, as }]) => `[${key}]: ${manual}/${path}/ '${as}'`,
  )
  const content = [table(head, rows), addresses.join('\n')]
  return formatted(between(page, 'assumptions', content.join('\n\n')))
}

/** A page, formatted like the rest of the project. */
export async function formatted(text: string): Promise<string> {
  const config = await resolveConfig(fileURLToPath(new URL('../README.md', import.meta.url)))
  return format(text, { ...config, parser: 'markdown' })
}

function inputRow(name: string, input: Input | undefined): string[] {
  if (!input) throw new Error(`action.yml has no input ${name}`)
  const value = input.required ? 'required' : input.default ? code(input.default) : 'empty'
  return [code(name), cell(input.description), value]
}

/** The page with this content between its markers of that name. */
export function between(text: string, name: string, content: string): string {
  const begin = `<!-- ${name} -->`
  const end = `<!-- end of ${name} -->`
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The page has no markers ${begin} and ${end}`)
  return `${text.slice(0, from)}${begin}\n\n${content}\n\n${text.slice(to)}`
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}

/** Text of action.yml for Markdown, so that nothing in it acts as markup. */
function cell(text: string): string {
  return text.replace(/[\\`*_<>|[\]]/g, '\\$&').replace(/\s+/g, ' ')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const actions = readActions()
  const pages: Readonly<Record<string, (page: string) => Promise<string>>> = {
    'README.md': (page) => withUsualInputs(page, actions),
    'docs/reference.md': (page) => withReference(page, actions),
    'docs/internals/service.md': (page) => withAssumptions(page, assumptions),
  }
  for (const [name, fresh] of Object.entries(pages)) {
    const file = new URL(`../${name}`, import.meta.url)
    await writeFile(file, await fresh(await readFile(file, 'utf8')))
    console.log(`Wrote the tables of ${name}.`)
  }
}
