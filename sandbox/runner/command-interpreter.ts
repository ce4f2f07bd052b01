import { sep } from 'node:path'
import type { SecretMasker } from './secret-masker.js'
import type { StepEffects } from './step-files.js'
import type { Annotation, StepLog } from './step-log.js'

export interface CommandSurroundings {
  log: StepLog
  masker: SecretMasker
  effects: StepEffects
  workspace: string
}

/**
 * Takes one line of stdout or stderr, without its line break, and executes the workflow command in it, `::name
 * k=v,k=v::data`, if it is one that actions of today write. Everything else is logged as it is.
 */
export function takeLine(line: string, around: CommandSurroundings): void {
  const { log, masker, effects, workspace } = around
  const [, name = '', given = '', escaped = ''] = /^\s*::([\w-]+)(?: (.*?))?::(.*)$/.exec(line) ?? []
  const data = unescape(escaped)
  const kind = name.toLowerCase()
  if (kind === 'error' || kind === 'warning' || kind === 'notice') {
    log.annotate({ kind, message: data, ...annotated(given, workspace) })
  } else if (kind === 'add-mask' && data.trim() === '') {
    log.warning("Can't add secret mask for empty string.")
  } else if (kind === 'add-mask') {
    masker.addWithLines(data)
    effects.masks.push(data)
  } else if (kind === 'debug') log.debug(data)
  else if (kind === 'group') log.write(`##[group]${data}`)
  else if (kind === 'endgroup') log.write('##[endgroup]')
  else log.write(line)
}

/** The title and the place in the properties of a command; property names ignore case. */
function annotated(given: string, workspace: string): Omit<Annotation, 'kind' | 'message'> {
  const properties = new Map(
    given.split(',').flatMap((pair) => {
      const [, key, value] = /^\s*([^=]+)=(.+)$/s.exec(pair) ?? []
      if (key === undefined || value === undefined) return []
      const text = unescape(value.replaceAll('%3A', ':').replaceAll('%2C', ','))
      return [[key.toLowerCase(), text] as const]
    }),
  )
  const [title, file, line] = ['title', 'file', 'line'].map((name) => properties.get(name))
  const folder = workspace + sep
  return {
    ...(title === undefined ? {} : { title }),
    ...(file === undefined ? {} : { file: file.startsWith(folder) ? file.slice(folder.length) : file }),
    ...(line === undefined ? {} : { line: Number(line) }),
  }
}

// The percent sign comes last, so that %250A ends as the text %0A and not as a line break.
function unescape(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
}
