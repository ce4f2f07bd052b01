import { SaxesParser } from 'saxes'
import { ReportError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { formatBytes } from '../text/size.js'

/** How to read one element of a document; everything that it does not name is skipped. */
export interface Element {
  start?: (attributes: Readonly<Record<string, string>>) => void
  child?: (name: string) => Element | undefined
  /** Gets the element's own text when it ends, without its children's. */
  text?: (text: string) => void
  end?: () => void
}

interface XmlDocument {
  /** Its file name, for messages. */
  name: string
  root: string
  element: Element
  /** What to do if it cannot be read, as a sentence. */
  advice?: string
}

const maxDepth = 64
const maxAttributes = 64
/** Bytes between one tag and the next. */
const maxRun = 16_000_000
const portionSize = 64 * 1024

/**
 * Reads an XML document as it streams by and hands its elements to `document.element`; nothing is kept of it. UTF-8
 * only. A document type is refused, and with it every entity except the five of XML itself; depth, attributes and
 * lengths are limited.
 *
 * @param source the document's bytes in any portions, or all of them
 * @throws ReportError if it is empty, cut short, not well-formed, in another encoding or has another root
 */
export async function readXml(
  source: AsyncIterable<Uint8Array> | Uint8Array,
  document: XmlDocument,
): Promise<void> {
  const reader = new XmlReader(document)
  if (source instanceof Uint8Array) reader.push(source)
  else for await (const chunk of source) reader.push(chunk)
  reader.end()
}

class XmlReader {
  readonly #document: XmlDocument
  readonly #parser = new SaxesParser({ xmlns: false, position: true })
  readonly #open: Element[] = []
  /** Of each that is open. */
  readonly #texts: string[] = []
  /** How deep the parser is below an element that nobody reads. */
  #skipping = 0
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #isHeard = false
  #started = false
  #run = 0
  #attributes = 0

  constructor(document: XmlDocument) {
    this.#document = document
    const parser = this.#parser
    // No more handlers than these: with an eighth, V8 keeps the parser's fields in a dictionary, and parsing takes
    // five times as long.
    parser.on('doctype', () => {
      throw this.#fault('declares a document type, which is not allowed')
    })
    // Counted as they come: a list of the keys of each element would take a tenth of the time.
    parser.on('attribute', () => {
      if (++this.#attributes > maxAttributes) {
        throw this.#fault(`has an element with more than ${maxAttributes} attributes`)
      }
    })
    parser.on('opentag', (tag) => {
      this.#attributes = 0
      this.#opened(tag.name, tag.attributes)
    })
    parser.on('closetag', () => this.#closed())
    parser.on('cdata', this.#text)
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += portionSize) {
      const portion = bytes.subarray(at, at + portionSize)
      if (!this.#started) this.#checkEncoding(portion)
      this.#started = true
      const text = this.#decoded(portion)
      this.#measureRun(portion)
      this.#parse(text)
    }
  }

  end(): void {
    if (!this.#started) throw this.#fault('is empty')
    this.#parse(this.#decoded())
    if (this.#open.length > 0 || this.#skipping > 0) {
      throw this.#fault(`is truncated: <${this.#document.root}> is not closed`)
    }
    this.#parse(null)
  }

  /** @param bytes undefined at the end */
  #decoded(bytes?: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw this.#fault(bytes ? 'contains bytes that are not UTF-8' : 'is truncated')
    }
  }

  /** The parser's own faults are plain errors; whatever the elements throw passes unchanged. */
  #parse(text: string | null): void {
    try {
      this.#parser.write(text)
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'Error') throw error
      throw this.#fault(`is not well-formed XML (${oneLine(error.message)})`)
    }
  }

  #checkEncoding(bytes: Uint8Array): void {
    const [a, b] = bytes
    const utf16 =
      (a === 0xfe && b === 0xff) || (a === 0xff && b === 0xfe) || a === 0 || (a === 0x3c && b === 0)
    if (utf16) throw this.#fault('is written in UTF-16 or UTF-32; only UTF-8 is supported')
  }

  #checkRoot(name: string): void {
    const { encoding } = this.#parser.xmlDecl
    if (encoding !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(encoding)) {
      throw this.#fault(`is written in ${oneLine(encoding, 40)}; only UTF-8 is supported`)
    }
    const { root } = this.#document
    if (name !== root) {
      throw this.#fault(`is another kind of document: its root is <${oneLine(name, 60)}>, not <${root}>`)
    }
  }

  /** The parser buffers texts, attributes and comments whole: this limits how much can come before the next tag. */
  #measureRun(bytes: Uint8Array): void {
    const first = bytes.indexOf(0x3c)
    this.#run += first === -1 ? bytes.length : first
    if (this.#run > maxRun) throw this.#fault(`contains a text of more than ${formatBytes(maxRun)}`)
    if (first !== -1) this.#run = bytes.length - bytes.lastIndexOf(0x3c)
  }

  #opened(name: string, attributes: Readonly<Record<string, string>>): void {
    const depth = this.#open.length
    if (depth + this.#skipping >= maxDepth) throw this.#fault(`nests elements more than ${maxDepth} deep`)
    if (this.#skipping > 0) {
      this.#skipping++
      return
    }
    if (depth === 0) this.#checkRoot(name)
    const element = depth === 0 ? this.#document.element : this.#open[depth - 1]?.child?.(name)
    if (element === undefined) this.#skipping = 1
    else {
      element.start?.(attributes)
      this.#open.push(element)
      this.#texts.push('')
    }
    this.#listen(element)
  }

  #closed(): void {
    if (this.#skipping > 0) this.#skipping--
    else {
      const element = this.#open.pop()
      const text = this.#texts.pop() ?? ''
      element?.text?.(text)
      element?.end?.()
    }
    if (this.#skipping === 0) this.#listen(this.#open.at(-1))
  }

  /** What nobody reads, such as the blanks between tags, the parser need not put together. */
  #listen(element: Element | undefined): void {
    const isHeard = element?.text !== undefined
    if (isHeard === this.#isHeard) return
    this.#isHeard = isHeard
    if (isHeard) this.#parser.on('text', this.#text)
    else this.#parser.off('text')
  }

  readonly #text = (text: string): void => {
    const last = this.#texts.length - 1
    if (this.#isHeard) this.#texts[last] = (this.#texts[last] ?? '') + text
  }

  #fault(what: string): ReportError {
    const { name, advice } = this.#document
    return new ReportError(`The ${name} of the report ${what}.${advice === undefined ? '' : ` ${advice}`}`)
  }
}
