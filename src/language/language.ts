import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, Scalar } from 'yaml'
import type { YAMLMap } from 'yaml'
import { oneLine, shortWords } from '../text/foreign-text.js'
import { withoutSecrets } from '../text/redaction.js'
import type { CheckXPath, Gate, GateFault } from './gate.js'
import { parseGate } from './grammar.js'
import { unclosedName } from './token-reader.js'
import { defined } from '../text/fields.js'

const maxGates = 500
/** Characters: 500 gates of 200 each. YAML, and every line with a mistake, may take long. */
const maxText = 100_000
/** Nobody mends more of them at a time. */
const maxFaults = 1000

/**
 * Reads gates, one per line; `#` starts a comment outside of names and expressions. Keywords and units may be
 * written in any case, names not. Never throws: every line with a mistake is left out and reported in `faults`.
 */
export function parseGates(text: string, checkXPath?: CheckXPath) {
  const gates: Gate[] = []
  const faults: GateFault[] = []
  if (text.length > maxText) {
    faults.push({ line: 1, column: 1, sentence: 'The gates are longer than 100,000 characters.' })
    return { gates, faults }
  }
  for (const [index, line] of text.split(/\r\n|[\n\r]/).entries()) {
    const { gate, slips } = parseGate(line, checkXPath)
    const place = { line: index + 1 }
    faults.push(...slips.map((slip) => ({ ...place, ...slip })))
    if (faults.length > maxFaults) break
    if (!gate) continue
    if (gates.length === maxGates) {
      const hint = 'Use * in names to cover several timers with one gate.'
      faults.push({ ...place, column: 1, sentence: `There are more than ${maxGates} gates.`, hint })
      break
    }
    gates.push({ ...place, ...gate })
  }
  return { gates, faults }
}

/** Brackets, commas and the like: the YAML parser takes long for many of them. */
const maxSigns = 10_000
const maxName = 200
const maxYamlFaults = 5
const entryKeys = ['gate', 'warn', 'name'] as const
const listHint = 'Write gates: and below it one gate per item, each after a dash.'
const quoteHint = 'Put single quotes around a gate that contains ": " or " #".'

/**
 * Reads a file with gates: YAML with the gates as a list, at the top or under `gates`. An item is a gate, or a mapping
 * with `gate` (or `warn`, for a gate that warns) and a `name`; `gates` may also be one text with one gate per line.
 * Schema: docs/gates.schema.json. Faults carry the lines and columns of the file.
 */
export function parseGatesFile(text: string, file: string, checkXPath?: CheckXPath) {
  const reader = new FileReader(text, file, checkXPath)
  reader.read()
  return { gates: reader.gates, faults: reader.faults.sort((a, b) => a.line - b.line || a.column - b.column) }
}

class FileReader {
  readonly gates: Gate[] = []
  readonly faults: GateFault[] = []
  private readonly lines = new LineCounter()

  constructor(
    private readonly text: string,
    private readonly file: string,
    private readonly checkXPath: CheckXPath | undefined,
  ) {}

