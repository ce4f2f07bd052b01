/** What a step wrote to a file such as GITHUB_OUTPUT does not have that file's format. */
export class FileCommandError extends Error {
  override name = 'FileCommandError'
}

/**
 * The pairs in the text of GITHUB_OUTPUT, GITHUB_STATE or GITHUB_ENV: `name=value` or `name<<DELIMITER`, lines,
 * `DELIMITER`. Pairs before a fault are yielded before it is thrown: on the real runner, too, they have already taken
 * effect.
 */
export function* fileCommandPairs(text: string): Generator<{ name: string; value: string }> {
  const lines = new Lines(text.startsWith('\uFEFF') ? text.slice(1) : text)
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (line.text === '') continue
    const equals = line.text.indexOf('=')
    const heredoc = line.text.indexOf('<<')
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      yield { name: line.text.slice(0, equals), value: line.text.slice(equals + 1) }
    } else if (heredoc >= 0) {
      const name = line.text.slice(0, heredoc)
      const delimiter = line.text.slice(heredoc + 2)
      if (name === '' || delimiter === '') {
        throw new FileCommandError(
          `Invalid format '${line.text}'. Neither the name nor the delimiter may be empty.`,
        )
      }
      yield { name, value: heredocValue(lines, delimiter) }
    } else {
      throw new FileCommandError(`Invalid format '${line.text}'`)
    }
  }
}

function heredocValue(lines: Lines, delimiter: string): string {
  const value: string[] = []
  for (;;) {
    const line = lines.next()
    if (line === undefined) {
      throw new FileCommandError(`Invalid value. Matching delimiter not found '${delimiter}'`)
    }
    if (line.text === delimiter) return value.join('\n')
    if (!line.ended)
      throw new FileCommandError(
        `Invalid value. The line before the end has no line break, so '${delimiter}' cannot follow.`,
      )
    value.push(line.text)
  }
}

class Lines {
  #at = 0
  constructor(private readonly text: string) {}

  next(): { text: string; ended: boolean } | undefined {
    if (this.#at >= this.text.length) return undefined
    const end = this.text.indexOf('\n', this.#at)
    const line = end < 0 ? this.text.slice(this.#at) : this.text.slice(this.#at, end)
    this.#at = end < 0 ? this.text.length : end + 1
    return { text: line, ended: end >= 0 }
  }
}
