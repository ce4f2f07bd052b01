import { didYouMean, editDistance } from '../text/nearest.js'
import { oneLine } from '../text/foreign-text.js'

type Env = Readonly<Record<string, string | undefined>>

/** Sentences about values given under unknown names. */
interface UnknownInputs {
  /** Misspelt: what was asked for would not happen. */
  faults: string[]
  /** Without effect, perhaps not meant for this action at all. */
  warnings: string[]
}

/**
 * The runner hands over each input as INPUT_NAME, also one that action.yml does not have. Other programs set such
 * variables, too: only a name that is almost that of an input, and says something else than that input, is a mistake.
 *
 * @param known the names of action.yml's inputs
 */
export function unknownInputs(env: Env, known: readonly string[]): UnknownInputs {
  const variables = new Map(known.map((name) => [variableOf(name), name]))
  const found: UnknownInputs = { faults: [], warnings: [] }
  for (const variable of Object.keys(env)) {
    if (!variable.startsWith('INPUT_') || variables.has(variable)) continue
    const name = variable.slice('INPUT_'.length).toLowerCase()
    const shown = oneLine(name, 60)
    const meant = known.find((one) => isAlmost(name, one))
    const value = env[variable] ?? ''
    if (meant !== undefined && value !== '' && value !== env[variableOf(meant)]) {
      found.faults.push(`${shown} is not an input of this action. Did you mean ${meant}?`)
    } else {
      const hint = meant === undefined ? didYouMean(name, known) : `Did you mean ${meant}?`
      found.warnings.push(
        `${shown} is not an input of this action and has no effect.${hint === undefined ? '' : ` ${hint}`}`,
      )
    }
  }
  return found
}

function variableOf(name: string): string {
  return `INPUT_${name.toUpperCase()}`
}

/** One letter apart, two in a long name, hyphens and the like aside; or it says more, such as gates-path. */
function isAlmost(name: string, known: string): boolean {
  if (name.startsWith(`${known}-`)) return true
  const letters = (text: string) => text.slice(0, 80).replace(/[^a-z0-9]/g, '')
  const [one, other] = [letters(name), letters(known)]
  const most = other.length < 8 ? 1 : 2
  return editDistance(one, other, most) <= most
}
