import { SaxesParser } from 'saxes'

/** An uploaded picture. Its bytes decide its type, whatever its name and its sender claim. */
export interface Picture {
  type: keyof typeof endings
  bytes: Buffer
}

/** Bytes of the largest picture that is accepted. */
export const largestPicture = 500_000
/** Pixels: a few bytes can unpack to a picture that fills the reader's memory. */
const longestSide = 4096

const endings = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/svg+xml': 'svg' } as const

/** The picture, or one sentence about why it is refused. */
export function readPicture(bytes: Buffer): Picture | { fault: string } {
  if (bytes.length === 0) return { fault: 'Choose a picture.' }
  if (bytes.length > largestPicture) return { fault: 'Choose a picture of at most 500 kB.' }
  const size = pngSize(bytes) ?? jpegSize(bytes)
  if (!size) return isSafeSvg(bytes) ? { type: 'image/svg+xml', bytes } : { fault: notAPicture }
  const { type, width, height } = size
  if (width === 0 || height === 0) return { fault: notAPicture }
  if (Math.max(width, height) > longestSide) {
    return {
      fault: `The picture has ${width} × ${height} pixels. Choose one of at most ${longestSide} pixels per side.`,
    }
  }
  return { type, bytes }
}

/** For people, beside the form. */
export const pictureRules = 'PNG, JPEG or SVG, at most 500 kB.'
const notAPicture = 'Choose a PNG, a JPEG or an SVG without scripts or links to other files.'

/**
 * The headers that it is sent with. Opened directly it is saved, not shown: an SVG never becomes a page of this
 * service.
 */
export function pictureHeaders({ type }: Picture): Record<string, string> {
  return {
    'content-type': type,
    'content-security-policy': "default-src 'none'; sandbox",
    'content-disposition': `attachment; filename="picture.${endings[type]}"`,
  }
}

type Size = { type: Picture['type']; width: number; height: number }

function pngSize(bytes: Buffer): Size | undefined {
  const isPng = bytes.length >= 24 && bytes.subarray(0, 8).equals(pngSignature)
  if (!isPng || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Walks the segments to the frame header (SOF), the only one with the size. */
function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1)
    // C4, C8 and CC are numbered like frame headers but are tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { type: 'image/jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** Well-formed, with nothing that runs, loads or expands. */
function isSafeSvg(bytes: Buffer): boolean {
  let isSafe = true
  let depth = 0
  const refuse = () => {
    isSafe = false
  }
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', refuse)
  parser.on('doctype', refuse)
  parser.on('processinginstruction', refuse)
  parser.on('opentag', ({ uri, local, attributes }) => {
    if (depth++ === 0 && local !== 'svg') refuse()
    if (uri !== svgNamespace || active.includes(local.toLowerCase())) refuse()
    for (const { local: name, value } of Object.values(attributes)) {
      if (/^on/i.test(name)) refuse()
      if (/^(href|src)$/i.test(name) && !value.trim().startsWith('#')) refuse()
    }
  })
  parser.on('closetag', () => depth--)
  try {
    parser.write(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).close()
  } catch {
    return false
  }
  return isSafe
}

const svgNamespace = 'http://www.w3.org/2000/svg'
const active = ['script', 'foreignobject', 'iframe', 'embed', 'object']
