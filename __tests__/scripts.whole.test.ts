import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'

const tsx = path.join('node_modules', 'tsx', 'dist', 'cli.mjs')

/** Everything that a page refers to in its folder. */
function linked(page: string): string[] {
  return [...page.matchAll(/<li><a href="([^"]+)"/g)].map(([, name = '']) => decodeURIComponent(name))
}

test('npm run demo -- --regression ends as it says, and leaves its pages', () => {
  const args = [tsx, 'scripts/demo.ts', '--simulated', '--regression']
  const shown = execFileSync(process.execPath, args, { encoding: 'utf8' })
  // On main, and then for the pull request.
  expect(shown).toMatch(/ended as success, verdict passed[^]*ended as failure, verdict failed/)
  expect(shown).not.toMatch(/client-secret: (?!\*\*\*)/)
  expect(readFileSync('.demo/summary.md', 'utf8')).toContain('## ❌')
  expect(shown).toContain('Simulated: build, load and every figure')
  expect(shown).toContain(pathToFileURL(path.resolve('.demo/index.html')).href)
  const page = readFileSync('.demo/index.html', 'utf8')
  expect(page.match(/<h[12][^>]*>❌/g)).toHaveLength(2)
  expect(page).toContain('href="load-test-digest.html">Digest (one page)</a>')
  expect(linked(page)[0]).toBe('load-test-digest.html')
  for (const name of linked(page)) expect(existsSync(path.join('.demo', name))).toBe(true)
  for (const name of ['comment.md', 'load-test-report.tar.gz'])
    expect(existsSync(path.join('.demo', name))).toBe(true)
})

test('what npm run sandbox prints can be pasted: into a shell, and as the inputs of a step', async () => {
  const options = ['--port', '0', '--seconds', '1']
  const sandbox = spawn(process.execPath, [tsx, 'scripts/sandbox.ts', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const lines: string[] = []
    for await (const line of createInterface(sandbox.stdout)) {
      lines.push(line)
      if (line.startsWith('OpenAPI document')) break
    }
    const shell = lines.filter((line) => line.startsWith('export ') || line.startsWith('npm run '))
    const run = (script: string) => execFileSync('bash', ['-ec', script], { encoding: 'utf8' })
    const pasted = run(`${shell.join('\n')} -- timeout=1h 'gates=transactions error-rate <= 1%'`)
    expect(pasted).toContain('The step ended as success, verdict passed')
    expect(readFileSync('.step/index.html', 'utf8')).toMatch(/gate \(a limit\) passed/)

    const inputs = parse(
      lines.filter((line) => line.startsWith('  ') && line.includes(': ')).join('\n'),
    ) as object
    expect(Object.keys(inputs)).toEqual(
      expect.arrayContaining(['base-url', 'client-id', 'client-secret', 'load-test', 'run-page']),
    )
    const given = Object.entries(inputs).map(([name, value]) => `'${name}=${String(value)}'`)
    expect(run(`npm run step -- mode=check ${given.join(' ')}`)).toContain('verdict passed')
  } finally {
    const ended = once(sandbox, 'exit')
    sandbox.kill()
    await ended
  }
})

test('npm run step starts nothing elsewhere than on this machine', () => {
  const inputs = [
    'base-url=https://xtc.xceptance.com',
    'client-id=a',
    'client-secret=b',
    'organization=c',
    'project=d',
  ]
  const refused = spawnSync(process.execPath, [tsx, 'scripts/step.ts', ...inputs], { encoding: 'utf8' })
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('elsewhere, a load test costs money')
})
