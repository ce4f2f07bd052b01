import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'

const input = (name: string): string => process.env[`INPUT_${name}`] ?? ''
const script = path.join(process.env['RUNNER_TEMP'] ?? '', `${randomUUID()}.sh`)
writeFileSync(script, input('SCRIPT'))
const options = input('SHELL') === 'bash' ? ['--noprofile', '--norc', '-eo', 'pipefail'] : ['-e']
const bash = spawn('bash', [...options, script], {
  cwd: path.resolve(input('WORKING-DIRECTORY')),
  // The script sees what a run step sees, which has no inputs.
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('INPUT_'))),
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => bash.kill(signal))
bash.on('error', (error) => {
  console.log(`::error::bash cannot be started: ${error.message}`)
  process.exitCode = 1
})
bash.on('exit', (code) => {
  if (code !== 0) console.log(`::error::Process completed with exit code ${code ?? 'none'}.`)
  process.exit(code ?? 1)
})
