import { posix } from 'node:path'
import fc from 'fast-check'
import { Links, nameFault, topLevelName } from '../../src/archive/names.js'
import { looksSecret } from '../../src/text/secret-name.js'
import { anyText } from '../any-text.js'

describe('the top-level directory', () => {
  test.each([
    ['owner/shop-tests', 'shop-tests'],
    ['/home/user/My Tests/', 'My-Tests'],
    ['C:\\work\\repo', 'repo'],
    ['Lasttests für Köln', 'Lasttests-f-r-K-ln'],
    ['.hidden', 'hidden'],
    ['..', 'load-test'],
    ['', 'load-test'],
    ['///', 'load-test'],
    ['日本', 'load-test'],
    ['con', 'load-test'],
    ['NUL.txt', 'load-test'],
    ['console', 'console'],
    ['a'.repeat(500), 'a'.repeat(100)],
    ['dots...', 'dots'],
  ])('%j becomes %s', (wish, name) => {
    expect(topLevelName(wish)).toBe(name)
  })

  test('is always a name that any system accepts', () => {
    fc.assert(
      fc.property(anyText(), (wish) => {
        const name = topLevelName(wish)
        expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/)
        expect(nameFault(`${name}/x`)).toBeUndefined()
        expect(topLevelName(name)).toBe(name)
      }),
    )
  })
})

describe('the names of entries', () => {
  test('a name without a fault stays inside, whatever its parts', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', 'a', '...', 'C:', '\\', 'top', '\0'),
      anyText({ maxLength: 5 }),
    )
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const name = parts.join('/')
        if (nameFault(name) !== undefined) return
        const root = '/unpacked/here'
        const end = posix.resolve(root, name)
        expect(end.startsWith(`${root}/`)).toBe(true)
        expect(end).toBe(`${root}/${name.replace(/\/$/, '')}`)
        expect(name).not.toMatch(/\\|\0/)
      }),
      { numRuns: 400 },
    )
  })

  test('a name of plain parts has no fault', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9 _äöü-]{1,20}$/)
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 20 }), fc.boolean(), (parts, folder) => {
        expect(nameFault(parts.join('/') + (folder ? '/' : ''))).toBeUndefined()
      }),
    )
  })
})

describe('links', () => {
  const to = (links: Record<string, string>, name: string): string =>
    new Links(new Map(Object.entries(links))).destination(name)

  test.each([
    [{ l: 'a' }, 'inside'],
    [{ l: '.' }, 'inside'],
    [{ l: './a//b/./c/' }, 'inside'],
    [{ l: '..' }, 'outside'],
    [{ l: 'a/../..' }, 'outside'],
    [{ l: '' }, 'outside'],
    [{ l: '..\\x' }, 'outside'],
    [{ l: '/' }, 'absolute'],
    [{ l: '\\x' }, 'absolute'],
    [{ l: 'c:x' }, 'inside'],
    [{ l: 'c:/x' }, 'absolute'],
    [{ l: 'c:\\x' }, 'absolute'],
    [{ l: 'm', m: '/etc' }, 'absolute'],
    [{ l: 'l' }, 'circle'],
    [{ l: 'a/m', 'a/m': '../l/x' }, 'circle'],
    [{ l: 'm/..', m: 'a/b' }, 'inside'],
    [{ l: 'm/../..', m: 'a' }, 'outside'],
    [{ l: 'm/../../c', m: 'a/b' }, 'inside'],
  ])('%j leads %s', (links, destination) => {
    expect(to(links, 'l')).toBe(destination)
  })

  test('a link in a folder is relative to that folder', () => {
    expect(to({ 'a/b/l': '../../x' }, 'a/b/l')).toBe('inside')
    expect(to({ 'a/b/l': '../../../x' }, 'a/b/l')).toBe('outside')
  })

  test('the work for all links together is limited: the last of very many long ones is refused', () => {
    const links = new Map<string, string>()
    for (let i = 0; i < 10_000; i += 1) links.set(`l${i}`, `${'./x/../'.repeat(500)}end`)
    const tangle = new Links(links)
    const ends = [...links.keys()].map((name) => tangle.destination(name))
    expect(ends[0]).toBe('inside')
    expect(ends[4000]).toBe('inside')
    expect(ends.at(-1)).toBe('circle')
  })
})

const credentials =
  '.netrc _netrc .npmrc .git-credentials credentials.json .aws/credentials .docker/config.json'
const keys = '.ssh/config server.pem KEY.PEM tls.key id_rsa a/id_ed25519 x.p12 store.pfx trust.jks'
const others = '.env a/.env.production prod.env secrets.yml service-account-prod.json settings-security.xml'

test.each([credentials, keys, others].flatMap((names) => names.split(' ')))(
  '%s looks like a secret',
  (name) => {
    expect(looksSecret(name)).toBe(true)
  },
)

const alike = 'id_rsa.pub keys.java keyboard.key.txt netrc a.pem/x docker/config.json Secrets.java'
const plain = '.env.example env environment.ts pom.xml credentials/Readme.md'

test.each([alike, plain].flatMap((names) => names.split(' ')))('%s does not', (name) => {
  expect(looksSecret(name)).toBe(false)
})
