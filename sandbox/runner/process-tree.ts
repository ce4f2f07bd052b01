import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { systemErrorCode } from './system-error.js'

/**
 * Kills a process, then everything that it started; itself first, so that it cannot start more. Processes that are
 * already gone are fine.
 */
export function killTree(pid: number): void {
  const family = [pid, ...descendants(pid)]
  for (const member of family) killOne(member)
}

/**
 * Kills processes that outlived their step. Their parent is gone, so they are found by a variable in their
 * environment; only where /proc shows environments.
 */
export function killMarked(variable: string, value: string): void {
  for (const pid of procPids()) {
    if (pid !== process.pid && environmentOf(pid).includes(`${variable}=${value}`)) killOne(pid)
  }
}

function killOne(pid: number): void {
  sendTo(pid, 'SIGKILL')
}

function sendTo(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error
  }
}

/** Asks processes to end. Those already gone are fine. */
export function endProcesses(pids: readonly number[]): void {
  for (const pid of pids) sendTo(pid, 'SIGTERM')
}

/** All descendants of a process. */
export function descendants(root: number): number[] {
  const parents = process.platform === 'linux' ? parentsFromProc() : parentsFromPs()
  const found: number[] = []
  for (let level = [root]; level.length > 0;) {
    const next = parents.filter(({ parent }) => level.includes(parent)).map(({ pid }) => pid)
    found.push(...next)
    level = next
  }
  return found
}

interface Parentage {
  pid: number
  parent: number
}

function parentsFromProc(): Parentage[] {
  return procPids().flatMap((pid) => {
    const stat = readOrEmpty(`/proc/${pid}/stat`)
    // The second field, the program's name in brackets, may contain anything; the fields after it are plain.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    return Number.isInteger(parent) ? [{ pid, parent }] : []
  })
}

function parentsFromPs(): Parentage[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return table.split('\n').flatMap((row) => {
    const [pid, parent] = row.trim().split(/\s+/).map(Number)
    return pid !== undefined && parent !== undefined ? [{ pid, parent }] : []
  })
}

function procPids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

function environmentOf(pid: number): string[] {
  return readOrEmpty(`/proc/${pid}/environ`).split('\0')
}

// A process may end, or belong to another user, between listing and reading.
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
