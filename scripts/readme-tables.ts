import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { parse } from 'yaml'

/**
 * Writes the tables of inputs and outputs into README.md, from action.yml. With --check it writes nothing and exits
 * with 1 if README.md is stale.
 */

/** The part of action.yml that users see. */
export interface ActionFile {
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

/** @param text the content of action.yml */
export function readActionFile(text: string): ActionFile {
  const file: unknown = parse(text)
  if (!isDescribed(file)) throw new Error('action.yml has no inputs and outputs with descriptions')
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

/**
 * @param readme the content of README.md, with a pair of markers for each table
 * @returns the same with new tables, formatted like the rest of the project
 */
export async function withTables(readme: string, action: ActionFile): Promise<string> {
  const inputs = action.groups.map(({ title, names }) => {
    const rows = names.map((name) => inputRow(name, action.inputs[name]))
    return `**${title}**\n\n${table(['input', 'meaning', 'default'], rows)}`
  })
  const outputs = Object.entries(action.outputs).map(([name, { description }]) => [
    code(name),
    cell(description),
  ])
  const filled = between(
    between(readme, 'inputs', inputs.join('\n\n')),
    'outputs',
    table(['output', 'content'], outputs),
  )
  const config = await resolveConfig(fileURLToPath(new URL('../README.md', import.meta.url)))
  return format(filled, { ...config, parser: 'markdown' })
}

function inputRow(name: string, input: Input | undefined): string[] {
  if (!input) throw new Error(`action.yml has no input ${name}`)
  const value = input.required ? 'required' : input.default ? code(input.default) : 'empty'
  return [code(name), cell(input.description), value]
}

function between(text: string, name: string, content: string): string {
  const begin = `<!-- ${name} -->`
  const end = `<!-- end of ${name} -->`
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`README.md has no markers ${begin} and ${end}`)
  return `${text.slice(0, from)}${begin}\n\n${content}\n\n${text.slice(to)}`
}

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}

/** Text of action.yml for Markdown, so that nothing in it acts as markup. */
function cell(text: string): string {
  return text.replace(/[\\`*_<>|[\]]/g, '\\$&').replace(/\s+/g, ' ')
}

function isDescribed(value: unknown): value is Omit<ActionFile, 'groups'> {
  return isFields(value) && areDescribed(value.inputs) && areDescribed(value.outputs)
}

function areDescribed(value: unknown): boolean {
  return (
    isFields(value) &&
    Object.values(value).every((entry) => isFields(entry) && typeof entry.description === 'string')
  )
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

async function main(check: boolean): Promise<number> {
  const path = fileURLToPath(new URL('../README.md', import.meta.url))
  const readme = await readFile(path, 'utf8')
  const action = readActionFile(await readFile(new URL('../action.yml', import.meta.url), 'utf8'))
  const fresh = await withTables(readme, action)
  if (fresh === readme) {
    console.log('The tables of README.md are up to date.')
    return 0
  }
  if (check) {
    console.error('The tables of README.md differ from action.yml: run npm run docs and commit README.md.')
    return 1
  }
  await writeFile(path, fresh)
  console.log('Wrote the tables of inputs and outputs into README.md.')
  return 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.includes('--check'))
}
