import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { checkCodeArchive, type CodeArchive } from './code-archive.js'
import { badRequest, Failure } from './failure.js'
import type { Platform } from './platform.js'
import type { Project } from './world.js'

/** A fault in the middle of an upload: what to do after this many bytes. */
export interface Break {
  bytes: number
  breakOff: () => void
}

/**
 * Takes a code archive: streams it to disk, verifies its digest, opens and checks it.
 *
 * @param digest the header Content-Digest (RFC 9530), if it was sent
 * @throws Failure 400 or 413
 */
export async function takeArchive(
  platform: Platform,
  project: Project,
  body: Readable,
  { digest, length, broken }: { digest?: string | undefined; length: number; broken: Break | undefined },
): Promise<CodeArchive> {
  const { archiveLimit, digestVerified } = platform.settings
  platform.checkRoom(project)
  if (length > archiveLimit) throw tooLarge(archiveLimit)
  const expected = digestVerified ? readDigest(digest) : undefined
  const file = platform.newFile('archive.zip')
  try {
    const { size, sha512 } = await receive(body, file, archiveLimit, broken)
    if (size === 0) throw badRequest('The request has no body. Send the ZIP file as it is.')
    if (expected && !expected.equals(sha512)) {
      throw badRequest('The code archive does not match its Content-Digest. Send it again.')
    }
    const { topLevel } = await checkCodeArchive(file, platform.settings)
    return platform.accept(project, {
      file,
      fileName: `${topLevel}.zip`,
      size,
      sha512: sha512.toString('hex'),
    })
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

async function receive(
  body: Readable,
  file: string,
  limit: number,
  broken: Break | undefined,
): Promise<{ size: number; sha512: Buffer }> {
  const hash = createHash('sha512')
  const target = await open(file, 'wx')
  let size = 0
  try {
    // The connection outlives a refusal, so that the answer can be sent.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      const bytes = Buffer.from(chunk)
      size += bytes.length
      if (broken && size >= broken.bytes) broken.breakOff()
      if (size > limit) throw tooLarge(limit)
      hash.update(bytes)
      await target.writeFile(bytes)
    }
  } catch (error) {
    body.resume()
    throw error
  } finally {
    await target.close()
  }
  return { size, sha512: hash.digest() }
}

function tooLarge(limit: number): Failure {
  const megabytes = Math.round((limit / 1024 / 1024) * 10) / 10
  return new Failure(413, 'TOO_LARGE', `A code archive may have at most ${megabytes} MB (${limit} bytes).`)
}

/** `sha-512=:<base64>:`; other algorithms are ignored. */
function readDigest(header: string | undefined): Buffer | undefined {
  if (header === undefined) return undefined
  const members = header.split(',').map((member) => member.trim())
  const base64 = members.map((member) => /^sha-512=:([A-Za-z0-9+/]{86}==):$/.exec(member)?.[1]).find(Boolean)
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  throw badRequest('The header Content-Digest must be sha-512=:<base64>:.')
}
