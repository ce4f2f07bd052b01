import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { mismatch, shownCommands, trials, type Trial } from './shown-commands.js'

/** Tries every command that the documents show, in a fresh clone of what is committed, with the packages of this folder. */
const minutesPerCommand = 8

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'clone-'))
try {
  process.exitCode = await tryAll()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function tryAll(): Promise<number> {
  const clone = path.join(folder, 'clone')
  execFileSync('git', ['clone', '-q', '--no-local', root, clone])
  symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'))
  const { untried, stale } = mismatch(shownCommands(clone))
  for (const command of untried)
    console.error(`The documents show "${command}": add it to scripts/shown-commands.ts.`)
  for (const command of stale)
    console.error(`scripts/shown-commands.ts has "${command}", which no document shows.`)
  if (untried.length + stale.length > 0) return 1

  const env = cleanEnvironment()
  for (const [command, trial] of Object.entries(trials)) {
    const started = Date.now()
    const fault = await tryOne(command, trial, clone, env)
    if (fault !== undefined) {
      console.error(`"${command}" ${fault}`)
      return 1
    }
    const { why } = trial
    const reason = why === undefined ? '' : ` (${why})`
    const took = trial.how === 'elsewhere' ? 'not here' : `${Math.round((Date.now() - started) / 1000)} s`
    console.log(`${command}: ${took}${reason}`)
  }
  // Commands that build or format must not change what is committed; dist/ has its own check.
  const changed = execFileSync('git', ['status', '--porcelain', '--', ':!dist', ':!node_modules'], {
    cwd: clone,
    encoding: 'utf8',
  })
  if (changed === '') return 0
  console.error(`The commands changed files of the fresh clone:\n${changed}`)
  return 1
}

/** The environment of a user, not of a script run by npm: without npm's variables and its folders in PATH. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|JEST_|INIT_CWD)/.test(name))
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  const kept = folders.filter((name) => !name.includes('node_modules') && !name.includes('node-gyp-bin'))
  const PATH = kept.join(path.delimiter)
  return { ...Object.fromEntries(own), PATH }
}

/** The mistake; undefined if there is none. */
async function tryOne(
  command: string,
  trial: Trial,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (trial.how === 'elsewhere') return undefined
  // A separate process group, so that everything it started ends with it.
  const child = spawn('bash', ['-c', trial.instead ?? command], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {
      // All of them have already ended.
    }
  }
  let shown = ''
  const seen = { ready: false, late: false }
  const read = (chunk: Buffer): void => {
    shown += chunk.toString()
    if (trial.how !== 'start' || seen.ready || !shown.includes(trial.until)) return
    seen.ready = true
    stop('SIGTERM')
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  const timer = setTimeout(() => {
    seen.late = true
    stop('SIGKILL')
  }, minutesPerCommand * 60_000)
  const code = await once(child, 'close').then(([exit]: unknown[]) => exit)
  clearTimeout(timer)
  stop('SIGKILL')
  if (seen.late) return `did not end within ${minutesPerCommand} minutes:\n${shown}`
  if (trial.how === 'start')
    return seen.ready ? undefined : `ended before it printed "${trial.until}":\n${shown}`
  return code === 0 ? undefined : `ended with ${String(code)}:\n${shown}`
}
