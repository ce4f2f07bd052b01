import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { killTree } from '../runner/process-tree.js'

/** A program that the sandbox starts: a build, the engine or one of its generators. */
export interface Command {
  program: string
  args: readonly string[]
  cwd: string
  env: Record<string, string>
  /** Everything that it prints goes here. */
  log: string
}

export interface Ended {
  /** Null = a signal ended it. */
  code: number | null
  /** What it printed last. */
  lastLines: string[]
}

const keptLines = 30
/** Text without a line break does not count as a line. */
const longestLine = 20_000

/**
 * Runs a program to its end. When `signal` is aborted, its whole process tree is ended. `onPid` gets its process id.
 *
 * @throws Error if it cannot be started
 */
export async function run(
  command: Command,
  options: { signal: AbortSignal; onLine?: (line: string) => void; onPid?: (pid: number) => void },
): Promise<Ended> {
  options.signal.throwIfAborted()
  const { program, args, cwd, env, log } = command
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const file = createWriteStream(log, { flags: 'a' })
  const end = () => {
    if (child.pid !== undefined) killTree(child.pid)
  }
  options.signal.addEventListener('abort', end)
  const lastLines: string[] = []
  const take = (line: string) => {
    if (line.trim() === '') return
    lastLines.push(line)
    if (lastLines.length > keptLines) lastLines.shift()
    options.onLine?.(line)
  }
  const rests = [child.stdout, child.stderr].map((stream) => {
    let rest = ''
    stream.setEncoding('utf8').on('data', (text: string) => {
      file.write(text)
      // Progress bars go back to the start of their line.
      const lines = (rest + text).split(/[\r\n]/)
      rest = (lines.pop() ?? '').slice(-longestLine)
      for (const line of lines) take(line)
    })
    return () => rest
  })
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve)
      if (child.pid !== undefined) options.onPid?.(child.pid)
    })
    for (const rest of rests) take(rest())
    options.signal.throwIfAborted()
    return { code, lastLines }
  } finally {
    options.signal.removeEventListener('abort', end)
    // Whoever reads the log next finds all of it.
    await new Promise<void>((resolve) => file.end(() => resolve()))
  }
}

/** The environment of builds and runs: without any secret of the sandbox's own environment. */
export function harmlessEnvironment(
  javaHome: string,
  more: Record<string, string> = {},
): Record<string, string> {
  const kept = ['HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'USER', 'SystemRoot', 'ComSpec', 'TEMP']
  const known = kept.flatMap((name): [string, string][] => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  const path = [`${javaHome}/bin`, process.env['PATH'] ?? ''].join(process.platform === 'win32' ? ';' : ':')
  return { ...Object.fromEntries(known), PATH: path, JAVA_HOME: javaHome, ...more }
}
