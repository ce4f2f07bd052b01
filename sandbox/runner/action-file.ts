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
  const fault = (sentence: string): ActionFileError => new ActionFileError(`${path}: ${sentence}`)
  let document: unknown
  try {
    document = parse(text)
  } catch (error) {
    throw fault(`this is not YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!isMapping(document)) throw fault('an action file is a mapping with name, inputs and runs.')
  const runs = document['runs']
  if (!isMapping(runs)) throw fault("'runs' is missing.")
  const using = runs['using']
  if (using !== 'node24') {
    throw fault(`'runs.using' is '${String(using)}', but only node24 actions run here.`)
  }
  const script = (key: string): string | undefined => {
    const value = runs[key]
    if (value === undefined) return undefined
    if (typeof value !== 'string' || value === '')
      throw fault(`'runs.${key}' must be a text that is not empty.`)
    return value
  }
  const main = script('main')
  if (main === undefined) throw fault("'runs.main' is missing.")
  return {
    folder,
    inputs: inputsOf(document['inputs'], fault),
    main,
    post: script('post'),
    postIf: script('post-if') ?? 'always()',
  }
}

function inputsOf(value: unknown, fault: (sentence: string) => ActionFileError): ActionFile['inputs'] {
  if (value === undefined || value === null) return new Map()
  if (!isMapping(value)) throw fault("'inputs' must be a mapping.")
  return new Map(
    Object.entries(value).map(([name, input]) => {
      const fields = isMapping(input) ? input : {}
      const preset = scalarText(fields['default'])
      if (preset === undefined) throw fault(`the default of '${name}' must be a scalar.`)
      return [name, preset]
    }),
  )
}

function scalarText(value: unknown): string | undefined {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
