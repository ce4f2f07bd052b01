import { tried } from '../__tests__/publish/historied.js'
import { renderHistory } from '../src/publish/history/history.js'

const gates = [
  'request "*" mean <= baseline + 20%',
  'requests p95 <= baseline + 10%',
  'requests p95 <= 1000 ms',
  'transactions error-rate <= 1%',
]

/** The page of docs/pictures: forty simulated nights, and what gates would have done in them. */
export async function picturedHistory(): Promise<string> {
  const outcome = await tried(gates)
  if (!outcome.history) throw new Error('The example has no history.')
  return renderHistory(outcome, outcome.history)
}
