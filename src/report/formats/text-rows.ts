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

/** A file that is being read: how it begins, and all of it, since a stream can be read only once. */
export interface OpenPart {
  head: FileHead
  bytes: AsyncIterable<Uint8Array>
}

/** Opens a file for a reader that has to know how it begins, and closes it also where that stops before its end. */
export async function opened<T>(part: ReportPart, read: (file: OpenPart) => Promise<T>): Promise<T> {
  const chunks = part.bytes()[Symbol.asyncIterator]()
  try {
    const head = await beginning(chunks, headSize)
    return await read({ head: headOfBytes(part.name, head), bytes: joined(head, chunks) })
  } finally {
    await chunks.return?.()
  }
}

/** @param bytes at least as many as show what the file is */
export function headOfBytes(name: string, bytes: Buffer): FileHead {
  const text = bytes.subarray(0, headSize).toString('utf8')
  return { name, text: text.replace(/^\ufeff/, '') }
}

/** The fields of one row by the names of the header; undefined where the table has no such column. */
export type Row = (name: string) => string | undefined

/** Columns in which a comma is no decimal one. */
const texts = /name|label|group|url|check|error|message|tags/i

/** The first line of a table that is not empty, as a row: the fields of a header have no line breaks. */
export function headerOf(head: FileHead): string[] {
  const fields = firstLine(head).split(separatorOf(head))
  return fields.map((field) => field.trim().replace(/^"(.*)"$/, '$1'))
}

function firstLine({ text }: FileHead): string {
  return /[^\r\n]+/.exec(text)?.[0] ?? ''
}

/** The first sign of a header that the names of no tool's columns have. */
function separatorOf(head: FileHead): string {
  const line = firstLine(head)
  return /[^\w"#%./ -]/.exec(line)?.[0] ?? (line.includes(' ') ? ' ' : ',')
}

/**
 * Reads a table as it streams by. A header that comes again, as in files that were put together, is no row. Where commas
 * separate no fields, they are decimal.
 *
 * @param take gets each row, and the header
 * @throws ReportError if a row has more or fewer fields than the header, or is far too long
 */
export async function readTable(
  { head, bytes }: OpenPart,
  take: (row: Row, header: readonly string[]) => void,
): Promise<void> {
  let header: readonly string[] = []
  const columns = new Map<string, number>()
  let fields: readonly string[] = []
  const delimiter = separatorOf(head)
  const row: Row = (name) => {
    const at = columns.get(name)
    const field = at === undefined ? undefined : fields[at]
    return delimiter === ',' || texts.test(name) ? field : field?.replace(/^(-?\d+),(\d+)$/, '$1.$2')
  }
  const parser = new Parser({
    bom: true,
    delimiter,
    max_record_size: longestRow,
    record_delimiter: head.text.includes('\r') ? ['\n', '\r\n', '\r'] : ['\n'],
    skip_empty_lines: true,
    on_record: (record: readonly string[]) => {
      fields = record
      if (header.length === 0) {
        header = record.map((name) => name.trim())
        // The first of two columns with one name.
        header.forEach((name, at) => columns.set(name, columns.get(name) ?? at))
      } else if (record[0] !== header[0] || record.some((field, at) => field.trim() !== header[at]))
        take(row, header)
      return undefined
    },
  })
  try {
    await pipeline(Readable.from(bytes), parser.resume())
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new ReportError(whyNoTable(error, oneLine(head.name, 120)), { cause: error })
  }
}

function whyNoTable(error: CsvError, file: string): string {
  const line = `Line ${typeof error['lines'] === 'number' ? error['lines'] : 0} of ${file}`
  if (error.code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH')
    return `${line} has another number of fields than the header. If the run was stopped while it wrote the file, its last line is cut: judge a run that went to its end.`
  return error.code === 'CSV_MAX_RECORD_SIZE'
    ? `${line} begins a row of more than ${longestRow} bytes: a quote in it is not closed, or the file is no report.`
    : `${line} has a quote in the middle of a field, or it is never closed, as in a file that is cut. Judge the file as the tool wrote it, of a run that went to its end.`
}

/**
 * Reads a file with a JSON record on each line as it streams by.
 *
 * @throws ReportError if a line is none, or far too long
 */
export async function readRecords({ head, bytes }: OpenPart, take: (record: Fields) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  let count = 0
  const where = () => `Line ${count} of ${oneLine(head.name, 120)}`
  const line = (text: string) => {
    count++
    if (text.trim() === '') return
    const value = parsedJson(text)
    if (!isFields(value)) {
      throw new ReportError(
        `${where()} is no JSON record. If the run was stopped while it wrote the file, its last line is cut: judge a run that went to its end.`,
      )
    }
    take(value)
  }
  for await (const portion of bytes) {
    const lines = (rest + decoder.decode(portion, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) line(text)
    if (rest.length > longestRow)
      throw new ReportError(`${where()} is followed by one of more than ${longestRow} characters.`)
  }
  line(rest + decoder.decode())
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

const date = /^(\d{4})[/-](\d{2})[/-](\d{2})[ T](\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?)(Z|[+-]\d{2}:?\d{2})?$/

/**
 * Milliseconds since 1970 of a date, or of seconds or smaller units, by their size.
 *
 * @returns NaN if it is none; a date without a zone is not dated: only its differences to others mean something
 */
export function momentOf(text: string): { time: number; isDated: boolean } {
  // A spreadsheet has rounded 1.79558E+12.
  const number = text.includes('E') ? Number.NaN : Number(text)
  const instant = number * (number < 1e11 ? 1000 : number < 1e14 ? 1 : number < 1e17 ? 1e-3 : 1e-6)
  // Of this century: 20261127114732 is a date without signs.
  if (instant >= 1e12 && instant < 4e12) return { time: instant, isDated: true }
  const [, year, month, day, clock = '', zone] = date.exec(text) ?? []
  const time = Date.parse(`${year}-${month}-${day}T${clock.replace(',', '.')}${zone ?? 'Z'}`)
  return { time, isDated: zone !== undefined }
}
