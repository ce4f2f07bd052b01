import { once } from 'node:events'
import { createServer } from 'node:net'
import { answers } from '../../sandbox/engine/agents.js'
import { freePort } from '../../sandbox/engine/free-port.js'
import { portOf } from '../step/front.js'

test('a port that is taken is not the one that an agent controller gets', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const wanted = portOf(other.address())
  const given = await freePort(wanted)
  expect(given).not.toBe(wanted)
  expect(given).toBeGreaterThan(0)
  expect(await answers(wanted)).toBe(true)
  other.close()
})
