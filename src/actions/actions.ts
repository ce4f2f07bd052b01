import { areRefused, type ActionInputs } from '../inputs/inputs.js'
import { latestRun, nothingYet, withPart, type Outcome, type Part, type Tell } from '../outcome/outcome.js'
import { reasonsAbout } from '../text/reason.js'
import { brokenOff } from '../run/run.js'
import type { World } from '../world.js'
import { check, type CheckWorld } from './check/check.js'
import type { HistoryWorld } from './history/history.js'
import { judgeGiven, type JudgeWorld } from './judge/judge.js'
import { loadTest, type LoadTestWorld } from './load-test/load-test.js'
import type { MergeWorld } from './merge/merge.js'

export interface StepWorld extends LoadTestWorld, CheckWorld, JudgeWorld, HistoryWorld, MergeWorld {
  step: LoadTestWorld['step']
  keep: LoadTestWorld['keep']
  /** What is doubtful about the commit that it names, as sentences. */
  doubts: string[]
}

/** One step from its inputs to its outcome; the code that few steps need is loaded here. Nothing is published. */
export async function run(inputs: ActionInputs, world: StepWorld): Promise<Outcome> {
  const step = { ...world.step, seconds: 0 }
  const act = <T extends Outcome>(begun: T, story: Parameters<typeof outcomeOf<T>>[2]) =>
    outcomeOf(begun, world, areRefused(inputs) ? ({ tell }) => tell(refusal(inputs)) : story)
  switch (inputs.mode) {
    case 'judge':
      return act(nothingYet(inputs.mode, step), ({ tell }) => judgeGiven(inputs, world, tell))
    case 'history':
      return act(nothingYet(inputs.mode, step), async ({ tell }) => {
        const { historyOfBranch } = await import('./history/history.js')
        tell(await historyOfBranch(inputs, world))
      })
    case 'merge':
      return act(nothingYet(inputs.mode, step), async ({ tell }) => {
        const { mergeLegs } = await import('./merge/merge.js')
        tell(await mergeLegs(inputs, world))
      })
    case 'check':
      return act(nothingYet(inputs.mode, step), ({ tell }) => check(inputs, world, tell))
    default:
      return act(nothingYet(inputs.mode, step), (telling) => loadTest(inputs, world, telling))
  }
}

/** What an action does is told as it happens; whatever happens in a story ends in an outcome. */
async function outcomeOf<T extends Outcome>(
  begun: T,
  world: Pick<StepWorld, keyof World | 'doubts'>,
  story: (telling: { tell: Tell<T>; told: () => T }) => Promise<void> | void,
): Promise<T> {
  const { clock, log, signal } = world
  const began = clock.now()
  let outcome = withPart(begun, { notes: world.doubts })
  let isOver = false
  const tell: Tell<T> = (part) => {
    // What a fault has left behind must not go on, let alone start something.
    if (isOver) throw new Error('The step has already ended.')
    outcome = withPart(outcome, part)
  }
  try {
    await world.unlessBroken(Promise.resolve(story({ tell, told: () => outcome })))
  } catch (error) {
    tell(brokenOff(error, outcome.kind === 'load-test' ? latestRun(outcome) : undefined, signal))
  }
  isOver = true
  const seconds = Math.round((clock.now() - began) / 1000)
  log.debug(`Verdict ${outcome.verdict}`)
  return withPart(outcome, { step: { ...outcome.step, seconds } })
}

/** All mistakes at once, and nothing is sent to the service. */
function refusal({ faults }: Pick<ActionInputs, 'faults'>): Required<Pick<Part, 'verdict' | 'reasons'>> {
  return { verdict: 'error', reasons: reasonsAbout('inputs', ...faults.inputs, ...faults.gates) }
}
