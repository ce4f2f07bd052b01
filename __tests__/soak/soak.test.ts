import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { planOf } from './plan.js'

const steps = 12

test('every claim of 12 steps at once is what the books of the service say', async () => {
  // In a process of its own: the simulated service is much faster there.
  const tsx = path.resolve('node_modules/tsx/dist/cli.mjs')
  const child = spawn(process.execPath, [tsx, 'scripts/soak.ts', '--steps', String(steps)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const stdout = await text(child.stdout)
  const figures: unknown = JSON.parse(stdout)
  expect(figures).toMatchObject({ steps, lies: [], started: { twice: 0, lost: 0 } })
  // So that there was something to claim.
  expect(figures).toHaveProperty(['told', 'own run'])
  expect(figures).toHaveProperty(['verdicts', 'passed'])
}, 600_000)

test('the same seed draws the same faults', () => {
  const draw = (seed: number) => Array.from({ length: 50 }, (_, step) => planOf(seed, step))
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).not.toEqual(draw(2))
  expect(
    new Set(draw(1).flatMap(({ faults }) => faults.map(({ fault }) => fault.kind))).size,
  ).toBeGreaterThan(10)
})
