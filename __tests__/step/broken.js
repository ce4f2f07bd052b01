import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

/*
 * Loaded before a step by NODE_OPTIONS: the folder for its report is never there, and no call ever says so. BROKEN says
 * whether anything else does: `silently` or `loudly`.
 */
const { mkdir } = fs

fs.mkdir = (folder, ...given) => {
  if (!String(folder).endsWith('/report')) return mkdir(folder, ...given)
  if (process.env.BROKEN === 'loudly') {
    setImmediate(() => {
      throw new Error('Nobody expects this.')
    })
  }
  return new Promise(() => undefined)
}
syncBuiltinESMExports()
