import { parseArgs } from 'node:util'
import { soak } from '../__tests__/soak/soak.js'

const usage = 'npm run soak -- [--steps 200] [--seed 1] [--at-once 4] [--apart-by name|archive|nothing]'
const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '4' },
    'apart-by': { type: 'string', default: 'name' },
    help: { type: 'boolean', default: false },
  },
})
const { steps, seed, 'at-once': atOnce, 'apart-by': wanted } = values
const apartBy = (['name', 'archive', 'nothing'] as const).find((one) => one === wanted)
if (values.help || !apartBy) {
  console.log(usage)
  process.exitCode = values.help ? 0 : 1
} else {
  const figures = await soak({ steps: Number(steps), seed: Number(seed), atOnce: Number(atOnce), apartBy })
  console.log(JSON.stringify(figures, null, 2))
  process.exitCode = figures.lies.length === 0 ? 0 : 1
}
