import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'

const steps = 24

test('everything that 24 steps claim, four at a time, agrees with the books of the service', async () => {
  // In a separate process, like npm run soak.
  const tsx = path.resolve('node_modules/tsx/dist/cli.mjs')
  const child = spawn(process.execPath, [tsx, 'scripts/soak.ts', '--steps', String(steps)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const stdout = await text(child.stdout)
  const figures: unknown = JSON.parse(stdout)
  expect(figures).toMatchObject({ steps, lies: [], started: { twice: 0, lost: 0 } })
  // At least some steps must have claimed something.
  expect(figures).toHaveProperty(['told', 'own run'])
  expect(figures).toHaveProperty(['verdicts', 'passed'])
})
