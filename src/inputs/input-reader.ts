import path from 'node:path'
import { parseDuration } from '../text/duration.js'
import { line, oneLine } from '../text/foreign-text.js'
import { withoutSecrets } from '../text/redaction.js'
import { linkOut } from '../text/regular-file.js'
import { editDistance } from '../text/nearest.js'

/** Milliseconds. */
const shortestDuration = 1000

// Characters that @actions/artifact refuses in a name, and what to call them.
const illegalInArtifactName = /[":<>|*?\r\n\\/]/
/** Characters, so that the longest name of an artifact still fits. */
const longestName = 100

/**
 * Reads inputs by name, one rule for each shape, and collects a sentence for each mistake. A wrong value is replaced
 * by one of the right form; after a mistake, nothing is started or waited for.
 */
export class InputReader {
  readonly faults: { inputs: string[]; gates: string[] } = { inputs: [], gates: [] }
  /** Sentences for what is most likely not meant. */
  readonly warnings: string[] = []
  /** The names that were read: those of the action. */
  readonly names = new Set<string>()

  constructor(
    private readonly get: (name: string) => string,
    readonly workspace: string,
  ) {}

  fault(sentence: string): void {
    this.faults.inputs.push(sentence)
  }

  /** As it was written. */
  raw(name: string): string {
    this.names.add(name)
    return this.get(name)
  }

  /** Without surrounding blanks. */
  text(name: string): string {
    return this.raw(name).trim()
  }

  required(name: string, reason = `${name} is required.`): string {
    const given = this.text(name)
    if (given === '') this.fault(reason)
    return given
  }

  choice<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
    const chosen = choices.find((choice) => choice === this.text(name))
    if (chosen === undefined) this.fault(`${this.#quoted(name)}: write one of ${choices.join(', ')}.`)
    return chosen ?? choices[0]
  }

  flag(name: string): boolean {
    const given = this.text(name)
    if (!['true', 'false'].includes(given)) this.fault(`${this.#quoted(name)}: write true or false.`)
    return given === 'true'
  }

  /** Milliseconds. */
  duration(name: string): number {
    const parsed = parseDuration(this.text(name))
    if (parsed === undefined) this.fault(`${this.#quoted(name)}: write a duration such as 90s, 15m or 2h30m.`)
    return parsed ?? shortestDuration
  }

  whole(name: string, least: number, most: number): number {
    const given = this.text(name)
    const value = /^\d{1,16}$/.test(given) ? Number(given) : undefined
    if (value !== undefined && value >= least && value <= most) return value
    const right = most === Number.MAX_SAFE_INTEGER ? ' such as 17' : ` from ${least} to ${most}`
    this.fault(`${this.#quoted(name)}: write a whole number${right}.`)
    return least
  }

  /** A number that GitHub gave, such as that of a pull request. */
  optionalNumber(name: string): number | undefined {
    return this.text(name) === '' ? undefined : this.whole(name, 1, Number.MAX_SAFE_INTEGER)
  }

  lines(name: string): string[] {
    return this.raw(name)
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '')
  }

  /** What artifacts and a status may be called; empty after a mistake, since no other step's may be taken. */
  artifactName(name: string, usual: string): string {
    const given = this.text(name) || usual
    const before = this.faults.inputs.length
    if (given !== usual && withoutSecrets(given) !== given) {
      this.fault(`${name} holds a secret, and artifacts that everybody sees are named after it.`)
    } else if (illegalInArtifactName.test(given)) {
      this.fault(`${this.#quoted(name)}: the name of an artifact must not contain any of " : < > | * ? \\ /`)
    } else if (line(given, longestName) !== given) {
      this.fault(`${name} must be at most ${longestName} characters without control characters.`)
    }
    return this.faults.inputs.length > before ? '' : given
  }

  /** Absolute; undefined if there is none, or it is refused. A checkout may hold a link to anything on the runner. */
  path(name: string, given = this.text(name)): string | undefined {
    if (given === '') return undefined
    const found = path.resolve(this.workspace, given)
    const link = linkOut(this.workspace, found)
    if (link === undefined) return found
    this.fault(
      `${name} leads out of the workspace through ${oneLine(link, 120)}, which is a link. Name the file or folder that is meant.`,
    )
    return undefined
  }

  #quoted(name: string): string {
    const given = this.text(name)
    return given === '' ? `${name} is empty` : `${name} is "${oneLine(given, 60)}"`
  }
}

/**
 * Sentences about names that are almost those of inputs: what was asked for would not happen. The runner hands over each
 * input as INPUT_NAME, also one that action.yml does not have, and warns of those itself. Other programs set such
 * variables, too: one that says the same as the input is no mistake.
 *
 * @param known the names of action.yml's inputs
 */
export function misspelled(env: Readonly<Record<string, string | undefined>>, known: readonly string[]) {
  const variableOf = (name: string) => `INPUT_${name.toUpperCase()}`
  const variables = new Set(known.map(variableOf))
  return Object.entries(env).flatMap(([variable, value = '']) => {
    if (!variable.startsWith('INPUT_') || variables.has(variable)) return []
    const name = variable.slice('INPUT_'.length).toLowerCase()
    const meant = known.find((one) => isAlmost(name, one))
    if (meant === undefined || value === '' || value === env[variableOf(meant)]) return []
    return `${oneLine(name, 60)} is not an input of this action. Did you mean ${meant}?`
  })
}

/** One letter apart, two in a long name, hyphens and the like aside; or it says more, such as gates-path. */
function isAlmost(name: string, known: string): boolean {
  if (name.startsWith(`${known}-`)) return true
  const letters = (text: string) => text.slice(0, 80).replace(/[^a-z0-9]/g, '')
  const [one, other] = [letters(name), letters(known)]
  const most = other.length < 8 ? 1 : 2
  return editDistance(one, other, most) <= most
}
