import { isFields, parsedJson } from '../text/fields.js'
import type { InputReader } from './input-reader.js'

const ending = '.json'
/** A matrix has at most 256 legs. */
const mostNames = 256

/** The legs that there should be, and how each job that this one needs ended. */
export function readMergeSource(read: InputReader) {
  return { legs: readLegs(read, read.text('legs')), needs: readNeeds(read, read.text('needs')) }
}

/** The name of an outcome's artifact without the extension that a file's artifact gets. */
export function outcomeName(name: string): string {
  return name.endsWith(ending) ? name.slice(0, -ending.length) : name
}

/** One per line, or a list of JSON, which is what a matrix may be made of. */
function readLegs(read: InputReader, text: string): string[] {
  const listed: unknown = text.startsWith('[') ? parsedJson(text) : read.lines('legs')
  // No artifact may be called otherwise, and a list of YAML has dashes.
  const isName = (one: unknown): one is string => typeof one === 'string' && !/^\s*- |[":<>|*?\\/]/.test(one)
  if (!Array.isArray(listed) || !listed.every(isName)) {
    read.fault('legs is not a list of names: write one per line, or a JSON list of texts.')
    return []
  }
  const legs = new Set(listed.map((one) => one.trim()).filter((one) => one !== ''))
  if (legs.size > mostNames) read.fault(`legs names more than ${mostNames} legs, which no matrix has.`)
  return [...legs]
}

function readNeeds(read: InputReader, text: string): Record<string, string> {
  const jobs: unknown = text === '' ? {} : parsedJson(text)
  const results = isFields(jobs)
    ? Object.entries(jobs).map(([job, one]) => [job, isFields(one) ? one.result : undefined] as const)
    : [['', undefined] as const]
  if (results.some(([, result]) => typeof result !== 'string')) {
    read.fault('needs does not say how the jobs ended: write needs: ${{ toJSON(needs) }}.')
    return {}
  }
  return Object.fromEntries(results.map(([job, result]) => [job, String(result)]))
}
