/** A strict reader of the Markdown that is published: it accepts only what may occur in it. */

export interface ReadMarkdown {
  /** Cells of every table, decoded, head first. */
  tables: string[][][]
  /** All text outside of code and links, decoded. */
  prose: string
  /** Addresses of links. */
  links: string[]
}

const allowedTags = /^<(?:\/?(?:code|details|summary)|details open|w?br)>$/

/** Throws if a row and its head differ in their number of cells, and on an unknown tag or anything left open. */
export function readMarkdown(markdown: string): ReadMarkdown {
  const tables: string[][][] = []
  const links: string[] = []
  const prose: string[] = []
  let table: string[][] | undefined
  let fence = false
  let details = 0
  for (const line of markdown.split('\n')) {
    if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(line)) {
      throw new Error(`A control character in ${JSON.stringify(line.slice(0, 200))}`)
    }
    if (line.startsWith('```')) fence = !fence
    if (fence || line.startsWith('```')) continue
    if (line === '<details>' || line === '<details open>') details += 1
    if (line === '</details>') details -= 1
    if (details < 0 || details > 1) throw new Error('Details are nested or closed twice.')
    if (line.startsWith('| ')) {
      const cells = line.slice(2, -2).split(' | ')
      if (!line.endsWith(' |') || line.split('|').length !== cells.length + 2)
        throw new Error(`A torn row: ${line}`)
      if (!table) tables.push((table = []))
      if (table[0] && table[0].length !== cells.length) throw new Error(`${cells.length} cells: ${line}`)
      if (table.length === 1 && !cells.every((cell) => /^---:?$/.test(cell)))
        throw new Error(`No rule: ${line}`)
      table.push(cells)
    } else {
      if (line.includes('|')) throw new Error(`A pipe outside of a table: ${line}`)
      table = undefined
    }
    prose.push(readInline(line.replace(/^<!-- load-test-action: [\w.%]+(?: \(red\))? -->$/, ''), links))
  }
  if (fence || details !== 0) throw new Error('A fence or details are left open.')
  const decoded = tables.map((rows) =>
    rows.filter((_, index) => index !== 1).map((cells) => cells.map(plain)),
  )
  return { tables: decoded, prose: prose.join('\n'), links }
}

function readInline(line: string, links: string[]): string {
  const withoutLinks = line.replace(
    /\[((?:[^[\]])*)\]\(<([^<>\s|]*)>\)/g,
    (_, label: string, href: string) => {
      links.push(href)
      return label.replace(/<code>.*?<\/code>/g, '')
    },
  )
  const tags = withoutLinks.match(/<[^>]*>?/g) ?? []
  const strange = tags.find((tag) => !allowedTags.test(tag))
  if (strange !== undefined) throw new Error(`A tag ${strange} in ${line.slice(0, 300)}`)
  if (tags.filter((tag) => tag === '<code>').length !== tags.filter((tag) => tag === '</code>').length) {
    throw new Error(`Code left open: ${line}`)
  }
  const inert = withoutLinks
    .replace(/^> /, '')
    .replace(/^#{2,3} /, '')
    .replace(/\*\*?/g, '')
  const raw = /[`*[\]\\~_]/.exec(inert)
  if (raw) throw new Error(`A raw ${raw[0]} in ${line.slice(0, 300)}`)
  return decode(withoutLinks.replace(/<code>.*?<\/code>/g, '').replace(/<[^>]*>/g, ' '))
}

function plain(cell: string): string {
  return decode(
    cell
      .replace(/<br>/g, ' ')
      .replace(/<[^>]*>/g, '')
      .replace(/\*\*/g, ''),
  )
}

/** Like a browser; a no-break space counts as a space. */
export function decode(text: string): string {
  return text
    .replaceAll('<wbr>', '')
    .replaceAll('\u00a0', ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
}
