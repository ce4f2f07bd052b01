import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import AdmZip from 'adm-zip'
import { pack, type Header } from 'tar-stream'

type TarHead = Partial<Header> & { name: string; pax?: Record<string, string> }

export type Entries = readonly (readonly [name: string | TarHead, content: string | Buffer])[]

export async function tarOf(entries: Entries): Promise<Buffer> {
  const tar = pack()
  for (const [head, content] of entries) {
    tar.entry(typeof head === 'string' ? { name: head } : head, content)
  }
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export async function tarGzOf(entries: Entries): Promise<Buffer> {
  return gzipSync(await tarOf(entries))
}

/** A ZIP written by adm-zip, which is independent of the tested reader. */
export function zipOf(entries: Entries): Buffer {
  const zip = new AdmZip()
  for (const [name, content] of entries)
    zip.addFile(typeof name === 'string' ? name : name.name, Buffer.from(content))
  return zip.toBuffer()
}

/** A ZIP made entry by entry, for names and headers that no ZIP writer produces. */
export function rawZipOf(entries: readonly RawZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const { name, content, mode = 0o100644, flags = 0x800, declaredSize, offsetShift = 0 } of entries) {
    const data = deflateRawSync(content)
    const local = Buffer.alloc(30 + Buffer.byteLength(name))
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(flags, 6)
    local.writeUInt16LE(8, 8)
    local.writeUInt32LE(crc32(content), 14)
    local.writeUInt32LE(data.length, 18)
    local.writeUInt32LE(content.length, 22)
    local.writeUInt16LE(Buffer.byteLength(name), 26)
    local.write(name, 30)
    const central = Buffer.alloc(46 + Buffer.byteLength(name))
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(0x0314, 4)
    central.writeUInt16LE(flags, 8)
    central.writeUInt16LE(8, 10)
    central.writeUInt32LE(crc32(content), 16)
    central.writeUInt32LE(data.length, 20)
    central.writeUInt32LE(declaredSize ?? content.length, 24)
    central.writeUInt16LE(Buffer.byteLength(name), 28)
    central.writeUInt32LE((mode << 16) >>> 0, 38)
    central.writeUInt32LE(offset + offsetShift, 42)
    central.write(name, 46)
    locals.push(local, data)
    centrals.push(central)
    offset += local.length + data.length
  }
  const directory = Buffer.concat(centrals)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

export interface RawZipEntry {
  name: string
  content: Buffer
  mode?: number
  flags?: number
  declaredSize?: number
  offsetShift?: number
}

/** The bytes in portions of `size`, like a download. */
export async function* portions(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve()
    yield bytes.subarray(at, at + size)
  }
}
