/** A name and its value. */
export type Property = readonly [key: string, value: string]

/**
 * Lines to append to a Java properties file, in ASCII, so that they mean the same in whichever encoding the file is
 * read. Each pair stays one pair, whatever it contains; by the format's rules the last value of a key counts.
 */
export function propertyLines(properties: readonly Property[]): string {
  const lines = properties.map(
    ([key, value]) => `${escaped(key).replaceAll(' ', '\\ ')}=${escaped(value).replace(/^ /, '\\ ')}\n`,
  )
  // The blank line ends a last line without a line break, or one that a backslash continues.
  return `\n\n${lines.join('')}`
}

function escaped(text: string): string {
  return text
    .replace(/[\\=:#!]/g, '\\$&')
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
