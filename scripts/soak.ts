import { parseArgs } from 'node:util'
import { soak } from '../__tests__/soak/soak.js'

const usage = 'npm run soak -- [--steps 200] [--seed 1] [--at-once 4]'
const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '4' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
} else {
  const { steps, seed, 'at-once': atOnce } = values
  const figures = await soak({ steps: Number(steps), seed: Number(seed), atOnce: Number(atOnce) })
  console.log(JSON.stringify(figures, null, 2))
  process.exitCode = figures.lies.length === 0 ? 0 : 1
}
