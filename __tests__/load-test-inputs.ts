import { readInputs, type CollectInputs, type Inputs, type StartInputs } from '../src/inputs/inputs.js'

/** The inputs of the root action, as the runner would give these texts and nothing else. */
export function rootInputs(given: Record<string, string>, workspace = '.'): Inputs {
  const inputs = readInputs('load-test', (name) => given[name] ?? '', {
    workspace,
    env: { GITHUB_JOB: 'job' },
  })
  if (!('baseUrl' in inputs)) throw new Error('These are the inputs of another action.')
  return inputs
}

/** The inputs of a new run. */
export function loadTestInputs(given: Record<string, string> = {}, workspace = '.'): StartInputs {
  const inputs = rootInputs({ mode: 'run', ...given }, workspace)
  if (inputs.mode === 'collect' || inputs.mode === 'check') throw new Error('These start no run.')
  return inputs
}

/** The inputs of a step that collects a run. */
export function collectInputs(given: Record<string, string> = {}, workspace = '.'): CollectInputs {
  const inputs = rootInputs({ mode: 'collect', ...given }, workspace)
  if (inputs.mode !== 'collect') throw new Error('These collect no run.')
  return inputs
}
