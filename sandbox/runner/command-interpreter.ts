import { type AnnotationKind, annotationOf } from './annotation.js'
import type { SecretMasker } from './secret-masker.js'
import { isBlockedVariable, type StepEffects } from './step-effects.js'
import type { StepLog } from './step-log.js'
import { parseWorkflowCommand, type WorkflowCommand } from './workflow-command.js'

export interface CommandSurroundings {
  log: StepLog
  masker: SecretMasker
  effects: StepEffects
  workspace: string
  /** The variables that the step sees: two of them enable commands that are off by default. */
  env: Readonly<Record<string, string>>
}

interface Handler {
  /** Not repeated in the log by `::echo::on`: the command is shown anyway, or must not be. */
  silent: boolean
  run(command: WorkflowCommand): void
}

/** A command that cannot be executed: its message is logged as an error and the step fails. */
class CommandFault extends Error {
  override name = 'CommandFault'
}

const STOP = 'stop-commands'

/** Reads a step's output line by line and executes the workflow commands in it. One per stage of a step. */
export class CommandInterpreter {
  readonly #handlers: ReadonlyMap<string, Handler>
  #stopToken: string | undefined
  #echo = false

  constructor(private readonly around: CommandSurroundings) {
    this.#handlers = this.#buildHandlers()
  }

  /** Takes one line of stdout or stderr, without its line break. */
  line(line: string): void {
    if (this.#carryOut(line)) return
    // A step cannot print the markers that the runner itself puts around actions in the log.
    this.around.log.write(
      line.replaceAll('##[start-action', '##[\\start-action').replaceAll('##[end-action', '##[\\end-action'),
    )
  }

  #carryOut(line: string): boolean {
    const { log } = this.around
    const command = parseWorkflowCommand(line, (name) => this.#isKnown(name))
    if (command === undefined) return false
    const name = command.name.toLowerCase()

    if (this.#stopToken !== undefined) {
      if (name !== this.#stopToken.toLowerCase()) return false
      log.write(line)
      log.debug('Resume processing commands')
      this.#stopToken = undefined
      return true
    }
    if (name === STOP) {
      this.#stop(command.data, line)
      return true
    }
    const handler = this.#handlers.get(name)
    if (handler === undefined) return false
    if (this.#echo && !handler.silent) log.write(line)
    try {
      handler.run(command)
    } catch (error) {
      if (!(error instanceof CommandFault)) throw error
      log.error(`Unable to process command '${handler.silent ? name : line}' successfully.`)
      this.#fail(error.message)
    }
    return true
  }

  #isKnown(name: string): boolean {
    const lower = name.toLowerCase()
    return lower === STOP || this.#handlers.has(lower) || lower === this.#stopToken?.toLowerCase()
  }

  #stop(token: string, line: string): void {
    const { log, masker, env } = this.around
    const taken = token === '' || token.toLowerCase() === 'pause-logging' || this.#isKnown(token)
    if (taken && !isTrue(env['ACTIONS_ALLOW_UNSECURE_STOPCOMMAND_TOKENS'])) {
      this.#fail(
        `The token of stop-commands is '${token}', which is empty, 'pause-logging' or itself a command. Use a random one.`,
      )
      return
    }
    this.#stopToken = token
    if (token.length > 6) masker.add(token)
    log.write(line)
    log.debug('Paused processing commands until the token is received')
  }

  #fail(message: string): void {
    this.around.log.error(message)
    this.around.effects.commandFailed = true
  }

  #buildHandlers(): Map<string, Handler> {
    const { log, effects } = this.around
    return new Map<string, Handler>([
      ['debug', { silent: true, run: ({ data }) => log.debug(data) }],
      ['error', this.#annotates('error')],
      ['warning', this.#annotates('warning')],
      ['notice', this.#annotates('notice')],
      ['group', { silent: false, run: ({ data }) => log.write(`##[group]${data}`) }],
      ['endgroup', { silent: false, run: () => log.write('##[endgroup]') }],
      ['echo', { silent: false, run: ({ data }) => this.#switchEcho(data) }],
      ['add-mask', { silent: true, run: ({ data }) => this.#addMask(data) }],
      ['set-output', this.#deprecated((name, value) => effects.outputs.set(name, value))],
      ['save-state', this.#deprecated((name, value) => effects.saveState(name, value))],
      ['set-env', { silent: false, run: (command) => this.#setEnv(command) }],
      ['add-path', { silent: false, run: (command) => this.#addPath(command) }],
      // Problem matchers are not interpreted, but their commands are removed from the log.
      ['add-matcher', { silent: false, run: ({ data }) => log.debug(`Problem matcher ${data} is ignored`) }],
      ['remove-matcher', { silent: false, run: () => undefined }],
    ])
  }

  #annotates(kind: AnnotationKind): Handler {
    const { log, workspace } = this.around
    const debug = (text: string) => log.debug(text)
    return {
      silent: true,
      run: ({ data, properties }) => log.annotate(annotationOf(kind, data, properties, workspace, debug)),
    }
  }

  #switchEcho(data: string): void {
    const wanted = data.trim().toLowerCase()
    if (wanted !== 'on' && wanted !== 'off') {
      throw new CommandFault(`Invalid echo command value '${data}'. It can be 'on' or 'off'.`)
    }
    this.#echo = wanted === 'on'
    this.around.log.debug(`Setting echo command value to '${wanted}'`)
  }

  #addMask(value: string): void {
    const { log, masker, effects } = this.around
    if (value.trim() === '') {
      log.warning("Can't add secret mask for empty string in ##[add-mask] command.")
      return
    }
    if (this.#echo) log.write('::add-mask::***')
    masker.addWithLines(value)
    effects.masks.push(value)
  }

  #deprecated(set: (name: string, value: string) => void): Handler {
    return {
      silent: false,
      run: (command) => {
        this.around.log.warning(
          `The \`${command.name}\` command is deprecated and will be disabled. Write to the step's file instead.`,
        )
        const name = required(command, 'name')
        set(name, command.data)
        this.around.log.debug(`${command.name} ${name}='${command.data}'`)
      },
    }
  }

  #setEnv(command: WorkflowCommand): void {
    this.#refuseUnlessAllowed(command)
    const name = required(command, 'name')
    if (isBlockedVariable(name)) {
      this.around.log.error(`Can't update ${name} environment variable using ::set-env:: command.`)
      return
    }
    this.around.effects.setEnv(name, command.data)
  }

  #addPath(command: WorkflowCommand): void {
    this.#refuseUnlessAllowed(command)
    if (command.data === '') throw new CommandFault('The add-path command has no path.')
    this.around.effects.prependPath(command.data)
  }

  #refuseUnlessAllowed(command: WorkflowCommand): void {
    if (isTrue(this.around.env['ACTIONS_ALLOW_UNSECURE_COMMANDS'])) return
    throw new CommandFault(
      `The \`${command.name}\` command is disabled. Write to the step's file instead, ` +
        'or set ACTIONS_ALLOW_UNSECURE_COMMANDS to true.',
    )
  }
}

function required(command: WorkflowCommand, property: string): string {
  const value = command.properties.get(property)
  if (value === undefined || value === '') {
    throw new CommandFault(`Required field '${property}' is missing in ##[${command.name}] command.`)
  }
  return value
}

function isTrue(value: string | undefined): boolean {
  return value?.trim().toLowerCase() === 'true'
}
