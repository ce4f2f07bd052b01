/** An element of an XML file: its children, or its text, or neither. */
export interface XmlElement {
  name: string
  attributes: Record<string, string>
  content: XmlElement[] | string
}

/** `content` may hold absent children: they are left out, as the engine leaves out what it did not measure. */
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

/** The element on lines of its own, each child two spaces further in than `indent`. */
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

/** Text for XML and HTML alike, in elements and in quoted attributes. */
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

/** What XML 1.0 allows in no form at all (section 2.2), and halves of surrogate pairs. */
const noXmlCharacter = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
