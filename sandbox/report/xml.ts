/** An element of an XML file: its children, or its text, or neither. */
export interface XmlElement {
  name: string
  attributes: Record<string, string>
  content: XmlElement[] | string
}

/** `content` may contain absent children: they are left out, as the engine leaves out what it did not measure. */
export function element(
  name: string,
  content: (XmlElement | undefined)[] | string | number = [],
  attributes: Record<string, string> = {},
): XmlElement {
  if (!Array.isArray(content)) return { name, attributes, content: String(content) }
  return { name, attributes, content: content.filter((child) => child !== undefined) }
}

export function xmlFile(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${elementText(root)}`
}

/** The element on separate lines, each child indented two spaces more than `indent`. */
export function elementText({ name, attributes, content }: XmlElement, indent = ''): string {
  const start = Object.entries(attributes).reduce(
    (tag, [key, value]) => `${tag} ${key}="${escaped(value)}"`,
    `${indent}<${name}`,
  )
  if (content.length === 0) return `${start}/>\n`
  if (typeof content === 'string') return `${start}>${escaped(content)}</${name}>\n`
  const children = content.map((child) => elementText(child, `${indent}  `)).join('')
  return `${start}>\n${children}${indent}</${name}>\n`
}

/** Escapes text for XML and HTML, in elements and in quoted attributes. */
export function escaped(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(noXmlCharacter, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** Characters that XML 1.0 forbids in any form (section 2.2), and halves of surrogate pairs. */
const noXmlCharacter = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
