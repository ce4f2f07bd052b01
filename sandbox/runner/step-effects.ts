/** The effects of one stage of a step on the job, besides its output. */
export class StepEffects {
  readonly outputs = new Map<string, string>()
  /** Variables for the steps that follow, from GITHUB_ENV. */
  readonly env = new Map<string, string>()
  /** Folders put before PATH for the steps that follow, the latest last. */
  readonly paths: string[] = []
  /** Values that the step asked the runner to hide. */
  readonly masks: string[] = []
  summary = ''
  /** A command could not be executed, so the step fails whatever its exit code. */
  commandFailed = false

  /** @param state of the action, shared by its main and post step */
  constructor(readonly state: Map<string, string>) {}

  /** State ignores case: a later `RUN` replaces an earlier `run`, under the earlier one's name. */
  saveState(name: string, value: string): void {
    const known = [...this.state.keys()].find((key) => key.toLowerCase() === name.toLowerCase())
    this.state.set(known ?? name, value)
  }

  prependPath(folder: string): void {
    const at = this.paths.indexOf(folder)
    if (at >= 0) this.paths.splice(at, 1)
    this.paths.push(folder)
  }

  setEnv(name: string, value: string): void {
    this.env.set(name, value)
  }
}

/** Variables that a step may not set for others, since they change what Node runs. */
export function isBlockedVariable(name: string): boolean {
  return name.toUpperCase() === 'NODE_OPTIONS'
}
