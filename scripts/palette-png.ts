import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')
const mostColours = 256

/**
 * A screenshot with at most 256 colours: a page of text has few, and loads in a fraction of the time. Reads what
 * Chromium writes (8 bits per channel, not interlaced), and throws on any other PNG.
 */
export function palettePng(png: Buffer): Buffer {
  const { width, height, colours } = readPng(png)
  const palette = paletteOf(colours)
  const nearest = new Map<number, number>()
  const rows = Buffer.alloc((width + 1) * height)
  colours.forEach((colour, index) => {
    const found = nearest.get(colour) ?? nearestIn(palette, colour)
    nearest.set(colour, found)
    rows[index + Math.floor(index / width) + 1] = found
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The colours of all pixels, row by row, as 0xRRGGBB. */
function readPng(png: Buffer): { width: number; height: number; colours: Uint32Array } {
  if (!png.subarray(0, 8).equals(signature)) throw new Error('This is not a PNG.')
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const [bits, kind, , , interlaced] = png.subarray(24, 29)
  const size = kind === 6 ? 4 : kind === 2 ? 3 : undefined
  if (bits !== 8 || size === undefined || interlaced !== 0)
    throw new Error('This PNG has an unsupported form.')
  const data: Buffer[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
    }
  }
  const pixels = unfiltered(inflateSync(Buffer.concat(data)), width * size, height, size)
  const colours = new Uint32Array(width * height)
  for (let index = 0; index < colours.length; index++) colours[index] = pixels.readUIntBE(index * size, 3)
  return { width, height, colours }
}

/** Each row begins with its filter: how it is written as differences from its neighbours (PNG, section 9). */
function unfiltered(data: Buffer, length: number, height: number, size: number): Buffer {
  const out = Buffer.alloc(length * height)
  for (let y = 0; y < height; y++) {
    const filter = data[y * (length + 1)] ?? 0
    for (let x = 0; x < length; x++) {
      const at = y * length + x
      const left = x < size ? 0 : (out[at - size] ?? 0)
      const above = y === 0 ? 0 : (out[at - length] ?? 0)
      const corner = x < size || y === 0 ? 0 : (out[at - length - size] ?? 0)
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0
      out[at] = ((data[y * (length + 1) + 1 + x] ?? 0) + guess) & 255
    }
  }
  return out
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const toLeft = Math.abs(guess - left)
  const toAbove = Math.abs(guess - above)
  const toCorner = Math.abs(guess - corner)
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}

/** The most frequent colours; of similar ones only one. */
function paletteOf(colours: Uint32Array): number[] {
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const ordered = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour)
  if (ordered.length <= mostColours) return ordered
  const chosen: number[] = []
  for (const apart of [24, 12, 6, 0]) {
    for (const colour of ordered) {
      if (chosen.length === mostColours) return chosen
      if (!chosen.some((one) => distance(one, colour) <= apart ** 2)) chosen.push(colour)
    }
  }
  return chosen
}

function nearestIn(palette: readonly number[], colour: number): number {
  let best = 0
  palette.forEach((one, index) => {
    if (distance(one, colour) < distance(palette[best] ?? 0, colour)) best = index
  })
  return best
}

function distance(one: number, other: number): number {
  const theirs = channels(other)
  return channels(one).reduce((sum, value, index) => sum + (value - (theirs[index] ?? 0)) ** 2, 0)
}

function channels(colour: number): number[] {
  return [colour >> 16, (colour >> 8) & 255, colour & 255]
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
