import { seededRandom } from '../../sandbox/report/random.js'
import type { LoadTest } from '../../src/service/wire.js'
import { waitForEnd } from '../../src/follow/end.js'
import type { Path } from '../bench.js'
import { quietLog } from '../programs/quiet-log.js'
import type { Row } from '../row.js'

const second = 1000
const minute = 60 * second
const everyFive = 5 * second

/** Follows load tests of about an hour on a simulated clock; their template ran before. */
export const follow: Path = {
  name: 'follow',
  async measure({ sizes }) {
    const count = sizes.loadTests
    const random = seededRandom(1, 'follow')
    let requests = 0
    let rival = 0
    let late = 0
    let rivalLate = 0
    for (let index = 0; index < count; index++) {
      const between = (low: number, high: number) => random.between(low * second, high * second)
      const load = between(48 * 60, 58 * 60)
      // Waiting, machines, the load itself, clean-up with the report: all but the load differ from run to run.
      const oneRun = () => [between(5, 60), between(90, 400), load + between(-20, 20), between(60, 300)]
      const phases = oneRun()
      const ours = await watched(phases, total(oneRun()))
      const looks = Math.ceil(total(phases) / everyFive)
      requests += ours.requests / count
      rival += (looks + 1) / count
      late += ours.late / count
      rivalLate += (looks * everyFive - total(phases)) / count
    }
    const input = `${count} load tests of about an hour`
    const about = { input, memory: {}, runs: count }
    const rows: Row[] = [
      {
        ...about,
        path: 'follow a load test',
        unit: 'requests',
        ours: requests,
        rival: { name: 'asking every 5 s', value: rival },
        compared: { kind: 'ratio', value: requests / rival, goal: { bound: 'at most', value: 0.2 } },
      },
      {
        ...about,
        path: 'follow, its end noticed after',
        unit: 'ms',
        ours: late,
        rival: { name: 'asking every 5 s', value: rivalLate },
        compared: { kind: 'value', value: late, goal: { bound: 'at most', value: 4 * second } },
      },
    ]
    return rows
  },
}

const states = ['SCHEDULED', 'PROVISIONING', 'RUNNING', 'DEPROVISIONING', 'FINISHED']

function total(phases: readonly number[]): number {
  return phases.reduce((sum, phase) => sum + phase, 0)
}

/** @param phases milliseconds in each state but the last */
async function watched(
  phases: readonly number[],
  expected: number,
): Promise<{ requests: number; late: number }> {
  let now = 0
  let requests = 0
  const look = async (): Promise<LoadTest> => {
    requests++
    let left = now
    const state = states[phases.findIndex((phase) => (left -= phase) < 0)] ?? 'FINISHED'
    return { number: 1, state }
  }
  await waitForEnd({
    client: { status: look, details: look },
    number: 1,
    expected,
    timeout: 360 * minute,
    clock: { now: () => now, sleep: async (ms) => void (now += ms) },
    signal: new AbortController().signal,
    log: quietLog,
    onState: () => undefined,
  })
  return { requests, late: now - total(phases) }
}
