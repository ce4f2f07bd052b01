import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { parse } from 'yaml'

/**
 * Writes the tables of inputs and outputs into README.md, from action.yml. With --check it writes nothing and exits
 * 1 where README.md is stale.
 */

/** The part of action.yml that users see. */
export interface ActionFile {
  inputs: Record<string, { description: string; required?: boolean; default?: string }>
  outputs: Record<string, { description: string }>
}

/** @param text the content of action.yml */
export function readActionFile(text: string): ActionFile {
  const file: unknown = parse(text)
  if (!isActionFile(file)) throw new Error('action.yml has no inputs and outputs with descriptions')
  return file
}

/**
 * @param readme the content of README.md, with a pair of markers for each table
 * @returns the same with fresh tables, formatted as the rest of the project
 */
export async function withTables(readme: string, action: ActionFile): Promise<string> {
  const inputs = Object.entries(action.inputs).map(([name, input]) => [
    code(name),
    cell(input.description),
    input.required ? 'required' : input.default ? code(input.default) : 'empty',
  ])
  const outputs = Object.entries(action.outputs).map(([name, { description }]) => [
    code(name),
    cell(description),
  ])
  const filled = between(
    between(readme, 'inputs', table(['input', 'meaning', 'default'], inputs)),
    'outputs',
    table(['output', 'content'], outputs),
  )
  const config = await resolveConfig(fileURLToPath(new URL('../README.md', import.meta.url)))
  return format(filled, { ...config, parser: 'markdown' })
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

/** Text of action.yml as Markdown shows it: nothing in it is markup. */
function cell(text: string): string {
  return text.replace(/[\\`*_<>|[\]]/g, '\\$&').replace(/\s+/g, ' ')
}

function isActionFile(value: unknown): value is ActionFile {
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
    console.log('The tables of README.md are fresh.')
    return 0
  }
  if (check) {
    console.error(
      'The tables of README.md are not those of action.yml: run npm run docs and commit README.md.',
    )
    return 1
  }
  await writeFile(path, fresh)
  console.log('Wrote the tables of inputs and outputs into README.md.')
  return 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.includes('--check'))
}
