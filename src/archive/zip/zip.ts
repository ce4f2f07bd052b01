import AdmZip from 'adm-zip'

/**
 * The bytes around the entries of a ZIP, made by adm-zip. The library's public interface keeps all files and the
 * whole archive in memory and deflates on one thread. So entries are deflated elsewhere, and only their headers are
 * made here, by one entry that is reused. packLocalHeader, packCentralHeader and timeval are in the library's types
 * but not in its documentation: __tests__/archive/zip-format.test.ts compares the result with the library's own
 * archive byte by byte, and fails if an update changes it.
 */
export class ZipFormat {
  readonly #entry = new AdmZip({ noSort: true }).addFile('entry', Buffer.alloc(0))

  /** `offset`: where the local header starts in the archive. Sizes in bytes, all below 4 GiB. */
  headers(entry: ZipEntryFigures): { local: Buffer; central: Buffer } {
    const { header } = this.#entry
    this.#entry.entryName = entry.name
    this.#entry.attr = (entry.mode << 16) >>> 0
    header.made = madeByUnix
    header.timeval = time
    header.method = entry.deflated ? 8 : 0
    header.crc = entry.crc
    header.size = entry.bytes
    header.compressedSize = entry.packedBytes
    header.offset = entry.offset
    return { local: this.#entry.packLocalHeader(), central: this.#entry.packCentralHeader() }
  }

  /** The record that ends the archive. */
  end(entries: number, directoryBytes: number, directoryOffset: number): Buffer {
    const record = new AdmZip({ noSort: true }).toBuffer()
    record.writeUInt16LE(entries, 8)
    record.writeUInt16LE(entries, 10)
    record.writeUInt32LE(directoryBytes, 12)
    record.writeUInt32LE(directoryOffset, 16)
    return record
  }
}

export interface ZipEntryFigures {
  name: string
  /** Unix mode with the file type: 0o100644, 0o100755 or 0o120777. */
  mode: number
  deflated: boolean
  crc: number
  bytes: number
  packedBytes: number
  offset: number
}

// Even on Windows, since modes and links are those of Unix.
const madeByUnix = 0x0314

// 1 February 1980, 00:00, in DOS form: the same on any machine. A month after the first possible date, since readers
// that apply a time zone would end up before it.
const time = 0x0041_0000
