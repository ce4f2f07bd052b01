import { once } from 'node:events'
import { createServer } from 'node:net'
import { answers } from '../../sandbox/engine/agents.js'
import { freePort } from '../../sandbox/engine/free-port.js'

test('a port that is taken is not the one that an agent controller gets', async () => {
  const wanted = await freePort()
  expect(await answers(wanted)).toBe(false)
  expect(await freePort(wanted)).toBe(wanted)
  const other = createServer().listen(wanted, '127.0.0.1')
  await once(other, 'listening')
  const given = await freePort(wanted)
  expect(given).not.toBe(wanted)
  expect(given).toBeGreaterThan(0)
  expect(await answers(wanted)).toBe(true)
  other.close()
})
