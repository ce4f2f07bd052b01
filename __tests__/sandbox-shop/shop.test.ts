import { startShop, type Shop, type ShopSettings } from '../../sandbox/shop/shop.js'
import { webshop } from '../../sandbox/report/webshop.js'

let shops: Shop[] = []
afterEach(async () => {
  await Promise.all(shops.map((shop) => shop.close()))
  shops = []
})

async function open(changes: Partial<ShopSettings> = {}): Promise<Shop> {
  // Fast, so that no test waits for it.
  const shop = await startShop({ slowdown: 0.001, ...changes })
  shops.push(shop)
  return shop
}

test('the shop listens on loopback and serves everything in the model', async () => {
  const { url } = await open()
  expect(new URL(url).hostname).toBe('127.0.0.1')
  for (const { requests } of webshop.flatMap(({ actions }) => actions)) {
    for (const { method, path, contentType, bytes } of requests) {
      const response = await fetch(new URL(path, url), { method })
      expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, contentType])
      const { length } = Buffer.from(await response.arrayBuffer())
      expect(Math.abs(length - bytes)).toBeLessThan(200)
    }
  }
  expect((await fetch(new URL('/nowhere', url))).status).toBe(404)
})

test('requests fail and products sell out as often as set, in the same order for the same seed', async () => {
  const course = async (seed: number) => {
    const { url } = await open({ seed, errorRate: 0.3, outOfStock: 0.5 })
    const answers: string[] = []
    for (let index = 0; index < 60; index++) {
      const response = await fetch(new URL('/product/1042', url))
      answers.push(`${response.status} ${(await response.text()).includes('Out of stock')}`)
    }
    return answers
  }
  const [first, again, other] = [await course(4), await course(4), await course(5)]
  expect(first).toEqual(again)
  expect(first).not.toEqual(other)
  const failed = first.filter((answer) => answer.startsWith('503')).length
  expect(failed).toBeGreaterThan(8)
  expect(failed).toBeLessThan(30)
  expect(new Set(first)).toEqual(new Set(['200 true', '200 false', '503 false']))
})
