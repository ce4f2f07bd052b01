export interface Redaction {
  add(secret: string): void
  /** @param limit of characters that are needed; what follows them may be missing */
  text(text: string, limit?: number): string
}

// Anything shorter would be found in ordinary text.
const shortest = 6

/**
 * A service, a proxy or a report may repeat what was sent to the service. The runner hides secrets only in logs:
 * comments, artifacts and outputs would contain them, so they are removed where a text enters, before it is cut.
 *
 * Encodings are not listed: text is decoded step by step, and each step is searched.
 */
export function redaction(): Redaction {
  const hidden: string[] = []
  /** Of all that is hidden. Decoding makes no text longer: a shorter one, as most names are, has none of them. */
  let least = Infinity
  /** How many characters a secret may take up in a text. */
  let longest = 0
  const isIn = (text: string) => hidden.some((secret) => text.includes(secret))
  const holds = (given: string): boolean => {
    if (isPlain(given)) return isIn(given.replaceAll(' ', '').toLowerCase())
    for (const { text } of stepsOf({ text: given })) if (isIn(text)) return true
    return false
  }
  const clean = (given: string): string => {
    // Where the characters come from is only asked of the few texts that have one.
    if (given.length < least || !holds(given)) return given
    const spans: Span[] = []
    for (const { text: plain, places } of stepsOf(placed(given))) {
      for (const secret of hidden) {
        for (let at = plain.indexOf(secret); at >= 0; at = plain.indexOf(secret, at + secret.length)) {
          const last = places?.[at + secret.length - 1]
          spans.push({ from: places?.[at]?.from ?? 0, to: last?.to ?? given.length })
        }
      }
    }
    return without(given, spans)
  }
  return {
    add(secret) {
      for (const form of secretParts(secret).flatMap(formsOf)) {
        for (const { text } of stepsOf({ text: form })) {
          if (text.length < shortest || hidden.includes(text)) continue
          hidden.push(text)
          least = Math.min(least, text.length)
        }
        // Each character may be escaped, and escaped again.
        longest = Math.max(longest, form.length * 12)
      }
    },
    text(text, limit = Infinity) {
      if (longest === 0 || text.length <= limit + 2 * longest) return clean(text)
      // The last secret of the part may have lost its end.
      return clean(text.slice(0, limit + 2 * longest)).slice(0, -longest)
    },
  }
}

/** The secrets of this step: the process has no others, as the runner knows none but the job's. */
export const secrets = redaction()

/** Foreign text without them. @param limit of characters that are needed; what follows them may be missing */
export function withoutSecrets(text: string, limit?: number): string {
  return secrets.text(text, limit)
}

/** Takes them out of the texts of plain data, in place, except in fields that hold words of this project. */
export function hideSecrets(value: unknown, ownWords: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    const held: unknown = Reflect.get(value, key)
    if (ownWords.includes(key)) continue
    if (typeof held === 'string') Reflect.set(value, key, withoutSecrets(held))
    else hideSecrets(held, ownWords)
  }
}

/** A secret, and the parts that reveal enough: each line, and for a signed token (JWT) the payload and the signature. */
export function secretParts(secret: string): string[] {
  const lines = secret.split(/\r\n|[\r\n]|\\n/).map((line) => line.trim())
  const token = /^[\w-]+\.([\w-]+)\.([\w-]+)$/.exec(secret)
  const parts = [...lines, ...(token?.slice(1) ?? [])].filter((part) => part.length >= shortest)
  return [...new Set([secret, ...parts])]
}

/** Unchanged, in hex, and in base64 at each offset in a longer text. Other encodings are decoded. */
function formsOf(secret: string): string[] {
  const texts = [secret, encodeURIComponent(secret.toWellFormed())]
  const base64 = texts.flatMap((text) => [0, 1, 2].map((shift) => base64Inside(text, shift)))
  return [
    secret,
    ...texts.map((text) => Buffer.from(text).toString('hex')),
    ...base64,
    ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/** The digits that do not depend on what comes before and after the secret. */
function base64Inside(secret: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)])
  const digits = bytes.toString('base64').replaceAll('=', '')
  return digits.slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

/** Texts may be nested: in an address in JSON in HTML and so on, but not endlessly. */
const mostSteps = 6

function* stepsOf(given: Spelling): Generator<Spelling, undefined> {
  let step: Spelling | undefined = squeezed(given)
  for (let steps = 0; step && steps < mostSteps; steps++) {
    yield step
    const next = plainer(step)
    step = next && squeezed(next)
  }
  return undefined
}

/** A part of a text: its first character, and the one after its last. */
interface Span {
  from: number
  to: number
}

function without(text: string, spans: readonly Span[]): string {
  let rest = ''
  let end = 0
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    if (from >= end) rest += `${text.slice(end, from)}***`
    end = Math.max(end, to)
  }
  return rest + text.slice(end)
}

// Control and format characters (bidirectional controls, zero-width characters, tags, byte-order mark), line and
// paragraph separators, and letters that show as nothing.
export const unseen =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u{e0000}-\u{e0fff}]+/gu

/** A text, and for each of its characters (UTF-16), where that is asked, the part of the original that it stands for. */
interface Spelling {
  text: string
  places?: Span[]
}

/** The original itself. */
function placed(text: string): Spelling {
  return { text, places: Array.from({ length: text.length }, (_, from) => ({ from, to: from + 1 })) }
}

