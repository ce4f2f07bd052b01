import { createReadStream } from 'node:fs'
import { SaxesParser } from 'saxes'
import { timed } from './timed.js'

/** Only the XML library, configured like the project's: it reads tags and texts and discards them. */
const [, , testReport = ''] = process.argv
await timed(async () => {
  const parser = new SaxesParser({ xmlns: false, position: true })
  let seen = 0
  const count = () => seen++
  parser.on('doctype', count)
  parser.on('opentag', count)
  parser.on('closetag', count)
  parser.on('text', count)
  parser.on('cdata', count)
  const file = createReadStream(testReport, { encoding: 'utf8', highWaterMark: 64 * 1024 })
  for await (const portion of file) parser.write(String(portion))
  parser.close()
})
