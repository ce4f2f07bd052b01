import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { inFolder, installed } from './read-back.js'

const suite = path.resolve('examples/webshop-suite')
const withJava = installed('javac') && installed('java') ? test : test.skip

async function sources(): Promise<string[]> {
  const entries = await readdir(path.join(suite, 'src'), { recursive: true })
  return entries.filter((name) => name.endsWith('.java')).map((name) => path.join(suite, 'src', name))
}

test('the example is a Maven suite that can be started on Unix', async () => {
  expect(await readFile(path.join(suite, 'pom.xml'), 'utf8')).toContain(
    '<artifactId>webshop-loadtest</artifactId>',
  )
  expect((await stat(path.join(suite, 'mvnw'))).mode & 0o111).toBe(0o111)
  expect(await readFile(path.join(suite, '.gitignore'), 'utf8')).toBe('target/\nresults/\n')
})

test('each scenario of the load profile has its class', async () => {
  const profile = await readFile(path.join(suite, 'config/loadtest.properties'), 'utf8')
  const [, names = ''] = /^loadtest\.scenarios = (.*)$/m.exec(profile) ?? []
  expect(names.split(', ')).toHaveLength(4)
  const files = await sources()
  for (const name of names.split(', ')) {
    expect(profile).toContain(`loadtest.${name}.class = com.example.webshop.loadtest.${name}\n`)
    expect(profile).toMatch(new RegExp(`^loadtest\\.${name}\\.users = \\d+$`, 'm'))
    expect(files.filter((file) => file.endsWith(`/${name}.java`))).toHaveLength(1)
  }
})

withJava('it compiles without a warning and puts load on a shop', async () => {
  await inFolder(async (folder) => {
    const classes = path.join(folder, 'classes')
    execFileSync('javac', ['--release', '17', '-Xlint:all', '-Werror', '-d', classes, ...(await sources())])
    const asked = new Set<string>()
    const shop = createServer((request, response) => {
      asked.add(`${request.method ?? ''} ${(request.url ?? '').replace(/\?.*/, '')}`)
      response.statusCode = request.url === '/checkout/payment' ? 503 : 200
      response.end('ok')
    })
    shop.listen(0, '127.0.0.1')
    await once(shop, 'listening')
    const address = shop.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    try {
      const settings = {
        'webshop.url': `http://127.0.0.1:${address.port}/`,
        'thinktime.mean': '1',
        'thinktime.deviation': '0',
        'loadtest.rampup': '0',
        'loadtest.duration': '0',
        'results.folder': path.join(folder, 'results'),
        ...Object.fromEntries(
          ['TBrowse', 'TSearch', 'TAddToCart', 'TCheckout'].map((name) => [`loadtest.${name}.users`, '1']),
        ),
      }
      const options = Object.entries(settings).map(([key, value]) => `-D${key}=${value}`)
      const main = 'com.example.webshop.loadtest.LoadTest'
      const java = spawn('java', [...options, '-cp', classes, main], { cwd: suite, stdio: 'inherit' })
      const [code] = (await once(java, 'exit')) as unknown[]
      expect(code).toBe(0)
    } finally {
      shop.closeAllConnections()
      shop.close()
    }
    expect([...asked]).toEqual(
      expect.arrayContaining([
        'GET /',
        'GET /search',
        'GET /product/1042',
        'POST /cart/add',
        'POST /checkout/payment',
      ]),
    )
    // The payment failed, so that nothing was ordered.
    expect([...asked]).not.toContain('POST /checkout/order')
    const timers = (name: string) => readFile(path.join(folder, 'results', name, '0', 'timers.csv'), 'utf8')
    expect(await timers('TBrowse')).toMatch(/^R,Homepage\.1,\d+,\d+,false,200$/m)
    expect(await timers('TBrowse')).toMatch(/^T,TBrowse,\d+,\d+,false$/m)
    const checkout = await timers('TCheckout')
    expect(checkout).toMatch(/^R,PaymentMethod\.1,\d+,\d+,true,503$/m)
    expect(checkout).toMatch(/^A,PaymentMethod,\d+,\d+,true$/m)
    expect(checkout).toMatch(/^T,TCheckout,\d+,\d+,true$/m)
  })
})