/** Blanks and line breaks, the sign that stands for a blank in a form, and invisible characters. */
const gaps = new RegExp(`[\\s+]+|${unseen.source}`, 'gu')
const breaks = /<w?br\/?>/gi

/** Without gaps and HTML line breaks, in lower case. */
function squeezed(spelling: Spelling): Spelling {
  const dense = replaced(spelling, gaps, () => []) ?? spelling
  const whole = replaced(dense, breaks, () => []) ?? dense
  return { ...whole, text: whole.text.replace(/[A-Z\u00c0-\u00de]+/g, (letters) => letters.toLowerCase()) }
}

// In this order: bytes of an address, however often encoded; a script's %uXXXX; backslashes with what they escape,
// however often escaped; an HTML entity, however often escaped. Each is found in linear time.
const escapes =
  /((?:%(?:25)*[0-9a-f]{2})+)|%u([0-9a-f]{4})|\\+(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|[nrtbfv])?|&(?:amp;)*(?:#0*(\d{1,7});?|#x0*([0-9a-f]{1,6});?|([a-z][a-z0-9]{1,15});)/gi

/** Whether a text is squeezed to the same characters in lower case, and has nothing to decode. */
function isPlain(text: string): boolean {
  return !/[^ -$'-*,-[\]-~]|< *[wbWB]/.test(text)
}

/** One step of decoding a squeezed text: its escapes are read once. Undefined if it has none. */
function plainer(spelling: Spelling): Spelling | undefined {
  return replaced(spelling, escapes, (match) => {
    const [whole = '', bytes, script, json, code, byte, decimal, hex, name] = match
    if (bytes !== undefined) return charactersOf(bytes)
    const hexCode = script ?? json ?? code ?? byte ?? hex
    const number = hexCode === undefined ? Number(decimal) : parseInt(hexCode, 16)
    const text = name === undefined ? character(number) : entities.get(name)
    return text === undefined ? undefined : [{ text, first: 0, end: whole.length }]
  })
}

/** Replaces matches by pieces; a match without pieces stays. Undefined if all stay. */
function replaced(
  { text, places }: Spelling,
  pattern: RegExp,
  pieces: (
    match: readonly (string | undefined)[],
  ) => { text: string; first: number; end: number }[] | undefined,
): Spelling | undefined {
  if (!places) {
    const plain = text.replace(pattern, (...match: string[]) => {
      const found = pieces(match)
      return found ? found.map((piece) => piece.text).join('') : (match[0] ?? '')
    })
    return plain === text ? undefined : { text: plain }
  }
  const texts: string[] = []
  const rest: Span[] = []
  let done = 0
  const keep = (end: number) => {
    texts.push(text.slice(done, end))
    for (; done < end; done++) rest.push(places[done] ?? { from: 0, to: 0 })
  }
  for (const match of text.matchAll(pattern)) {
    const found = pieces(match)
    if (!found) continue
    keep(match.index)
    done += match[0].length
    for (const piece of found) {
      texts.push(piece.text)
      const from = places[match.index + piece.first]?.from ?? 0
      const to = places[match.index + piece.end - 1]?.to ?? 0
      for (let i = 0; i < piece.text.length; i++) rest.push({ from, to })
    }
  }
  if (done === 0) return undefined
  keep(text.length)
  return { text: texts.join(''), places: rest }
}

/** The characters of a run of percent-encoded bytes, with their places in it. */
function charactersOf(run: string) {
  const bytes = Array.from(run.matchAll(/%(?:25)*([0-9a-f]{2})/gi), (match) => ({
    value: parseInt(match[1] ?? '', 16),
    first: match.index,
    end: match.index + match[0].length,
  }))
  const buffer = Buffer.from(bytes.map(({ value }) => value))
  const utf8 = buffer.toString('utf8')
  const text = utf8.includes('\ufffd') ? buffer.toString('latin1') : utf8
  let at = 0
  return Array.from(text, (char) => {
    const first = bytes[at]?.first ?? 0
    at += text === utf8 ? Buffer.byteLength(char) : 1
    return { text: char, first, end: bytes[at - 1]?.end ?? run.length }
  })
}

/** Nothing for an escape that has no number, such as that of a line break. */
function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

/** The HTML names of ASCII signs, and of Latin-1 in lower case, the latter by their codes from 160 on. */
const entities = new Map<string, string>([
  ...(
    'amp& lt< gt> quot" apos\' sol/ bsol\\ equals= plus+ percnt% num# dollar$ excl! quest? commat@ colon: semi; comma, ' +
    'period. lowbar_ underbar_ hyphen- dash- ast* midast* lpar( rpar) lsqb[ lbrack[ rsqb] rbrack] lcub{ lbrace{ rcub} ' +
    'rbrace} verbar| vert| verticalline| grave` hat^ tilde~ newline\n tab\t zwj\u200d zwnj\u200c zerowidthspace\u200b'
  )
    .split(' ')
    .map<[string, string]>((named) => [named.slice(0, -1), named.slice(-1)]),
  ...['ensp', 'emsp', 'thinsp'].map<[string, string]>((name) => [name, ' ']),
  ...(
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute ' +
    'micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig ' +
    'Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash ' +
    'Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ' +
    'ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc ' +
    'uuml yacute thorn yuml'
  )
    .split(' ')
    .map<[string, string]>((name, i) => [name.toLowerCase(), String.fromCharCode(160 + i)]),
])
