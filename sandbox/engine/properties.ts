/** Settings as the text of a Java properties file; each value survives, whatever characters it has. */
export function propertiesText(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${escaped(name).replaceAll(' ', '\\ ')} = ${escaped(value)}\n`)
    .join('')
}

function escaped(text: string): string {
  return text
    .replace(/[\\:=#!]/g, (character) => `\\${character}`)
    .replace(/^ | $/g, '\\u0020')
    .replaceAll('\r\n', '\\n')
    .replace(/[\r\n]/g, '\\n')
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The value of a setting, the last one if there are several; undefined = not set. */
export function propertyOf(text: string, name: string): string | undefined {
  return text
    .split(/\r?\n/)
    .filter((line) => !/^\s*[#!]/.test(line))
    .map((line) => /^\s*([^\s=:]+)\s*[=:\s]\s*(.*?)\s*$/.exec(line))
    .filter((match) => match?.[1] === name)
    .at(-1)?.[2]
}
