import { withoutSecrets, unseen } from './redaction.js'

/**
 * Text that comes from the service, a report or a file name is hostile until shown otherwise. Each function
 * here makes it harmless for one place.
 */

/** Foreign text for a sentence: without secrets, as one line. */
export function oneLine(text: string, limit = 200): string {
  return line(withoutSecrets(text, limit * 4), limit)
}

/**
 * One line without control characters, at most `limit` characters; a cut is shown by an ellipsis. Secrets have been
 * taken out where the text entered: our words are never one.
 */
export function line(text: string, limit = 200): string {
  const head = text.slice(0, limit * 4)
  const whole = head
    .toWellFormed()
    .replace(unseen, ' ')
    // More than three marks on a letter only serve to leave the line.
    .replace(/(\p{M}{3})\p{M}+/gu, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  const points = [...whole]
  if (points.length <= limit && head.length === text.length) return whole
  return `${points.slice(0, limit - 1).join('')}…`
}

/** For a sentence: a message that quotes foreign text shows 60 characters of a word, and of what stands in quotes. */
export function shortWords(text: string, limit: number): string {
  const quoted = withoutSecrets(text).replace(/"(?:[^"\\]|\\.){61,}"|[^\s"']{61,}/g, (word) => line(word, 60))
  return line(quoted, limit)
}

/**
 * One line for a log or an annotation. The runner reads `::` at the start of a line and `##[` anywhere in it as a
 * workflow command, so both are broken up, but not an address such as `[::1]`, before which its bracket stands.
 */
