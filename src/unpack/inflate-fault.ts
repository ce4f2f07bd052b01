import { isFields } from '../text/fields.js'
import type { ArchiveFaults } from './faults.js'

/** A fault of zlib, which is about the bytes, as a sentence; any other unchanged. */
export function inflateFault(error: unknown, faults: ArchiveFaults): unknown {
  const code = isFields(error) && typeof error.code === 'string' ? error.code : ''
  // The codes of Brotli begin with ERR__.
  if (!/^(Z_|ERR__)/.test(code)) return error
  return code === 'Z_BUF_ERROR'
    ? faults.cutShort('its compressed data ends too early', error)
    : faults.damaged('its compressed data or checksum is wrong', error)
}
