import { createReadStream } from 'node:fs'
import { SaxesParser } from 'saxes'
import { timed } from './timed.js'

/** The XML library alone: it is told of tags and texts, and nothing is made of them. */
const [, , testReport = ''] = process.argv
await timed(async () => {
  const parser = new SaxesParser({ xmlns: false, position: false })
  let seen = 0
  parser.on('opentag', () => seen++)
  parser.on('closetag', () => seen++)
  parser.on('text', (text) => (seen += text.length))
  const file = createReadStream(testReport, { encoding: 'utf8', highWaterMark: 256 * 1024 })
  for await (const portion of file) parser.write(String(portion))
  parser.close()
})
