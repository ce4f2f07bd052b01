import { commandsOf, mismatch, shownCommands, trials } from '../scripts/shown-commands.js'

test('every command that the documents show is tried in a fresh clone, or has a reason not to be', () => {
  expect(mismatch(shownCommands(process.cwd()))).toEqual({ untried: [], stale: [] })
  for (const trial of Object.values(trials)) {
    if ('instead' in trial || trial.how === 'elsewhere') expect(trial.why).toEqual(expect.any(String))
  }
})

test('commands are found in blocks, tables and sentences', () => {
  const page = [
    '| `npm ci` | installs |',
    '```sh',
    'npm ci && npm run demo # a comment',
    '# a line of comment',
    'git \\',
    '  status',
    '```',
    '```yaml',
    '- run: npm run yaml',
    '```',
    'Use `npm run lint`, not `lint`; `.ci/run` decides. `npm` itself is a word.',
  ].join('\n')
  expect(commandsOf(`${page}\n`)).toEqual([
    ...['npm ci', 'npm run demo', 'git    status', 'npm ci', 'npm run lint', '.ci/run'],
  ])
  expect(mismatch(['npm run unknown']).untried).toEqual(['npm run unknown'])
  expect(mismatch([]).stale).toContain('npm ci')
})
