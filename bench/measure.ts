import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { node24 } from '../sandbox/runner/node24.js'

/** One run of a program. */
export interface Measured {
  milliseconds: number
  /** Its peak memory; absent if the machine has no /proc. */
  peakBytes?: number
}

interface ProgramOptions {
  /** Added to PATH, a program's only variable. */
  env?: Record<string, string>
  exitCode?: number
}

const sampleEvery = 10

/** Runs a program to its end and measures the time of the whole process. */
export async function program(
  command: string,
  args: readonly string[],
  { env = {}, exitCode = 0 }: ProgramOptions = {},
): Promise<Measured & { said: string }> {
  const began = performance.now()
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let complaint = ''
  child.stdout.on('data', (text: Buffer) => (said += text.toString()))
  child.stderr.on('data', (text: Buffer) => (complaint += text.toString()))
  let peakBytes: number | undefined
  // The system itself keeps the peak: the last reading has it.
  const samples = setInterval(() => (peakBytes = peakOf(child.pid) ?? peakBytes), sampleEvery)
  let milliseconds = 0
  child.once('exit', () => (milliseconds = performance.now() - began))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve)
    child.once('error', reject)
  }).finally(() => clearInterval(samples))
  if (code !== exitCode)
    throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${(complaint || said).slice(-1000)}`)
  return { milliseconds, said, ...(peakBytes === undefined ? {} : { peakBytes }) }
}

/**
 * Runs a built file of bench/programs on the Node that runners use. The program measures the time itself, without
 * Node's start.
 */
export async function step(
  file: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<Measured> {
  const run = await program(node24(), [file, ...args], options)
  const last = run.said.trimEnd().split('\n').at(-1) ?? ''
  return { ...run, ...(JSON.parse(last) as { milliseconds: number }) }
}

/** VmHWM, because wait4's figure for a child starts at its parent's peak. */
function peakOf(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}
