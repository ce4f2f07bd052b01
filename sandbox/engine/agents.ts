import { once } from 'node:events'
import { mkdir, symlink } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { run } from './child.js'
import { engineProgram } from './programs.js'
import type { Release } from './release.js'

/** An agent controller of this machine, in a separate process, as on another machine. */
export interface StartedController {
  url: string
  /** Resolves when it has ended; never rejects. */
  done: Promise<void>
}

/** Starts an agent controller on loopback; it ends when `signal` is aborted. @throws Error if it does not start */
export async function startAgentController(
  { release, javaHome, folder, port }: { release: Release; javaHome: string; folder: string; port: number },
  signal: AbortSignal,
): Promise<StartedController> {
  const home = path.join(folder, 'engine')
  await mkdir(home, { recursive: true })
  for (const name of ['bin', 'config', 'lib']) {
    await symlink(path.join(release.home, name), path.join(home, name))
  }
  const args = listeningAt(port)
  const ending = new AbortController()
  const done = run(engineProgram('agents', { home, javaHome, cwd: folder, args }), { signal })
    .then(
      () => undefined,
      () => undefined,
    )
    .finally(() => ending.abort())
  while (!(await answers(port))) {
    if (ending.signal.aborted) {
      throw new Error(`The agent controller at port ${port} did not start; see ${folder}/agents.log.`)
    }
    await pause(100)
  }
  return { url: `https://127.0.0.1:${port}`, done }
}

/** Arguments with which an agent controller listens on loopback only; without them, on all networks at port 8500. */
export function listeningAt(port: number): string[] {
  return ['host=127.0.0.1', `port=${port}`].flatMap((setting) => [
    '-D',
    `com.xceptance.xlt.agentcontroller.${setting}`,
  ])
}

/** Whether something listens there. */
export async function answers(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = connect(port, host)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
