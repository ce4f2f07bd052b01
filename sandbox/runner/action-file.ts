import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { systemErrorCode } from './system-error.js'

/** An action.yml that cannot be run here; the message names the file and what to change. */
export class ActionFileError extends Error {
  override name = 'ActionFileError'
}

/** The parts of an action.yml that the runner acts on. Paths are relative to the action's folder. */
export interface ActionFile {
  folder: string
  /** Their defaults, by the name as written there: texts that may contain expressions, empty if there is none. */
  inputs: ReadonlyMap<string, string>
  main: string
  post: string | undefined
  postIf: string
}

/** Files already read, by path: an unchanged file is not parsed again for each step. */
const read = new Map<string, { text: string; file: ActionFile }>()

/** @throws ActionFileError */
export async function readActionFile(folder: string): Promise<ActionFile> {
  const path = join(folder, 'action.yml')
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw error
    throw new ActionFileError(`There is no action.yml in ${folder}.`)
  })
  const known = read.get(path)
  if (known?.text === text) return known.file
  const file = actionFile(folder, path, text)
  read.set(path, { text, file })
  return file
}

function actionFile(folder: string, path: string, text: string): ActionFile {
  const document = fields(parse(text))
  const runs = fields(document['runs'])
  const main = textOf(runs['main'])
  if (runs['using'] !== 'node24' || main === '') {
    throw new ActionFileError(`${path}: only actions run here whose 'runs' has using: node24, and main.`)
  }
  const inputs = Object.entries(fields(document['inputs']))
  return {
    folder,
    inputs: new Map(inputs.map(([name, input]) => [name, textOf(fields(input)['default'])])),
    main,
    post: runs['post'] === undefined ? undefined : textOf(runs['post']),
    postIf: runs['post-if'] === undefined ? 'always()' : textOf(runs['post-if']),
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Of anything but a mapping there are none. */
function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
