import ignore, { type Ignore } from 'ignore'

/** Source control metadata: left out whatever the patterns say, unless Git tracks it. */
const metadata = ['.git', '.svn', '.hg']

/** Build folders, local results and IDE folders: left out unless Git tracks them or a `!pattern` asks for them. */
const products = ['target/', 'build/', 'results/', '.idea/', '.vscode/', '.settings/']

/** Which of the files found are left out of the archive. Names are relative to the packed folder. */
export class Rules {
  readonly #tracked: Ignore
  readonly #untracked: Ignore
  readonly #builtin: Ignore
  readonly #leftOut = new Set<string>()
  /** Patterns that have left out nothing yet, each alone. */
  readonly #unused: Map<string, Ignore>

  /** `exclude`: patterns in gitignore syntax, later ones win. */
  constructor(exclude: readonly string[]) {
    // Git's patterns are case-sensitive; the package's default is not.
    const rules = (patterns: readonly string[]): Ignore => ignore({ ignorecase: false }).add(patterns)
    this.#tracked = rules(exclude)
    this.#untracked = rules([...products, ...exclude, ...metadata])
    this.#builtin = rules([...products, ...metadata])
    const asked = exclude.map((line) => line.trim()).filter((line) => /^[^#!]/.test(line))
    this.#unused = new Map(asked.map((pattern) => [pattern, rules([pattern])]))
  }

  /** `name` ends in `/` for a folder, which is then left out with all its content. */
  leaveOut(name: string, tracked: boolean): boolean {
    for (const [pattern, own] of this.#unused) if (own.ignores(name)) this.#unused.delete(pattern)
    if (!(tracked ? this.#tracked : this.#untracked).ignores(name)) return false
    if (!tracked && this.#builtin.ignores(name)) this.#leftOut.add(this.#outermost(name))
    return true
  }

  /** Folders that the built-in rules left out, so that the log can say so; metadata goes without saying. */
  get leftOut(): string[] {
    return [...this.#leftOut].filter((name) => !metadata.includes(lastPart(name))).sort()
  }

  /** Patterns of `exclude` that match nothing. */
  get unused(): string[] {
    return [...this.#unused.keys()]
  }

  #outermost(name: string): string {
    for (let end = name.indexOf('/'); end >= 0; end = name.indexOf('/', end + 1)) {
      const folder = name.slice(0, end + 1)
      if (this.#builtin.ignores(folder)) return folder
    }
    return name
  }
}

function lastPart(name: string): string {
  return name.replace(/\/$/, '').split('/').at(-1) ?? ''
}
