/** A workflow command as a step printed it, unescaped. Property names are lower-case: they ignore case. */
export interface WorkflowCommand {
  name: string
  properties: ReadonlyMap<string, string>
  data: string
}

type Escapes = readonly (readonly [escape: string, character: string])[]

// The percent sign comes last, so that %250A ends as the text %0A and not as a line break.
const DATA: Escapes = [
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%25', '%'],
]
const PROPERTY: Escapes = [
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%3A', ':'],
  ['%2C', ','],
  ['%25', '%'],
]
const BRACKET: Escapes = [
  ['%3B', ';'],
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%5D', ']'],
  ['%25', '%'],
]

/**
 * The command in a line of output: `::name k=v,k=v::data` at its start (after optional spaces), or the older `##[name
 * k=v;k=v]data` anywhere in it. Undefined if the line has none that `known` accepts.
 */
export function parseWorkflowCommand(
  line: string,
  known: (name: string) => boolean,
): WorkflowCommand | undefined {
  return parseColons(line, known) ?? parseBrackets(line, known)
}

function parseColons(line: string, known: (name: string) => boolean): WorkflowCommand | undefined {
  const text = line.trimStart()
  if (!text.startsWith('::')) return undefined
  const end = text.indexOf('::', 2)
  if (end < 0) return undefined
  const { name, rest } = splitHead(text.slice(2, end))
  if (!known(name)) return undefined
  return {
    name,
    properties: parseProperties(rest.trim(), ',', PROPERTY),
    data: unescape(text.slice(end + 2), DATA),
  }
}

function parseBrackets(line: string, known: (name: string) => boolean): WorkflowCommand | undefined {
  const start = line.indexOf('##[')
  if (start < 0) return undefined
  const end = line.indexOf(']', start)
  if (end < 0) return undefined
  const { name, rest } = splitHead(line.slice(start + 3, end))
  if (!known(name)) return undefined
  return {
    name,
    properties: parseProperties(rest, ';', BRACKET),
    data: unescape(line.slice(end + 1), BRACKET),
  }
}

function splitHead(head: string): { name: string; rest: string } {
  const space = head.indexOf(' ')
  return space < 0 ? { name: head, rest: '' } : { name: head.slice(0, space), rest: head.slice(space + 1) }
}

function parseProperties(text: string, separator: string, escapes: Escapes): Map<string, string> {
  const properties = new Map<string, string>()
  for (const part of text.split(separator)) {
    // A pair with nothing before or after the equals sign is ignored; doubled signs count as one.
    const pair = /^=*([^=]+)=+([^=].*)$/su.exec(part)
    if (pair?.[1] !== undefined && pair[2] !== undefined) {
      properties.set(pair[1].toLowerCase(), unescape(pair[2], escapes))
    }
  }
  return properties
}

function unescape(text: string, escapes: Escapes): string {
  return escapes.reduce((unescaped, [escape, character]) => unescaped.replaceAll(escape, character), text)
}
