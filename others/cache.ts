import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'

/** The folder that keeps other people's programs between calls. */
export const cache = process.env['OTHERS_CACHE'] ?? path.join(homedir(), '.cache/load-test-action/others')

interface RunOptions {
  cwd?: string
  /** In addition to those of this process. */
  env?: Readonly<Record<string, string>>
  /** Seconds until it is killed, with everything that it started; then its code is null. */
  seconds?: number
}

/** Runs other people's program to its end. @returns what it wrote to stdout and stderr, in order */
export async function run(
  command: string,
  args: readonly string[],
  { cwd, env = {}, seconds = 60 }: RunOptions = {},
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All of them have already ended.
    }
  }
  const timer = setTimeout(kill, seconds * 1000)
  process.once('exit', kill)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve)
    })
    return { code, output }
  } finally {
    clearTimeout(timer)
    process.off('exit', kill)
    kill()
  }
}

/** Why other people's program cannot be tried on this machine. */
export class NotHere extends Error {
  override name = 'NotHere'
}

/**
 * Installs once, by a shell script in a folder of that name; a partial installation never counts as a complete one.
 *
 * @returns the path of a file or folder in it
 * @throws NotHere with what the script said, such as `go: command not found`
 */
async function installed(name: string, file: string, script: string): Promise<string> {
  const folder = path.join(cache, name)
  const done = path.join(folder, 'installed')
  if (!existsSync(done)) {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    const { code, output } = await run('bash', ['-ec', script], { cwd: folder, seconds: 540 })
    if (code !== 0) throw new NotHere(`It could not be installed. ${script} said:\n${output.trim()}`)
    await writeFile(done, '')
  }
  return path.join(folder, file)
}

/** A program from Go's module proxy, as one file. */
export function goProgram(module: string, version: string): Promise<string> {
  const name = path.basename(module)
  return installed(`${name}-${version}`, name, `GOBIN=$PWD go install ${module}@v${version}`)
}

/** A program of this project, of one Go file, for Windows. */
export function goForWindows(file: string, name: string): Promise<string> {
  const env = 'GOOS=windows GOARCH=amd64 GOTOOLCHAIN=go1.21.0 CGO_ENABLED=0'
  return installed(name, name, `${env} go build -o ${name} ${path.resolve(file)}`)
}

/** A file of a package from npm's registry, whatever system it is for. */
export function npmFile(name: string, version: string, file: string): Promise<string> {
  const quiet = '--force --no-audit --no-fund --ignore-scripts --loglevel=error'
  const script = `npm install ${quiet} --prefix=$PWD ${name}@${version}`
  return installed(`${path.basename(file)}-${version}`, `node_modules/${name}/${file}`, script)
}

/** A program from Python's registry, in a separate environment. */
export function pythonProgram(name: string, version: string): Promise<string> {
  // Compiled on import: most modules are never imported.
  const pip = 'bin/pip install -q --no-compile --disable-pip-version-check'
  return installed(`${name}-${version}`, `bin/${name}`, `python3 -m venv . && ${pip} ${name}==${version}`)
}

/** Java archives of a group from Maven's registry, with all that they need. @returns their folder */
export function mavenJars(group: string, names: readonly string[], version: string): Promise<string> {
  // A bill of materials that the registry has as a pom alone.
  const exclusions = `<exclusions><exclusion><groupId>${group}</groupId><artifactId>bom</artifactId></exclusion></exclusions>`
  const dependencies = names.map(
    (name) =>
      `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version>${exclusions}</dependency>`,
  )
  const pom = `<project><modelVersion>4.0.0</modelVersion><groupId>none</groupId><artifactId>none</artifactId><version>1</version><dependencies>${dependencies.join('')}</dependencies></project>`
  const copy = 'mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib'
  return installed(`${names[0] ?? ''}-${version}`, 'lib', `echo '${pom}' > pom.xml && ${copy}`)
}
