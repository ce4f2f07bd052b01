import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { SecretMasker } from '../../sandbox/runner/secret-masker.js'

function masker(...secrets: string[]): SecretMasker {
  const made = new SecretMasker()
  secrets.forEach((secret) => made.add(secret))
  return made
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('what is hidden of a secret', () => {
  test.each([
    ['itself', 'opensesame', 'say opensesame now', 'say *** now'],
    ['each time', 'abc', 'abcabc abc', '*** ***'],
    ['base64', 'opensesame', base64('opensesame'), '***'],
    ['base64 after one byte', 'opensesame', base64(':opensesame'), 'Om9w***'],
    ['base64 after two bytes', 'opensesame', base64('u:opensesame'), 'dTpv***'],
    ['base64 after three bytes', 'opensesame', base64('me:opensesame'), 'bWU6***'],
    ['URI', "a b/c'd(e)", 'q=a%20b%2Fc%27d%28e%29', 'q=***'],
    ['JSON', 'say "x"\n', '{"a":"say \\"x\\"\\n"}', '{"a":"***"}'],
    ['XML', `<a b="c">&'`, 'v=&lt;a b=&quot;c&quot;&gt;&amp;&apos;', 'v=***'],
    ['expression', "it's secret", "format('it''s secret')", "format('***')"],
    ['shell', 'quo"ted', 'docker -e "quo\\"ted"', 'docker -e "***"'],
    ['nothing else', 'opensesame', 'open sesame', 'open sesame'],
    ['half a surrogate pair', 'secret\ud800', 'x secret\ud800 y', 'x *** y'],
  ])('%s', (_name, secret, text, shown) => {
    expect(masker(secret).mask(text)).toBe(shown)
  })

  test('secrets that overlap or touch show as one', () => {
    expect(masker('abcd', 'cdef').mask('xabcdefx')).toBe('x***x')
    expect(masker('ab', 'cd').mask('xabcdx')).toBe('x***x')
    expect(masker('abc').mask('xababcx')).toBe('xab***x')
    expect(masker('aba').mask('xababax')).toBe('x***x')
  })

  test('an empty secret hides nothing, and a text without secrets stays unchanged', () => {
    expect(masker('').mask('text')).toBe('text')
    expect(masker('x').mask('')).toBe('')
  })

  test('a secret of several lines is hidden line by line too', () => {
    const made = new SecretMasker()
    made.addWithLines('line one\r\n  line two \n\nline three')
    expect(made.mask('line one|line two|line three')).toBe('***|***|***')
    expect(made.mask('[line one\r\n  line two \n\nline three]')).toBe('[***]')
  })
})

test('no secret is left in any text that contains it', () => {
  const secret = fc
    .string({ minLength: 5, maxLength: 20 })
    .filter((text) => !'***'.includes(text) && !text.includes('*'))
  fc.assert(
    fc.property(secret, fc.array(fc.string()), (hidden, around) => {
      expect(masker(hidden).mask(around.join(hidden))).not.toContain(hidden)
    }),
  )
})
