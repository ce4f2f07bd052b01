/** Takes secrets out of text. */
export interface Redaction {
  add(secret: string): void
  text(text: string): string
}

// Anything shorter would be found in innocent text.
const shortest = 6

/**
 * A service or a proxy may repeat what it was sent. The runner hides secrets in logs alone: comments, artifacts and
 * outputs get them as they are, so they are taken out before anybody else sees the text.
 */
export function redaction(): Redaction {
  const hidden = new Set<string>()
  let longestFirst: string[] = []
  return {
    add(secret) {
      for (const form of formsOf(secret)) if (form.length >= shortest) hidden.add(form)
      longestFirst = [...hidden].sort((a, b) => b.length - a.length)
    },
    text: (text) => longestFirst.reduce((rest, form) => rest.replaceAll(form, '***'), text),
  }
}

/** Plain, and as it stands in addresses, forms, JSON, XML, and in base64 at each place of a longer text. */
function formsOf(secret: string): string[] {
  const text = secret.toWellFormed()
  const address = encodeURIComponent(text)
  const form = new URLSearchParams([['', text]]).toString().slice(1)
  const base64 = [0, 1, 2].map((shift) => base64Inside(text, shift))
  return [
    secret,
    ...[address, form, encodeURI(text)].flatMap((one) => [one, withLowerHex(one)]),
    JSON.stringify(text).slice(1, -1),
    text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;'),
    ...base64,
    ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

function withLowerHex(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
}

/** The digits that do not depend on what stands before and after the secret. */
function base64Inside(secret: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)])
  const digits = bytes.toString('base64').replaceAll('=', '')
  return digits.slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6))
}
