import { historied } from '../__tests__/publish/historied.js'
import { renderHistory } from '../src/publish/history/history.js'

/** The page of docs/pictures: forty simulated nights. */
export function picturedHistory(): string {
  const outcome = historied()
  if (!outcome.history) throw new Error('The example has no history.')
  return renderHistory(outcome, outcome.history)
}
