import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Bench, body } from './little-action.js'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
})
afterAll(() => bench.remove())

const WAIT = 'setInterval(() => {}, 1000)'
const READY = "say('ready')"
const cancelOn = (line: string): boolean => line === 'ready'

describe('a cancelled step', () => {
  test('is killed with all that it started if it ignores both', async () => {
    const child =
      "process.on('SIGINT', () => {}); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')"
    const main = `import { spawn } from 'node:child_process'
process.on('SIGINT', () => {}); process.on('SIGTERM', () => {})
const child = spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' })
file('OUTPUT', 'child=' + child.pid); ${WAIT}`
    const { main: result } = await bench.run(
      { main },
      { cancelOn },
      { timings: { interrupt: 200, terminate: 200 } },
    )
    expect(result).toMatchObject({
      conclusion: 'cancelled',
      exitCode: null,
      signal: 'SIGKILL',
      signals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
    })
    expect(await isGone(Number(result.outputs['child']))).toBe(true)
  })

  test('continues if its condition is true for a cancelled job', async () => {
    const main = `process.on('SIGINT', () => say('heard')); ${READY}; setTimeout(() => { say('end') }, 200)`
    const { main: result } = await bench.run({ main }, { cancelOn, if: 'always()' }, {})
    expect(result).toMatchObject({ conclusion: 'success', signals: [] })
    expect(body(result)).toEqual(['ready', 'end'])
  })
})

describe('after a cancellation', () => {
  test('post steps share the remaining time, and are killed when it is over', async () => {
    const job = await bench.job({ timings: { afterCancel: 300 } })
    const quick = await bench.action({ main: READY, post: "say('never')" })
    const slow = await bench.action({ main: READY, post: `file('OUTPUT', 'a=1'); say('slow'); ${WAIT}` })
    await job.runStep({ action: quick, id: 'quick' }).done
    await job.runStep({ action: slow, id: 'slow' }).done
    const posts = await job.finish({ onLine: (line) => line === 'slow' && job.cancel() })
    expect(
      posts.map(({ id, conclusion, rawStdout, signals }) => ({ id, conclusion, rawStdout, signals })),
    ).toEqual([
      { id: 'slow', conclusion: 'cancelled', rawStdout: 'slow\n', signals: ['SIGKILL'] },
      { id: 'quick', conclusion: 'cancelled', rawStdout: '', signals: [] },
    ])
    expect(posts[0]?.outputs).toEqual({})
  })
})

// A killed process may remain a zombie until its new parent collects it; that counts as gone.
async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (!isRunning(pid)) return true
    await pause(50)
  }
  return false
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (process.platform !== 'linux' || !readdirSync('/proc').includes(String(pid))) return true
  return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}
