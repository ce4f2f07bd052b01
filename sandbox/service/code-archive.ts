import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import yauzl from 'yauzl'
import { badRequest, Failure } from './failure.js'
import type { OpenQuestions } from './assumptions.js'

/** An uploaded test suite. */
export interface CodeArchive {
  /** Unique in the organization. */
  id: string
  project: string
  fileName: string
  /** Bytes. */
  size: number
  /** Hexadecimal. */
  sha512: string
  /** Milliseconds since 1970. */
  uploadedAt: number
  /** Path of its bytes until it is deleted or the service closes. */
  file: string
  /** Uploaded by another job, because of a fault. */
  foreign: boolean
}

const buildFile = /^(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts|\.dcl)?)$/
/** Above this many inflated bytes an archive counts as a bomb. */
const inflatedLimit = 4 * 1024 ** 3

/** What the interface leaves open about code archives. */
export type ArchiveRules = Pick<OpenQuestions, 'besideRefused' | 'buildFileAt'>

/**
 * Opens an archive, reads every byte of it and checks it by the rules of interface section 2: a ZIP, exactly one
 * top-level directory, a Maven or Gradle build in it.
 *
 * @returns that directory
 * @throws Failure 400 with the mistake
 */
export async function checkCodeArchive(file: string, rules: ArchiveRules): Promise<string> {
  const zip = await yauzl.openPromise(file, { strictFileNames: true }).catch((cause: unknown) => {
    throw badRequest(`The code archive is not a readable ZIP file: ${reason(cause)}.`)
  })
  const seen: Seen = { directories: new Set(), strays: new Set(), names: new Set(), inflated: 0 }
  try {
    for await (const entry of zip.eachEntry()) await read(zip, entry, seen)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw badRequest(`The code archive is damaged: ${reason(cause)}.`)
  } finally {
    zip.close()
  }
  return judge(seen, rules)
}

interface Seen {
  directories: Set<string>
  strays: Set<string>
  names: Set<string>
  inflated: number
}

async function read(zip: yauzl.ZipFile, entry: yauzl.Entry, seen: Seen): Promise<void> {
  const name = entry.fileName
  if (entry.isEncrypted()) throw badRequest(`The code archive contains an encrypted entry: ${name}.`)
  if (seen.names.has(name)) throw badRequest(`The code archive contains the same name twice: ${name}.`)
  seen.names.add(name)
  const [top = '', ...rest] = name.split('/')
  if (rest.length === 0) seen.strays.add(top)
  else seen.directories.add(top)
  if (name.endsWith('/')) return
  seen.inflated += entry.uncompressedSize
  if (seen.inflated > inflatedLimit) throw badRequest('The code archive inflates to more than 4 GB.')
  let sum = 0
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum)
      done()
    },
  })
  await pipeline(await zip.openReadStreamPromise(entry), sink)
  if (sum !== entry.crc32) throw new Error(`wrong checksum of ${name}`)
}

function judge({ directories, strays, names }: Seen, rules: ArchiveRules): string {
  const tops = [...directories].map((name) => `${name}/`).concat(rules.besideRefused ? [...strays] : [])
  const [topLevel] = directories
  if (topLevel === undefined || tops.length !== 1) {
    const found = tops.length === 0 ? 'nothing' : tops.slice(0, 10).join(', ')
    throw badRequest(`The code archive must have exactly one top-level directory, but has ${found}.`)
  }
  const isBuildFile = (name: string) => {
    const [top, ...inside] = name.split('/')
    const isThere = top === topLevel && (inside.length === 1 || rules.buildFileAt === 'anywhere')
    return isThere && buildFile.test(inside.at(-1) ?? '')
  }
  if (![...names].some(isBuildFile)) {
    throw badRequest(`The code archive contains no Maven or Gradle build file in ${topLevel}/.`)
  }
  return topLevel
}

function reason(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.+$/, '')
}
