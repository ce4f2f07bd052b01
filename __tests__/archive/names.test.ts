import fc from 'fast-check'
import { linkFault, linkTree, nameFault, topLevelName } from '../../src/archive/names.js'
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
  test('a name of plain parts has no fault', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9 _äöü-]{1,20}$/)
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 20 }), fc.boolean(), (parts, folder) => {
        expect(nameFault(parts.join('/') + (folder ? '/' : ''))).toBeUndefined()
      }),
    )
  })
})

test.each([
  ['l', 'a', undefined],
  ['l', './a//b/./c/', undefined],
  ['l', '.', undefined],
  ['l', 'c:x', undefined],
  ['l', 'l', undefined],
  ['a/b/l', '../../x', undefined],
  ['a/b/l', '../../../x', 'that leave the tree'],
  ['l', '..', 'that leave the tree'],
  ['a/l', './..//../', 'that leave the tree'],
  ['l', 'a/../b', undefined],
  ['l', 'a/../..', 'that leave the tree'],
  ['a/l', '../link/..', 'with ".." after another link'],
  ['l', 'link/x/../..', 'with ".." after another link'],
  ['l', '', 'without a usable target'],
  ['l', '..\\x', 'without a usable target'],
  ['l', 'x/../'.repeat(60), 'without a usable target'],
  ['l', '/', 'with an absolute target'],
  ['l', '\\x', 'with an absolute target'],
  ['l', 'c:/x', 'with an absolute target'],
  ['l', 'c:\\x', 'with an absolute target'],
])('the link %s to %j: %s', (name, target, fault) => {
  expect(linkFault(name, target, linkTree(['link']))).toBe(fault && `Symbolic links ${fault}`)
})

test('of a link that goes in and out of folders, each part is looked up once', () => {
  let characters = 0
  class Counting extends Map<string, Counting> {
    override get(part: string) {
      characters += part.length
      return super.get(part)
    }
  }
  const folder = `${'d'.repeat(200)}/`.repeat(15)
  expect(linkFault(`${folder}l`, `${'b'.repeat(70)}/../`.repeat(50), new Counting())).toBeUndefined()
  expect(characters).toBeLessThan(7000)
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
