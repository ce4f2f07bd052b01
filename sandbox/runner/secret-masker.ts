const SHOWN = '***'

/**
 * Hides secrets in text, also in the encodings that the real runner knows: base64 (at each of three alignments in a
 * longer text), JSON, URI, XML, shell and expression escapes.
 */
export class SecretMasker {
  readonly #hidden = new Set<string>()
  readonly #known = new Set<string>()

  /** Hides this value; an empty one is ignored. */
  add(value: string): void {
    if (value === '' || this.#known.has(value)) return
    this.#known.add(value)
    this.#hidden.add(value)
    for (const encoded of encodings(value)) if (encoded !== '') this.#hidden.add(encoded)
  }

  /** Hides the whole value and each of its lines, since output is masked line by line. */
  addWithLines(value: string): void {
    this.add(value)
    for (const line of value.split(/[\r\n]/)) this.add(line.trim())
  }

  /** The text with each secret, and each run of overlapping or adjacent secrets, replaced by three stars. */
  mask(text: string): string {
    const spans = this.#spans(text).sort((a, b) => a.start - b.start)
    let shown = ''
    let written = 0
    let open: Span | undefined
    for (const span of spans) {
      if (open !== undefined && span.start <= open.end) {
        open.end = Math.max(open.end, span.end)
        continue
      }
      if (open !== undefined) {
        shown += text.slice(written, open.start) + SHOWN
        written = open.end
      }
      open = { ...span }
    }
    if (open === undefined) return text
    return shown + text.slice(written, open.start) + SHOWN + text.slice(open.end)
  }

  #spans(text: string): Span[] {
    const spans: Span[] = []
    for (const secret of this.#hidden) {
      for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
        spans.push({ start: at, end: at + secret.length })
      }
    }
    return spans
  }
}

interface Span {
  start: number
  end: number
}

function encodings(value: string): string[] {
  return [
    base64From(value, 0),
    base64From(value, 1),
    base64From(value, 2),
    value.replaceAll('"', '\\"'),
    value.replaceAll("'", "''"),
    jsonEscaped(value),
    uriEscaped(value),
    xmlEscaped(value),
  ]
}

// Text before the secret shifts it within groups of three bytes; without its first bytes, the rest is still found.
function base64From(value: string, skipped: number): string {
  const bytes = Buffer.from(value, 'utf8')
  return (bytes.length > skipped ? bytes.subarray(skipped) : bytes).toString('base64')
}

function jsonEscaped(value: string): string {
  const escaped = JSON.stringify(value).slice(1, -1)
  return escaped
    .replaceAll('\u0085', '\\u0085')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}

function uriEscaped(value: string): string {
  // Through UTF-8 and back, because half a surrogate pair would make encodeURIComponent throw.
  const whole = Buffer.from(value, 'utf8').toString('utf8')
  return encodeURIComponent(whole).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function xmlEscaped(value: string): string {
  const names: Record<string, string> = {
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
    '&': '&amp;',
  }
  return value.replace(/[<>"'&]/g, (c) => names[c] ?? c)
}
