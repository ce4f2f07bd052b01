import type { FoundBaseline } from './baseline/baseline.js'
import type { Inputs } from './inputs/inputs.js'
import type { LoadTestOutcome, Tell } from './outcome/outcome.js'
import type { Client } from './service/client.js'
import type { World } from './world.js'

/**
 * What the phases of one load test share: each is a function of the session and its own subject.
 *
 * @typeParam Needed what a phase needs of the world
 * @typeParam Wish the inputs of the modes that it is for
 */
export interface Session<Needed extends keyof World = keyof World, Wish = Inputs> {
  inputs: Wish
  world: Pick<World, Needed>
  client: Client
  /** Found before anything is started; absent if there is none to compare with. */
  baseline?: FoundBaseline
  tell: Tell
  /** The outcome by what has been told so far. */
  told: () => LoadTestOutcome
}
