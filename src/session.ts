import type { FoundBaseline } from './baseline/baseline.js'
import type { Inputs } from './inputs/inputs.js'
import type { LoadTestOutcome, Tell } from './outcome/outcome.js'
import type { Client } from './service/service.js'
import type { Scope } from './service/project.js'

/**
 * What the phases of one load test share: each is a function of the session and its own subject.
 *
 * @typeParam Port what a phase needs of the world
 * @typeParam Wish the inputs of the modes that it is for
 */
export interface Session<Port, Wish = Inputs> {
  inputs: Wish
  world: Port
  client: Client
  /** Found before anything is started; absent if there is none to compare with. */
  baseline?: FoundBaseline
  tell: Tell
  /** The outcome by what has been told so far. */
  told: () => LoadTestOutcome
}

export interface ServiceWorld {
  /** @param inputs where the service is, and who asks it */
  connect(
    inputs: Pick<Inputs, 'baseUrl' | 'credentials' | 'mode' | 'project'>,
    scopes: readonly Scope[],
  ): Client
}
