import fc from 'fast-check'
import { hideSecrets, redaction, secrets } from '../../src/text/redaction.js'
import { anyText } from '../any-text.js'

const secret = 'q7+W/e=Z & 8%20"k"<v>\\é~s3cr3t-9f'
const token = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${Buffer.from(
  JSON.stringify({ sub: 'client-1', scope: 'LOADTEST_LIST', jti: '0b9c1f' }),
).toString('base64url')}.Vq3-_kD8mZp0aT5rYwXu2h`

/** Each byte of a text, or each of its UTF-16 units, in another way. */
const bytes = (write: (byte: number) => string) => (text: string) =>
  Array.from(Buffer.from(text), write).join('')
const units = (write: (unit: number) => string) => (text: string) =>
  text.replace(/[^]/g, (char) => write(char.charCodeAt(0)))
const hex = (byte: number) => byte.toString(16).padStart(2, '0')
const percent = bytes((byte) => `%${hex(byte)}`)
const entities: Record<string, string> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '+': '&plus;', '/': '&sol;', '=': '&equals;' },
  ...{ '%': '&percnt;', '\\': '&bsol;', '.': '&period;', '-': '&hyphen;', _: '&lowbar;', é: '&eacute;' },
}
const every = (text: string, between: string) => text.split(/(?<=^(?:.{4})+)/su).join(between)

/** How an answer may encode a text that it repeats. */
const spellings: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'each byte as %XX': (text) => percent(text).toUpperCase(),
  'as an address': encodeURIComponent,
  'each byte as %25XX': (text) => percent(text).replaceAll('%', '%2525'),
  'as a form': (text) => new URLSearchParams([['', text]]).toString().slice(1),
  'in hex': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'in JSON': (text) => JSON.stringify(text).slice(1, -1),
  'in JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  'in JSON with escapes': (text) =>
    text.replace(/[=&<>+]/g, (sign) => `\\u00${hex(sign.charCodeAt(0))}`).replaceAll('/', '\\/'),
  'in JSON with nothing but escapes': units((unit) => `\\u${unit.toString(16).padStart(4, '0')}`),
  'as \\xXX': bytes((byte) => `${byte < 128 ? '\\x' : '%'}${hex(byte)}`),
  'in XML': (text) => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign),
  'in named entities': (text) => text.replace(/[^a-z0-9 ]/gi, (sign) => entities[sign] ?? sign),
  'in decimal entities': units((unit) => `&#${unit};`),
  'in hexadecimal entities': units((unit) => `&#x${unit.toString(16)};`),
  'in escaped entities': units((unit) => `&amp;#${unit};`),
  'an address in JSON in HTML': (text) =>
    JSON.stringify(encodeURIComponent(text)).replaceAll('%', '&#37;').slice(1, -1),
  'in base64': (text) => Buffer.from(`id:${text}:x`).toString('base64'),
  'in base64 of an address': (text) => Buffer.from(`id:${encodeURIComponent(text)}:x`).toString('base64'),
  'in base64 for addresses': (text) => Buffer.from(`i:${text}`).toString('base64url'),
  'in base64 with line breaks': (text) => every(Buffer.from(`id:${text}`).toString('base64'), '\r\n'),
  'split by line breaks': (text) => every(text, '\n'),
  'split by <br>': (text) => every(text, '<br />'),
  'split by spaces': (text) => every(text, '  '),
  'split by zero-width characters': (text) => every(text, '\u200b\u2060'),
  'in other letters': (text) => text.toUpperCase(),
}

/** Whether three consecutive characters of a text are left, in any spelling. */
function leaves(redacted: string, spelt: string): boolean {
  const rest = redacted.replace(/^before |\*\*\*| after$/g, '')
  return rest.replace(/\s/g, '').length > 12 || (spelt.length > 20 && rest.includes(spelt.slice(4, 16)))
}

describe.each([
  ['a secret', secret],
  ['a token', token],
  ['a payload', token.split('.')[1] ?? ''],
  ['a signature', token.split('.')[2] ?? ''],
])('%s', (_, hidden) => {
  const secrets = redaction()
  secrets.add(secret)
  secrets.add(token)

  test.each(Object.entries(spellings))('%s', (_name, spell) => {
    const spelt = spell(hidden)
    const redacted = secrets.text(`before ${spelt} after`)
    expect(redacted).toMatch(/^before .*\*\*\*.* after$/s)
    expect(leaves(redacted, spelt)).toBe(false)
  })
})

test('header and payload together', () => {
  const secrets = redaction()
  secrets.add(token)
  expect(secrets.text(token.split('.').slice(0, 2).join('.'))).toMatch(/^[\w-]+\.\*\*\*$/)
})

