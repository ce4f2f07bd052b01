import { isUtf8 } from 'node:buffer'
import { heldIn } from '../text/fields.js'

/** Longest name of an entry and deepest folder that a build on Linux could still unpack. */
const longestName = 4096
const longestPart = 255
const deepest = 100

/** The fault of a name that leads nowhere else, as the start of a sentence; undefined for a good one. */
export function nameFault(name: string): string | undefined {
  if (name.includes('\\')) return 'Names with a backslash, which is a separator on some systems only'
  const parts = (name.endsWith('/') ? name.slice(0, -1) : name).split('/')
  if (parts.some((part) => part === '' || part === '.')) return 'Names with an empty or "." part'
  if (parts.length > deepest) return `Folders nested deeper than ${deepest}`
  if (Buffer.byteLength(name) > longestName || parts.some((part) => Buffer.byteLength(part) > longestPart)) {
    return `Names longer than ${longestPart} bytes in one part or ${longestName} in all`
  }
  return undefined
}

/** A name of the file system as text, or undefined when its bytes are not UTF-8. */
export function decodeName(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    : undefined
}

/**
 * A name for the top-level directory that every system and build tool accepts: the last part of an `owner/name`,
 * letters, digits, dot, dash and underscore only.
 */
export function topLevelName(wish: string): string {
  const last = wish.split(/[\\/]/).findLast((part) => part !== '') ?? ''
  const name = last
    .slice(0, 400)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 100)
    .replace(/[.-]+$/, '')
  const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
  return name === '' || reserved.test(name) ? 'load-test' : name
}

/** A link's text longer than this is not a path. */
export const longestTarget = 4096

/** Links by the parts of their names, below the folders that lead to them; nothing is below a link. */
type LinkTree = Map<string, LinkTree>

export function linkTree(names: Iterable<string>): LinkTree {
  const root: LinkTree = new Map()
  for (const name of names) {
    let at = root
    for (const part of name.split('/')) at = heldIn(at, part, (): LinkTree => new Map())
  }
  return root
}

/**
 * Why a symbolic link must not be packed or accepted; undefined for a good one. Above it are folders only, and a link
 * that it leads through is judged by itself: so it stays in the tree unless ".." leads back out of another link.
 *
 * @param name its path from the root of the tree, with `/`
 */
export function linkFault(name: string, target: string, links: LinkTree): string | undefined {
  if (/^([a-z]:)?[\\/]/i.test(target)) return 'Symbolic links with an absolute target'
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  if (target === '' || parts.length > deepest || /[\\\0]/.test(target))
    return 'Symbolic links without a usable target'
  // Not whole paths, each of which may be as long as all parts together.
  const way: (LinkTree | undefined)[] = [links]
  for (const part of [...name.split('/').slice(0, -1), ...parts]) {
    if (part !== '..') way.push(way.at(-1)?.get(part))
    else if (way.length === 1) return leaving
    else if (way.pop()?.size === 0) return 'Symbolic links with ".." after another link'
  }
  return undefined
}

/** The folder of a name; the root of the tree is the empty one. */
export function above(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')))
}

export const leaving = 'Symbolic links that leave the tree'
