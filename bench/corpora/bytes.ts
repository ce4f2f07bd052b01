import { seededRandom } from '../../sandbox/report/random.js'

/** Blocks that content is cut from: each is longer than deflate's window. */
export interface Blocks {
  /** Words that deflate compresses to about a quarter, like source code and pages. */
  text: Buffer
  /** Like pictures, which do not compress. */
  noise: Buffer
}

const blockBytes = 4 << 20

export function seededBlocks(seed: number): Blocks {
  const random = seededRandom(seed, 'blocks')
  const words = Array.from({ length: 3000 }, () => {
    const letters = Array.from({ length: random.between(2, 11) }, () =>
      String.fromCharCode(random.between(97, 122)),
    )
    return letters.join('')
  })
  const marks = [' ', ' ', ' ', ' ', '.', '(', ')', ' = ', ';\n  ', ',\n    ']
  const pieces: string[] = []
  for (let length = 0; length < blockBytes;) {
    // Squared: some words are far more frequent than others.
    const word = words[Math.floor(random.next() ** 2 * words.length)] ?? ''
    const piece = word + (marks[random.between(0, marks.length - 1)] ?? ' ')
    pieces.push(piece)
    length += piece.length
  }
  const noise = Buffer.alloc(blockBytes)
  for (let at = 0; at < noise.length; at += 4) noise.writeUInt32LE(random.between(0, 0xffff_ffff), at)
  return { text: Buffer.from(pieces.join('').slice(0, blockBytes)), noise }
}

/** Sizes that add up to about `bytes`: many small files and a few large ones, as in any folder. */
export function seededSizes(seed: number, files: number, bytes: number): number[] {
  const random = seededRandom(seed, 'sizes')
  const raw = Array.from({ length: files }, () => random.logNormal(1, 1.2))
  const all = raw.reduce((sum, size) => sum + size, 0)
  return raw.map((size) => Math.max(1, Math.round((size * bytes) / all)))
}
