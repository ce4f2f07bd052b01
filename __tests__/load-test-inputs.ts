import { readInputs, type Inputs } from '../src/inputs/inputs.js'

/** The inputs of a load test, as the runner would give these texts and nothing else. */
export function loadTestInputs(given: Record<string, string> = {}, workspace = '.'): Inputs {
  const inputs = readInputs('load-test', (name) => given[name] ?? '', { workspace, env: {} })
  if (!('baseUrl' in inputs)) throw new Error('These are the inputs of another action.')
  return inputs
}
