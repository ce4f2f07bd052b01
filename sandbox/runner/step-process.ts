import { spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { killTree } from './process-tree.js'

/** All in milliseconds. */
export interface Timings {
  /** From SIGINT to SIGTERM. */
  interrupt: number
  /** From SIGTERM to SIGKILL. */
  terminate: number
  /** How long output is still read after the process ended: a child may keep the streams open. */
  streams: number
  /** From the cancellation to the end of the job, when everything left is killed. */
  afterCancel: number
}

/** What the real runner waits. */
export const RUNNER_TIMINGS: Timings = {
  interrupt: 7_500,
  terminate: 2_500,
  streams: 5_000,
  afterCancel: 5 * 60_000,
}

export interface StepProcess {
  node: string
  script: string
  folder: string
  env: Readonly<Record<string, string>>
  timings: Timings
  /** Asks the process to end: SIGINT, then SIGTERM, then SIGKILL. */
  cancel: AbortSignal
  /** Ends it at once. */
  kill: AbortSignal
  onLine(line: string): void
}

export interface ProcessEnd {
  /** Null when a signal ended it. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  /** The signals that the runner sent, in order. */
  signals: NodeJS.Signals[]
  /** It was asked or forced to end before it had ended by itself. */
  cancelled: boolean
  rawStdout: string
  rawStderr: string
}

/** Runs a script on Node to its end. Rejects only if it cannot be started. */
export async function runProcess(step: StepProcess): Promise<ProcessEnd> {
  const child = spawn(step.node, [step.script], {
    cwd: step.folder,
    env: step.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => undefined) // It may be gone before its input is closed.
  child.stdin.end()

  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  const readers = [
    [child.stdout, stdout, new OutputLines((line) => step.onLine(line))],
    [child.stderr, stderr, new OutputLines((line) => step.onLine(line))],
  ] as const
  for (const [stream, kept, lines] of readers) {
    stream.on('data', (chunk: Buffer) => {
      kept.push(chunk)
      lines.push(chunk)
    })
  }

  const signals: NodeJS.Signals[] = []
  const timers: NodeJS.Timeout[] = []
  const running = (): boolean => child.exitCode === null && child.signalCode === null
  const send = (signal: NodeJS.Signals): void => {
    if (!running()) return
    signals.push(signal)
    if (signal === 'SIGKILL' && child.pid !== undefined) killTree(child.pid)
    else child.kill(signal) // Only to this process, which may or may not pass it on to its children.
  }
  const cancel = (): void => {
    send('SIGINT')
    timers.push(setTimeout(() => send('SIGTERM'), step.timings.interrupt))
    timers.push(setTimeout(() => send('SIGKILL'), step.timings.interrupt + step.timings.terminate))
  }
  const kill = (): void => send('SIGKILL')

  try {
    return await new Promise<ProcessEnd>((done, fail) => {
      child.on('error', (cause) => {
        // A signal that came too late is not a fault; only a failed start leaves no process.
        if (child.pid === undefined)
          fail(new Error(`The step cannot be started on ${step.node}: ${cause.message}`, { cause }))
      })
      child.on('spawn', () => {
        whenAborted(step.cancel, cancel)
        whenAborted(step.kill, kill)
      })
      child.on('exit', () => {
        timers.push(setTimeout(() => readers.forEach(([stream]) => stream.destroy()), step.timings.streams))
      })
      child.on('close', (exitCode, signal) => {
        for (const [, , lines] of readers) lines.end()
        const cancelled = step.cancel.aborted || step.kill.aborted
        done({ exitCode, signal, signals, cancelled, rawStdout: textOf(stdout), rawStderr: textOf(stderr) })
      })
    })
  } finally {
    timers.forEach(clearTimeout)
    step.cancel.removeEventListener('abort', cancel)
    step.kill.removeEventListener('abort', kill)
  }
}

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8')
}

/** Splits a stream of UTF-8 bytes into lines. A line ends with \n, \r\n or a single \r, wherever chunks are cut. */
class OutputLines {
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''
  #endedWithReturn = false

  constructor(private readonly onLine: (line: string) => void) {}

  push(chunk: Buffer): void {
    this.#take(this.#decoder.write(chunk))
  }

  /** Returns the last line if it had no line break. */
  end(): void {
    this.#take(this.#decoder.end())
    if (this.#rest !== '') this.onLine(this.#rest)
    this.#rest = ''
  }

  #take(text: string): void {
    if (text === '') return
    const fresh = this.#endedWithReturn && text.startsWith('\n') ? text.slice(1) : text
    this.#endedWithReturn = text.endsWith('\r')
    const lines = fresh.split(/\r\n|\r|\n/)
    lines[0] = this.#rest + (lines[0] ?? '')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.onLine(line)
  }
}
