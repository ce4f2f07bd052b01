import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const tsx = path.join('node_modules', 'tsx', 'dist', 'cli.mjs')

test.each([
  ['', 'The step ended as success, verdict passed', '✅'],
  ['--regression', 'The step ended as failure, verdict failed', '❌'],
])('npm run demo %s ends as it says, and leaves its pages', (option, sentence, icon) => {
  const args = [tsx, 'scripts/demo.ts', ...(option ? [option] : [])]
  const shown = execFileSync(process.execPath, args, { encoding: 'utf8' })
  expect(shown).toContain(sentence)
  expect(shown).not.toMatch(/client-secret: (?!\*\*\*)/)
  expect(readFileSync('.demo/summary.md', 'utf8')).toContain(`## ${icon}`)
  for (const name of ['comment.md', 'load-test-report.tar.gz', 'load-test-report-digest.html']) {
    expect(existsSync(path.join('.demo', name))).toBe(true)
  }
})
