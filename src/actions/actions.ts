import { areRefused, type ActionInputs } from '../inputs/inputs.js'
import { latestRun, nothingYet, withPart, type Outcome, type Part, type Tell } from '../outcome/outcome.js'
import { brokenOff } from '../start/broken-off.js'
import type { World } from '../world.js'
import { check } from './check/check.js'
import { judgeGiven } from './judge/judge.js'
import { loadTest } from './load-test/load-test.js'

/**
 * One step from its inputs to its outcome. Whatever happens after the inputs were read ends in an outcome; nothing is
 * published here.
 */
export async function run(inputs: ActionInputs, world: World): Promise<Outcome> {
  const { clock, log, signal } = world
  const began = clock.now()
  let outcome = withPart(nothingYet({ ...world.step, mode: inputs.mode, seconds: 0 }), {
    notes: world.doubts,
  })
  let isOver = false
  const tell = (part: Part) => {
    // What a fault has left behind must not go on, let alone start something.
    if (isOver) throw new Error('The step has already ended.')
    outcome = withPart(outcome, world.redact(part))
  }
  try {
    await world.unlessBroken(act(inputs, world, { tell, told: () => outcome }))
  } catch (error) {
    tell(brokenOff(error, latestRun(outcome), signal))
  }
  isOver = true
  const seconds = Math.round((clock.now() - began) / 1000)
  log.debug(`Verdict ${outcome.verdict}`)
  return withPart(outcome, { step: { ...outcome.step, seconds } })
}

/** The story of each action. The code of those that few steps need is loaded here. */
async function act(
  inputs: ActionInputs,
  world: World,
  telling: { tell: Tell; told: () => Outcome },
): Promise<void> {
  const { tell } = telling
  if (areRefused(inputs)) {
    tell(refusal(inputs))
    return
  }
  switch (inputs.mode) {
    case 'judge':
      return judgeGiven(inputs, world, tell)
    case 'history': {
      const { historyOfBranch } = await import('./history/history.js')
      tell(await historyOfBranch(inputs, world))
      return
    }
    case 'merge': {
      const { mergeLegs } = await import('./merge/merge.js')
      tell(await mergeLegs(inputs, world))
      return
    }
    case 'check':
      return check(inputs, world, tell)
    default:
      return loadTest(inputs, world, telling)
  }
}

/** All mistakes at once, and nothing is sent to the service. */
function refusal({ faults }: Pick<ActionInputs, 'faults'>): Part {
  const all = [...faults.inputs, ...faults.gates]
  const count = all.length > 1 ? [`${all.length} inputs need to be changed:`] : []
  return { verdict: 'error', reasons: [...count, ...all] }
}
