// Control and format characters (bidirectional controls, zero-width characters, tags, byte-order mark), line and
// paragraph separators, and letters that show as nothing.
export const unseen =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u{e0000}-\u{e0fff}]+/gu

/** A text, and for each of its characters (UTF-16) the part of the original that it stands for. */
export interface Spelling {
  text: string
  /** Where that part begins, and where it has ended. */
  from: number[]
  to: number[]
}

/** The original itself. */
export function spelt(text: string): Spelling {
  const from = Array.from({ length: text.length }, (_, i) => i)
  return { text, from, to: from.map((i) => i + 1) }
}

/** Blanks and line breaks, the sign that stands for a blank in a form, and invisible characters. */
const gaps = new RegExp(`[\\s+]+|${unseen.source}`, 'gu')
const breaks = /<w?br\/?>/gi

/** Without gaps and HTML line breaks, in lower case. */
export function squeezed(spelling: Spelling): Spelling {
  const dense = replaced(spelling, gaps, () => []) ?? spelling
  const whole = replaced(dense, breaks, () => []) ?? dense
  return { ...whole, text: whole.text.replace(/[A-Z\u00c0-\u00de]/g, (letter) => letter.toLowerCase()) }
}

// In this order: bytes of an address, however often encoded; a script's %uXXXX; backslashes with what they escape,
// however often escaped; an HTML entity, however often escaped. Each is found in linear time.
const escapes =
  /((?:%(?:25)*[0-9a-f]{2})+)|%u([0-9a-f]{4})|\\+(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|[nrtbfv])?|&(?:amp;)*(?:#0*(\d{1,7});?|#x0*([0-9a-f]{1,6});?|([a-z][a-z0-9]{1,15});)/gi

/** Whether a text is squeezed to the same characters in lower case, and has nothing to decode. */
export function isPlain(text: string): boolean {
  return !/[^ -$'-*,-;=-[\]-~]/.test(text)
}

/** One step of decoding a squeezed text: its escapes are read once. Undefined if it has none. */
export function plainer(spelling: Spelling): Spelling | undefined {
  return replaced(spelling, escapes, (match) => {
    const [whole, bytes, script, json, code, byte, decimal, hex, name] = match
    if (bytes !== undefined) return charactersOf(bytes)
    const hexCode = script ?? json ?? code ?? byte ?? hex
    const number = hexCode === undefined ? Number(decimal) : parseInt(hexCode, 16)
    const text = name === undefined ? character(number) : entities.get(name)
    return text === undefined ? undefined : [{ text, first: 0, end: whole.length }]
  })
}

/** A piece of text and what it stands for, from one place to after its last character. */
interface Piece {
  text: string
  first: number
  end: number
}

/** Replaces matches by pieces; a match without pieces stays. Undefined if all stay. */
function replaced(
  { text, from, to }: Spelling,
  pattern: RegExp,
  pieces: (match: RegExpExecArray) => Piece[] | undefined,
): Spelling | undefined {
  const texts: string[] = []
  const rest: Pick<Spelling, 'from' | 'to'> = { from: [], to: [] }
  let done = 0
  const keep = (end: number) => {
    texts.push(text.slice(done, end))
    for (; done < end; done++) {
      rest.from.push(from[done] ?? 0)
      rest.to.push(to[done] ?? 0)
    }
  }
  for (const match of text.matchAll(pattern)) {
    const found = pieces(match)
    if (!found) continue
    keep(match.index)
    done += match[0].length
    for (const piece of found) {
      texts.push(piece.text)
      for (let i = 0; i < piece.text.length; i++) {
        rest.from.push(from[match.index + piece.first] ?? 0)
        rest.to.push(to[match.index + piece.end - 1] ?? 0)
      }
    }
  }
  if (done === 0) return undefined
  keep(text.length)
  return { ...rest, text: texts.join('') }
}

/** The characters of a run of percent-encoded bytes, with their places in it. */
function charactersOf(run: string): Piece[] {
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
  ...Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" },
    ...{ sol: '/', bsol: '\\', equals: '=', plus: '+', percnt: '%', num: '#', dollar: '$', excl: '!' },
    ...{
      quest: '?',
      commat: '@',
      colon: ':',
      semi: ';',
      comma: ',',
      period: '.',
      lowbar: '_',
      underbar: '_',
    },
    ...{
      hyphen: '-',
      dash: '-',
      ast: '*',
      midast: '*',
      lpar: '(',
      rpar: ')',
      lsqb: '[',
      lbrack: '[',
      rsqb: ']',
    },
    ...{
      rbrack: ']',
      lcub: '{',
      lbrace: '{',
      rcub: '}',
      rbrace: '}',
      verbar: '|',
      vert: '|',
      verticalline: '|',
    },
    ...{ grave: '`', hat: '^', tilde: '~', newline: '\n', tab: '\t', zwj: '\u200d', zwnj: '\u200c' },
    ...{ zerowidthspace: '\u200b', ensp: ' ', emsp: ' ', thinsp: ' ' },
  }),
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
