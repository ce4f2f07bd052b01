/** One pixel, as a browser draws it. */
export const picture = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64')

/** What declares to be a WebP picture of this kind and size. */
export function webp(kind: string, width: number, height: number, bytes = 64): Buffer {
  const all = Buffer.alloc(bytes)
  all.write('RIFF')
  all.writeUInt32LE(bytes - 8, 4)
  all.write(`WEBP${kind}`, 8)
  all.writeUInt32LE(bytes - 20, 16)
  if (kind === 'VP8 ') {
    all.writeUIntBE(0x9d012a, 23, 3)
    all.writeUInt16LE(width, 26)
    all.writeUInt16LE(height, 28)
  } else if (kind === 'VP8L') {
    all[20] = 0x2f
    all.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21)
  } else {
    all.writeUIntLE(width - 1, 24, 3)
    all.writeUIntLE(height - 1, 27, 3)
  }
  return all
}