export function logLine(text: string, limit = 500): string {
  return line(text, limit)
    .replace(/(?<!\[[\da-f:]{0,40}):(?=:)/gi, ': ')
    .replace(/#(?=#\[)/g, '# ')
}

/** For HTML text and for attribute values in quotes. */
export function htmlText(text: string, limit = 500): string {
  return unbroken(line(text, limit)).replace(/[&<>"'`]/g, entity)
}

/** A name or a gate for HTML text. */
export function htmlName(text: string, isGate: boolean): string {
  return codeLine(text, 200, isGate).replace(/[&<>"'`]/g, entity)
}

/** Lines to copy, as a block of code for Markdown. What indents a line is kept. */
export function markdownBlock(lines: readonly string[]): string {
  const text = indentedLines(lines)
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** Lines to copy, for HTML text: no space in them is replaced. */
export function htmlBlock(lines: readonly string[]): string {
  return indentedLines(lines).replace(/[&<>"'`]/g, entity)
}

function indentedLines(lines: readonly string[]): string {
  return lines.map((one) => (/^ */.exec(one)?.[0] ?? '') + line(one, 500)).join('\n')
}

/**
 * A name, or a gate as it was written, for Markdown inline: a code element, since GitHub looks for mentions, issues,
 * commits and emoji everywhere else after it has decoded entities.
 */
export function markdownName(text: string, limit = 120): string {
  return code(line(text, limit), markdownEntities)
}

/**
 * A sentence that may contain foreign text, for Markdown inline, not at the start of a line. An
 * address in it becomes a link only if it is one of `pages`: foreign text never links anywhere.
 */
export function markdownText(text: string, limit = 500, pages: readonly string[] = []): string {
  return inline(text, limit, markdownEntities, pages)
}

/** A name as code in a table cell: a long word may break, or it would make the table wider than a phone. */
export function markdownCellName(text: string, limit = 120, isGate = false): string {
  return code(codeLine(text, limit, isGate), breakableEntities)
}

/** Of a gate no limit is broken: after its operator a blank of any kind is as good as another when it is read again. */
function codeLine(text: string, limit: number, isGate: boolean): string {
  const whole = line(text, limit)
  return isGate ? whole.replace(/ (?=[^<>=≤≥"]*$)/g, '\u00a0') : whole
}

/** A sentence of foreign text in a table cell, whose long words may break. */
export function markdownCellText(text: string, limit = 500): string {
  return inline(text, limit, breakableEntities, [])
}

/**
 * A number stays on one line with its unit, noun or month, a length such as `5 h 45 min`, `3 of 12` and `330 → 470 ms` as
 * a whole, a limit with its sign. So does a date, although browsers break after a hyphen, and a time of day. A name in
 * quotes stays as it is: people copy it.
 */
function unbroken(text: string): string {
  return text.replace(/[^"]+|"[^"]*"?/g, (part) => (part.startsWith('"') ? part : unbrokenWords(part)))
}

function unbrokenWords(text: string): string {
  return (
    text
      .replace(/(\d{4})-(\d\d)-(\d\d)(?= \d\d:\d\d UTC)/g, '$1\u2011$2\u2011$3')
      .replace(/(?<=\u2011\d\d) (?=\d\d:\d\d UTC)|(?<=\d\d:\d\d) (?=UTC)/g, '\u00a0')
      .replace(
        /(?<=[\d%]) (?=(?:ms|s|min|h|%|×|\/s|\/min|\/h|points?|bytes|kB|MB|GB|more|before|warned|runs?|samples?|gates?|requests?|actions?|transactions?)(?![\p{L}\p{N}/])|\p{Lu}\p{Ll}{2})/gu,
        '\u00a0',
      )
      .replace(/(?<=\d\u00a0(?:h|min)) (?=\d+\u00a0(?:min|s)\b)/g, '\u00a0')
      .replace(/(?<=\bp\d\d(?:\.\d+)?) (?=[+−]?\d)/g, '\u00a0')
      .replace(/(?<=[≤≥<>=+±−]) (?=\d)/g, '\u00a0')
      // A phone has no room for two numbers above 9,999,999 in a row.
      .replace(
        /(?<=\d|%|\u00a0\S{1,4})(?<! of [\d,]+|[\d,.]{10}(?:%|\u00a0\S{1,4})?) → (?=[\d–])(?![\d,.]{10})/g,
        '\u00a0→\u00a0',
      )
      .replace(/(?<=\d) of (?=\d)/g, '\u00a0of\u00a0')
  )
}

/** Foreign text at the start of a line or of a list's item, where some signs would begin a list or a heading. */
export function markdownLine(text: string, limit = 500, pages: readonly string[] = []): string {
  return markdownText(text, limit, pages).replace(
    /^(\d*)([-+=.)])/,
    (_, digits: string, sign: string) => digits + entity(sign),
  )
}

/** A link for Markdown inline and table cells; the label alone if the address is not a web address. */
export function markdownLink(label: string, address: string | undefined, limit = 120): string {
  const href = webAddress(address)
  const text = markdownText(label, limit)
  if (href === undefined) return text
  return `[${text}](<${href.replace(/&/g, '&amp;')}>)`
}

/**
 * The address, if it is an absolute web address without credentials and with at most 2,000 characters. What Markdown
 * could read as syntax is percent-encoded.
 */
export function webAddress(address: string | undefined): string | undefined {
  if (address === undefined || address.length > 2000 || !URL.canParse(address)) return undefined
  const url = new URL(address)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  if (url.username !== '' || url.password !== '') return undefined
  const href = url.href.replace(
    /[^A-Za-z0-9\-._~:/?#@!&+,;=%[\]]/gu,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
  return href.length > 2000 ? undefined : href
}

/** What a link to an address shows of it in a sentence; all of what is no web address. */
export function hostOf(address: string): string {
  return webAddress(address) === undefined ? address : new URL(address).host
}

/** A label for the chart's language: letters, digits and a few signs, in which no syntax can hide. */
export function chartLabel(text: string, limit = 24): string {
  const label = line(text, 200).replace(/[^\p{L}\p{N} _./-]+/gu, ' ')
  return line(label.replace(/-{2,}/g, '-'), limit) || 'unnamed'
}

// What GitHub or a mail program would turn into a link: mentions, issues, addresses, commits, ticket numbers.
const reference = /[@#$]|:\/\/|www\.|:[\w+-]+:|(?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])|gh-\d|[a-z]{2,}-\d/i

function inline(text: string, limit: number, encode: (words: string) => string, pages: readonly string[]) {
  return unbroken(line(text, limit))
    .split(' ')
    .map((word) => {
      if (pages.includes(word)) return markdownLink(hostOf(word), word, 2000)
      if (!isReference(word)) return encode(word)
      // The sentence's own signs beside it are no part of it.
      const [, before = '', name = '', after = ''] = /^([("']*)(.*?)([.,;:!?)"']*)$/u.exec(word) ?? []
      return isReference(name) ? encode(before) + code(name, encode) + encode(after) : code(word, encode)
    })
    .join(' ')
}

/** A part after which a line may break is looked at by itself. */
function isReference(word: string): boolean {
  return reference.test(word) || reference.test(breakable(word))
}

function code(name: string, encode: (words: string) => string): string {
  if (name === '') return '<code>(no name)</code>'
  // Cut before each @: mail addresses are searched for in each piece of text separately.
  const pieces = name.split(/(?!^)(?=@)/u)
  return pieces.map((piece) => `<code>${encode(piece)}</code>`).join('')
}

function markdownEntities(words: string): string {
  return words.replace(markdownSigns, entity)
}

function breakableEntities(words: string): string {
  return markdownEntities(words.split(' ').map(breakable).join(' ')).replaceAll(mayBreak, '<wbr>')
}

/** Characters: beside a name of this length a phone still shows a column of figures. */
const longestWord = 16

const longestPieces = new RegExp(`.{1,${longestWord}}\\p{M}*`, 'gu')

/** A control character, of which no line has any. */
const mayBreak = '\u0000'

/** What has a meaning in Markdown, and the dot that makes a link after three w, wherever a line may break. */
const markdownSigns = new RegExp(`[&<>\`*_~[\\]\\\\|@#$]|:(?=\\S)|(?<=${`w${mayBreak}?`.repeat(3)})\\.`, 'gi')

/** May break after a sign, before a capital of a name such as `PlaceOrder`, and in what is still too long. */
function breakable(word: string): string {
  if (word.length <= longestWord || /\u00a0(?:→\u00a0|UTC|[-+]\u00a0|strict)/.test(word)) return word
  const pieces = word.split(/(?<=[^\p{L}\p{N}\p{M}])(?!(?<=\d[,.])\d)(?=[\p{L}\p{N}])|(?<=\p{Ll})(?=\p{Lu})/u)
  return pieces.flatMap((piece) => piece.match(longestPieces) ?? []).join(mayBreak)
}

function entity(char: string): string {
  if (char === '<') return '&lt;'
  if (char === '>') return '&gt;'
  if (char === '&') return '&amp;'
  return `&#${char.charCodeAt(0)};`
}

const maxNamed = 5

/** `"A", "B" and 2 more`; safe to print. */
export function nameList(names: readonly string[]): string {
  return listed(names.map((name) => `"${oneLine(name, 60)}"`))
}

/** The first five, and how many more there are. */
export function listed(all: readonly string[]): string {
  const rest = all.length - maxNamed
  return rest > 0 ? `${all.slice(0, maxNamed).join(', ')} and ${rest} more` : all.join(', ')
}
