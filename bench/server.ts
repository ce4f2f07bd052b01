import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { node24 } from '../sandbox/runner/node24.js'

/** Runs the work with a server in a separate process, which ends with it. @param work gets the server's first line */
export async function withServer<T>(
  file: string,
  args: readonly string[],
  work: (said: string) => Promise<T>,
): Promise<T> {
  const server = spawn(node24(), [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  try {
    const lines = createInterface({ input: server.stdout })
    const said = await Promise.race([
      once(lines, 'line').then(([line]) => String(line)),
      ended.then(() => Promise.reject(new Error(`${file} ended before it was ready`))),
    ])
    return await work(said)
  } finally {
    server.stdin.end()
    await ended
  }
}
