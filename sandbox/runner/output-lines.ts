import { StringDecoder } from 'node:string_decoder'

/** Splits a stream of UTF-8 bytes into lines. A line ends with \n, \r\n or a single \r, wherever chunks are cut. */
export class OutputLines {
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''
  #endedWithReturn = false

  constructor(private readonly onLine: (line: string) => void) {}

  push(chunk: Buffer): void {
    this.#take(this.#decoder.write(chunk))
  }

  /** Returns the last line if it had no line break. */
  end(): void {
    this.#take(this.#decoder.end())
    if (this.#rest !== '') this.onLine(this.#rest)
    this.#rest = ''
  }

  #take(text: string): void {
    if (text === '') return
    const fresh = this.#endedWithReturn && text.startsWith('\n') ? text.slice(1) : text
    this.#endedWithReturn = text.endsWith('\r')
    const lines = fresh.split(/\r\n|\r|\n/)
    lines[0] = this.#rest + (lines[0] ?? '')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.onLine(line)
  }
}
