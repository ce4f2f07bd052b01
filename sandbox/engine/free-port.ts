import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port that nothing on loopback listens on, for a program that must be given one: the wanted one, if it is free. */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (wanted === 0) throw error
    return freePort()
  }
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}
