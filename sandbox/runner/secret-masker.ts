const SHOWN = '***'

/** Hides secrets in the log. The real runner also hides them in encodings, such as base64 and JSON. */
export class SecretMasker {
  readonly #hidden = new Set<string>()

  /** Hides this value; an empty one is ignored. */
  add(value: string): void {
    if (value !== '') this.#hidden.add(value)
  }

  /** Hides the whole value and each of its lines, since output is masked line by line. */
  addWithLines(value: string): void {
    this.add(value)
    for (const line of value.split(/[\r\n]/)) this.add(line.trim())
  }

  /** The text with each secret replaced by three stars, the longest first. */
  mask(text: string): string {
    const longestFirst = [...this.#hidden].sort((a, b) => b.length - a.length)
    return longestFirst.reduce((shown, secret) => shown.replaceAll(secret, SHOWN), text)
  }
}