describe('a secret of several lines', () => {
  const lines = [
    '-----BEGIN KEY-----',
    'MIIEvQIBADANBgkqhkiG9w0B',
    'AQEFAASCBKcwggSj',
    'ab',
    '-----END KEY-----',
  ]
  const secrets = redaction()
  secrets.add(lines.join('\n'))

  test('its lines, however they are joined', () => {
    for (const by of ['\n', '\r\n', '<br>', '<br/>\n', '\\n', '\\r\\n', ' ', '%0A', '&#10;', ''])
      expect([by, secrets.text(`a ${lines.join(by)} b`)]).toEqual([by, 'a *** b'])
  })

  test('one of its lines, in any encoding', () => {
    for (const line of lines.filter(({ length }) => length >= 6)) {
      expect(secrets.text(`a ${line} b`)).toBe('a *** b')
      expect(secrets.text(`a ${percent(line)} b`)).toBe('a *** b')
    }
    expect(secrets.text('a cab goes')).toBe('a cab goes')
  })
})

test('a secret is removed in any chain of encodings, and nothing else is', () => {
  const chain = fc.uniqueArray(
    fc.constantFrom(
      ...['each byte as %XX', 'as an address', 'in JSON', 'in JSON with nothing but escapes', 'in XML'],
      ...['in decimal entities', 'in hexadecimal entities'],
    ),
    { maxLength: 3 },
  )
  const splits = fc.constantFrom(
    ...['as it is', 'split by <br>', 'split by spaces', 'split by zero-width characters'],
  )
  const strong = fc.string({ minLength: 12, maxLength: 40, unit: 'grapheme-ascii' })
  fc.assert(
    fc.property(strong, chain, splits, (hidden, ways, split) => {
      const secrets = redaction()
      secrets.add(hidden)
      if (hidden.replace(/[\s+\\%&]/g, '').length < 10) return
      const whole = ways.reduce((text, way) => spellings[way]?.(text) ?? text, hidden)
      // The change that splits a text comes last.
      const spelt = spellings[split]?.(whole) ?? whole
      const redacted = secrets.text(`before: ${spelt} :after`)
      expect(redacted).toContain('***')
      expect(redacted).toMatch(/^before: .* :after$/s)
      expect(redacted.length).toBeLessThan(16 + 3 + spelt.length / 2)
    }),
    { numRuns: 80, seed: 42 },
  )
})

test('text without a secret stays unchanged, whatever its parts', () => {
  const secrets = redaction()
  secrets.add(secret)
  secrets.add(token)
  const piece = fc.oneof(
    anyText(),
    fc.constantFrom(
      '%25',
      '%',
      '&amp;',
      '&#',
      '\\u00',
      '\\',
      '<br>',
      '+',
      secret.slice(0, 5),
      secret.slice(9),
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('|')
      expect(secrets.text(text)).toBe(text)
    }),
    { numRuns: 80 },
  )
})

test('hostile text of 20 kB is read to its end, and its secret found', () => {
  const secrets = redaction()
  secrets.add(secret)
  const parts = [secret.slice(0, 20), percent(secret).slice(0, 60)]
  for (const unit of ['%25', '&amp;', '\\', '%', '&', '&#0', '<br', '\\u', ...parts]) {
    const text = unit.repeat(20_000 / unit.length)
    expect(secrets.text(`${text} ${percent(secret)}`)).toMatch(/\*\*\*$/)
  }
})

test('a text that is nothing but the shortest secret is hidden', () => {
  const redacted = redaction()
  redacted.add('a longer secret')
  redacted.add('sesame')
  expect(['sesame', 'Sesame', 'sesam'].map((text) => redacted.text(text))).toEqual(['***', '***', 'sesam'])
})

test('a short or empty text does not count as a secret', () => {
  const secrets = redaction()
  secrets.add('')
  secrets.add('abc')
  expect(secrets.text('abc %61bc')).toBe('abc %61bc')
})

test('plain data loses them in its texts, but no word of ours', () => {
  secrets.add(secret)
  secrets.add('median')
  const data = { name: `a ${percent(secret)}`, list: [{ name: secret, value: 3 }, null], twice: ['median'] }
  hideSecrets(data, ['twice'])
  expect(data).toEqual({ name: 'a ***', list: [{ name: '***', value: 3 }, null], twice: ['median'] })
})

test('a text that is cut loses a secret first, and none is cut in two', () => {
  const hidden = redaction()
  hidden.add(secret)
  const escaped = units((unit) => `&amp;amp;#${unit};`)
  for (const [spelt, margin] of [
    [secret, 0],
    [percent(secret), 9],
    [escaped(secret), 9],
  ] as const) {
    for (let before = 0; before < 60; before++) {
      const text = 'x'.repeat(before) + spelt.repeat(500) + 'y'
      const cut = hidden.text(text, 40 + margin).slice(0, 40 + margin)
      expect(cut).toMatch(/^x*(?:\*\*\*)*(?:\*{1,2}|y)?$/)
    }
  }
})
