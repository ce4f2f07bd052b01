import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, Parser } from 'csv-parse'
import { ReportError } from '../../errors.js'
import { isFields, parsedJson, type Fields } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { beginning, joined } from '../../unpack/guard.js'
import type { FileHead, ReportPart } from '../format.js'

/** Of one row or line: what a tool writes has some hundred bytes, beside messages. */
const longestRow = 1_000_000
/** Bytes that show what a file is. */
export const headSize = 16 * 1024

/** The fields of one row by the names of the header; undefined where the table has no such column. */
export type Row = (name: string) => string | undefined

/** The first line of a text, as a row: the fields of a header have no line breaks. */
export function headerOf(head: FileHead, separator = ','): string[] {
  const [line = ''] = head.text.split(/\r?\n|\r/, 1)
  return line.split(separator).map((field) => field.trim().replace(/^"(.*)"$/, '$1'))
}

/**
 * Reads a table as it streams by. A header that comes again, as in files that were put together, is no row.
 *
 * @param begin gets the header, and says what to do with each row
 * @throws ReportError if a row has more or fewer fields than the header, or is far too long
 */
export async function readTable(
  bytes: AsyncIterable<Uint8Array>,
  separator: string,
  begin: (header: readonly string[]) => (row: Row) => void,
): Promise<void> {
  let take: ((row: Row) => void) | undefined
  let header: readonly string[] = []
  const columns = new Map<string, number>()
  let fields: readonly string[] = []
  const row: Row = (name) => {
    const at = columns.get(name)
    return at === undefined ? undefined : fields[at]
  }
  const parser = new Parser({
    bom: true,
    delimiter: separator,
    max_record_size: longestRow,
    skip_empty_lines: true,
    on_record: (record: readonly string[]) => {
      fields = record
      if (take === undefined) {
        header = record.map((name) => name.trim())
        // The first of two columns with one name.
        header.forEach((name, at) => columns.set(name, columns.get(name) ?? at))
        take = begin(header)
      } else if (record[0] !== header[0] || record.some((field, at) => field.trim() !== header[at])) take(row)
      return undefined
    },
  })
  try {
    await pipeline(Readable.from(bytes), parser.resume())
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new ReportError(whyNoTable(error), { cause: error })
  }
}

function whyNoTable(error: CsvError): string {
  const line = typeof error['lines'] === 'number' ? error['lines'] : 0
  switch (error.code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return `Line ${line} has another number of fields than the header. If the run was stopped while it wrote the file, its last line is cut: judge a run that went to its end.`
    case 'CSV_MAX_RECORD_SIZE':
      return `Line ${line} begins a row of more than ${longestRow} bytes: a quote in it is not closed, or the file is no report.`
    case 'CSV_QUOTE_NOT_CLOSED':
      return `The file ends within quotes, so it is cut. Judge a run that went to its end.`
    default:
      return `Line ${line} cannot be read as CSV (${oneLine(error.message, 120)}).`
  }
}

/**
 * Reads a file with a JSON record on each line as it streams by.
 *
 * @throws ReportError if a line is none, or far too long
 */
export async function readRecords(
  source: AsyncIterable<Uint8Array>,
  take: (record: Fields) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  let count = 0
  const line = (text: string) => {
    count++
    if (text.trim() !== '') take(recordOf(text, count))
  }
  for await (const bytes of source) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) line(text)
    if (rest.length > longestRow)
      throw new ReportError(`Line ${count + 1} has more than ${longestRow} characters.`)
  }
  line(rest + decoder.decode())
}

function recordOf(text: string, line: number): Fields {
  const value = parsedJson(text)
  if (isFields(value)) return value
  throw new ReportError(
    `Line ${line} is no JSON record. If the run was stopped while it wrote the file, its last line is cut: judge a run that went to its end.`,
  )
}

/** A whole file as text: for summaries, which are small. */
export async function textOfPart(part: ReportPart): Promise<string> {
  const portions: Uint8Array[] = []
  for await (const bytes of part.bytes()) portions.push(bytes)
  return Buffer.concat(portions)
    .toString('utf8')
    .replace(/^\ufeff/, '')
}

/** @throws ReportError */
export async function jsonOfPart(part: ReportPart): Promise<Fields> {
  const value = parsedJson(await textOfPart(part))
  if (isFields(value)) return value
  throw new ReportError(
    'It is no JSON record: it may be cut, or have been written by hand. Judge a complete one.',
  )
}

/** How a file begins, for readers that have to know, and all of it: a stream can be read only once. */
export async function begun(part: ReportPart): Promise<{ head: FileHead; bytes: AsyncIterable<Uint8Array> }> {
  const chunks = part.bytes()[Symbol.asyncIterator]()
  const head = await beginning(chunks, headSize)
  return { head: headOfBytes(part.name, head), bytes: joined(head, chunks) }
}

/** @param bytes at least as many as show what the file is */
export function headOfBytes(name: string, bytes: Buffer): FileHead {
  const text = bytes.subarray(0, headSize).toString('utf8')
  return { name, text: text.replace(/^\ufeff/, '') }
}
