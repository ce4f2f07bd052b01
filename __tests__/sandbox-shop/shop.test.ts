import { startShop } from '../../sandbox/shop/shop.js'
import { webshop } from '../../sandbox/report/webshop.js'

test('the shop listens on loopback and serves everything in the model', async () => {
  // Fast, so that no test waits for it.
  const shop = await startShop({ slowdown: 0.001 })
  const { url } = shop
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
  await shop.close()
})
