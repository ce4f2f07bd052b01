import { ReportError } from '../errors.js'

export interface TarHeader {
  name: string
  /** The type flag, such as `0` for a file. */
  type: string
  size: number
}

/** One block of 512 bytes as POSIX lays it out; undefined for a block of zeros, the end mark. */
export function headerOf(block: Buffer): TarHeader | undefined {
  // The checksum counts its own eight bytes as blanks; old archivers summed signed bytes.
  let sum = 8 * 32
  let signed = sum
  for (let i = 0; i < 512; i++) {
    if (i >= 148 && i < 156) continue
    const byte = block[i] ?? 0
    sum += byte
    signed += byte < 128 ? byte : byte - 256
  }
  const stored = block.subarray(148, 156)
  if (sum === 8 * 32 && stored.every((byte) => byte === 0)) return undefined
  const checksum = octal(stored)
  if (checksum !== sum && checksum !== signed) throw damaged('a header has a wrong checksum')

  const name = text(block, 0, 100)
  // Only POSIX has the second half of a long name here; GNU keeps times in the same place.
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? text(block, 345, 155) : ''
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    type: String.fromCharCode(block[156] ?? 0),
    size: number(block.subarray(124, 136)),
  }
}

/** Takes name and size out of pax records, each `LENGTH KEY=VALUE\n` with the length of the whole record. */
export function applyPax(bytes: Buffer, header: Partial<TarHeader>): void {
  for (let at = 0; at < bytes.length;) {
    const digits = /^[1-9]\d{0,8} /.exec(bytes.toString('latin1', at, at + 10))?.[0]
    if (digits === undefined) throw damaged('a pax record has no length')
    const end = at + Number(digits)
    const record = bytes.toString('utf8', at + digits.length, end)
    if (end > bytes.length || !record.endsWith('\n')) throw damaged('a pax record is cut short')
    const equals = record.indexOf('=')
    if (equals < 1) throw damaged('a pax record has no key')
    const key = record.slice(0, equals)
    const value = record.slice(equals + 1, -1)
    if (key === 'path') header.name = value
    if (key === 'size') {
      if (!/^\d{1,15}$/.test(value)) throw damaged('a pax record has a size that is no number')
      header.size = Number(value)
    }
    if (key.startsWith('GNU.sparse.'))
      throw new ReportError('The report archive is refused: its tar holds a sparse file.')
    at = end
  }
}

function text(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? length : end)
}

function number(field: Buffer): number {
  const first = field[0] ?? 0
  if ((first & 0x80) === 0) return octal(field)
  // Sizes of 8 GiB and more: the first bit set, then a big-endian number.
  let value = first & 0x7f
  for (const byte of field.subarray(1)) value = value * 256 + byte
  if (!Number.isSafeInteger(value)) throw damaged('a size is out of range')
  return value
}

function octal(field: Buffer): number {
  const digits = /^[ \0]*([0-7]*)[ \0]*$/.exec(field.toString('latin1'))?.[1]
  if (digits === undefined) throw damaged('a number is not octal')
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

function damaged(what: string): ReportError {
  return new ReportError(`The report archive is damaged: in its tar, ${what}. Download it again.`)
}
