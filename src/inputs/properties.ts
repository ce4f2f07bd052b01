import { oneLine } from '../text/foreign-text.js'
import type { InputReader } from './input-reader.js'

/** Settings of the test suite that this step adds. */
export interface SuiteProperties {
  /** In the packed folder, with `/`. */
  file: string
  /** Each key once. */
  entries: (readonly [key: string, value: string])[]
}

/** The engine reads it in every test suite. */
const file = 'config/project.properties'

/** @param unpacked why nothing is packed that they could be appended to, as the end of a sentence */
export function readProperties(
  read: InputReader,
  unpacked: string | undefined,
): { properties?: SuiteProperties } {
  const text = read.raw('properties')
  if (text.trim() === '') return {}
  if (unpacked !== undefined) read.fault(`properties has no effect ${unpacked}: remove one of them.`)
  return { properties: { file, entries: readEntries(read, text) } }
}

/** `key = value` on each line; blank lines and those that begin with # are skipped. */
function readEntries(read: InputReader, text: string): SuiteProperties['entries'] {
  const entries = new Map<string, string>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const written = line.trim()
    if (written === '' || written.startsWith('#')) continue
    const at = written.indexOf('=')
    const key = written.slice(0, Math.max(at, 0)).trim()
    if (key === '') read.fault(`properties, line ${index + 1}: write it as key = value.`)
    else if (written.includes('\r'))
      read.fault(`properties, line ${index + 1}: a value is one line. Remove the line break in it.`)
    else if (entries.has(key))
      read.fault(`properties, line ${index + 1}: ${oneLine(key, 60)} is set twice. Remove one of the lines.`)
    else entries.set(key, written.slice(at + 1).trim())
  }
  return [...entries]
}
