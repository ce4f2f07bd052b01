import { SaxesParser } from 'saxes'

/** Thrown for a body that is not a block list. */
export class BlockListError extends Error {
  override name = 'BlockListError'
}

/** The block ids of a `Put Block List` body, in the order in which the blob gets the blocks. */
export function blockIds(xml: string): string[] {
  const ids: string[] = []
  const parser = new SaxesParser()
  const path: string[] = []
  let text = ''
  parser.on('error', (error) => {
    throw new BlockListError(error.message)
  })
  parser.on('opentag', ({ name }) => {
    path.push(name)
    text = ''
  })
  parser.on('text', (piece) => {
    text += piece
  })
  parser.on('closetag', ({ name }) => {
    if (/^BlockList\/(Latest|Uncommitted|Committed)$/.test(path.join('/'))) ids.push(text.trim())
    else if (path.join('/') !== 'BlockList') throw new BlockListError(`<${name}> is not part of a block list`)
    path.pop()
  })
  parser.write(xml).close()
  return ids
}
