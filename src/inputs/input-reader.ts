import { parseDuration } from '../text/duration.js'

/**
 * Reads inputs by name, one rule for each shape, and collects a sentence for each mistake. A wrong value is replaced
 * by one of the right form; after a mistake, nothing is started or waited for.
 */
export interface InputReader {
  readonly faults: { inputs: string[]; gates: string[] }
  /** The names that were read: those of the action. */
  readonly names: ReadonlySet<string>
  fault(sentence: string): void
  /** Without surrounding blanks. */
  text(name: string): string
  /** As it was written. */
  raw(name: string): string
  required(name: string, reason?: string): string
  choice<T extends string>(name: string, choices: readonly [T, ...T[]]): T
  flag(name: string): boolean
  /** Milliseconds. */
  duration(name: string): number
  optionalDuration(name: string): number | undefined
  whole(name: string, least: number, most: number): number
  lines(name: string): string[]
  artifactName(name: string): string
  optionalArtifactName(name: string): string | undefined
}

/** Milliseconds. */
const shortestDuration = 1000

// Characters that @actions/artifact refuses in a name, and what to call them.
const illegalInArtifactName = /[":<>|*?\r\n\\/]/

export function inputReader(get: (name: string) => string): InputReader {
  const faults: InputReader['faults'] = { inputs: [], gates: [] }
  const names = new Set<string>()
  const raw = (name: string) => {
    names.add(name)
    return get(name)
  }
  const fault = (sentence: string) => void faults.inputs.push(sentence)
  const text = (name: string) => raw(name).trim()
  const quoted = (name: string) => {
    const given = text(name)
    return given === '' ? `${name} is empty` : `${name} is "${given.slice(0, 60)}"`
  }
  const duration = (name: string): number => {
    const parsed = parseDuration(text(name))
    if (parsed === undefined) fault(`${quoted(name)}: write a duration such as 90s, 15m or 2h30m.`)
    return parsed ?? shortestDuration
  }
  const artifactName = (name: string): string => {
    const given = text(name)
    if (given === '') {
      fault(`${name} is empty: write the name of the artifact.`)
    } else if (illegalInArtifactName.test(given)) {
      fault(`${quoted(name)}: an artifact's name must not contain any of " : < > | * ? \\ /`)
    } else if (given.length > 200) {
      fault(`${name} is ${given.length} characters long: an artifact's name can have at most 200.`)
    }
    return given
  }
  return {
    faults,
    names,
    fault,
    text,
    raw,
    required(name, reason) {
      const given = text(name)
      if (given === '') fault(reason ?? `${name} is required.`)
      return given
    },
    choice(name, choices) {
      const found = choices.find((choice) => choice === text(name))
      if (found === undefined) fault(`${quoted(name)}: write one of ${choices.join(', ')}.`)
      return found ?? choices[0]
    },
    flag(name) {
      if (!['true', 'false'].includes(text(name))) fault(`${quoted(name)}: write true or false.`)
      return text(name) === 'true'
    },
    duration,
    optionalDuration: (name) => (text(name) === '' ? undefined : duration(name)),
    whole(name, least, most) {
      const given = text(name)
      const value = /^\d{1,16}$/.test(given) ? Number(given) : undefined
      if (value !== undefined && value >= least && value <= most) return value
      fault(`${quoted(name)}: write a whole number from ${least} to ${most}.`)
      return least
    },
    lines: (name) =>
      raw(name)
        .split(/\r?\n/)
        .filter((line) => line.trim() !== ''),
    artifactName,
    optionalArtifactName: (name) => (text(name) === '' ? undefined : artifactName(name)),
  }
}