  read(): void {
    if (this.text.length > maxText) {
      this.fault(0, 'The file is longer than 100,000 characters.')
      return
    }
    if ((this.text.match(/[[{,&!*?]/g)?.length ?? 0) > maxSigns) {
      this.fault(0, `The file contains more than ${maxSigns} of the signs [ { , & ! * and ?.`)
      return
    }
    try {
      this.readDocument()
    } catch (error) {
      // The YAML parser is recursive.
      if (!(error instanceof RangeError)) throw error
      this.fault(0, 'The file is nested too deeply to be read.')
    }
  }

  private readDocument(): void {
    const document = parseDocument(this.text, {
      ...{ lineCounter: this.lines, prettyErrors: false, logLevel: 'error', keepSourceTokens: true },
      // Each key would be compared with each. Those that count may not occur twice: that is checked below.
      uniqueKeys: false,
    })
    for (const error of document.errors.slice(0, maxYamlFaults))
      this.fault(
        error.pos[0],
        `The file is not valid YAML: ${shortWords(error.message.replace(/(?<=\w: )(.{60}).+$|[.\s]*$/s, '$1'), 160)}.`,
        error.code === 'BLOCK_AS_IMPLICIT_KEY' ? quoteHint : undefined,
      )
    if (document.errors.length > 0) return
    const root: unknown = document.contents
    if (isMap(root)) this.readRoot(root)
    else if (isSeq(root)) this.readList(root.items)
    else this.fault(0, 'The file contains no list of gates.', listHint)
    if (this.gates.length === 0 && this.faults.length === 0) this.fault(0, 'The file contains no gates.')
  }

  private readRoot(root: YAMLMap): void {
    for (const pair of root.items) {
      const key = plain(pair.key)
      if (key === '$schema') continue
      if (key !== 'gates') {
        const sentence = `"${oneLine(key ?? '?', 40)}" is not a key of a file with gates.`
        this.fault(offsetOf(pair.key), sentence, 'The only one is gates.')
      } else if (isSeq(pair.value)) this.readList(pair.value.items)
      else if (isText(pair.value)) this.readGates(pair.value)
      else
        this.fault(offsetOf(pair.key), 'gates is not a list.', 'Write one gate per item, each after a dash.')
    }
    const lists = root.items.filter((pair) => plain(pair.key) === 'gates')
    if (lists[1]) this.fault(offsetOf(lists[1].key), 'The key gates occurs twice.', 'Write one list.')
    if (lists.length === 0) this.fault(0, 'The key gates is missing.', listHint)
  }

  private readList(items: readonly unknown[]): void {
    for (const item of items) {
      if (isText(item)) this.readGates(item)
      else if (isMap(item)) this.readEntry(item)
      else if (isAlias(item))
        this.fault(offsetOf(item), 'YAML aliases are not allowed in a file with gates.', 'Write the gate.')
      else
        this.fault(
          offsetOf(item),
          'This item is not a gate.',
          'An item is a gate, or a mapping with gate and name.',
        )
    }
  }

  private readEntry(entry: YAMLMap): void {
    let name: string | undefined
    let gate: { scalar: Scalar; warn: boolean } | undefined
    for (const { key, value } of entry.items) {
      const word = plain(key)
      const known = entryKeys.find((one) => one === word)
      if (known === undefined) {
        const hint = word?.includes('"') ? quoteHint : 'Keys are gate, warn and name.'
        this.fault(offsetOf(key), `"${oneLine(word ?? '?', 60)}" is not a key of a gate.`, hint)
      } else if (!isText(value) || !value.value.trim()) {
        this.fault(offsetOf(key), `${known} is not text.`, 'Write it after the colon, a name in quotes.')
      } else if ((known === 'name' ? name : gate) !== undefined) {
        const what = known === 'name' ? 'name' : 'gate'
        this.fault(offsetOf(key), `An item contains one ${what}.`, 'Leave the others out.')
      } else if (known !== 'name') gate = { scalar: value, warn: known === 'warn' }
      else {
        name = withoutSecrets(value.value.trim())
        if ([...value.value].length > maxName)
          this.fault(offsetOf(key), `The name is longer than ${maxName} characters.`)
      }
    }
    if (gate) this.readGates(gate.scalar, { warn: gate.warn, ...defined({ name }) })
    else if (name !== undefined)
      this.fault(offsetOf(entry), 'A name without a gate.', 'Write gate: below the name.')
  }

  private readGates(scalar: Scalar, entry: { warn?: boolean; name?: string } = {}): void {
    if (this.faults.length > maxFaults) return
    const place = this.placeOf(scalar)
    const parsed = parseGates(String(scalar.value), this.checkXPath)
    const cut =
      scalar.type === Scalar.PLAIN && /^ +#/.test(this.text.slice(endOf(scalar), endOf(scalar) + 80))
    for (const fault of parsed.faults) {
      const { line, column } = place(fault.line, fault.column)
      // To YAML, ` #` in a name begins a comment, so the rest of the name is lost.
      const hint = cut && fault.sentence === unclosedName ? { hint: quoteHint } : {}
      this.faults.push({ ...fault, ...hint, file: this.file, line, column })
    }
    if (this.gates.length + parsed.gates.length > maxGates) {
      const hint = 'Use * in names to cover several timers.'
      this.fault(offsetOf(scalar), `There are more than ${maxGates} gates.`, hint)
      return
    }
    const name = defined({ name: entry.name })
    for (const gate of parsed.gates) {
      const warn = entry.warn || gate.warn
      const text = entry.warn && !gate.warn ? `warn: ${gate.text}` : gate.text
      this.gates.push({ ...gate, ...name, warn, text, file: this.file, line: place(gate.line, 1).line })
    }
    if (parsed.gates.length === 0 && parsed.faults.length === 0)
      this.fault(offsetOf(scalar), 'This item contains no gate.')
  }

  /** From a line and column of the text in a scalar to those of the file; escapes before a column shift it. */
  private placeOf(scalar: Scalar): (line: number, column: number) => { line: number; column: number } {
    const offset = offsetOf(scalar)
    const start = this.lines.linePos(offset)
    if (scalar.type === Scalar.BLOCK_LITERAL || scalar.type === Scalar.BLOCK_FOLDED) {
      return (line) => {
        const at = start.line + line
        const from = this.lines.lineStarts[at - 1] ?? 0
        const indent = /^ */.exec(this.text.slice(from, from + 1000))?.[0].length ?? 0
        return { line: at, column: indent + 1 }
      }
    }
    if (this.text.slice(offset, endOf(scalar)).includes('\n'))
      return () => ({ line: start.line, column: start.col })
    const quote = scalar.type === Scalar.QUOTE_DOUBLE || scalar.type === Scalar.QUOTE_SINGLE ? 1 : 0
    return (_line, column) => ({ line: start.line, column: start.col + quote + column - 1 })
  }

  private fault(offset: number, sentence: string, hint?: string): void {
    if (this.faults.length > maxFaults) return
    const { line, col } = this.lines.linePos(offset)
    const at = { file: this.file, line: Math.max(line, 1), column: Math.max(col, 1) }
    this.faults.push({ ...at, sentence, ...defined({ hint }) })
  }
}

function isText(node: unknown): node is Scalar<string> {
  return isScalar(node) && typeof node.value === 'string'
}

function plain(key: unknown): string | undefined {
  return isText(key) ? key.value : undefined
}

function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}

function endOf({ range }: Scalar): number {
  return range?.[1] ?? 0
}
