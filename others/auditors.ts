import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { goProgram, pythonProgram, run } from './cache.js'
import type { Trial } from './trial.js'
import { ownActions } from '../src/outcome/outcome.js'

const filesIn = (folder: string, ending: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join(folder, name))
const own = filesIn('.github/workflows', '.yml')
const recipes = filesIn('docs/recipes', '.yml')
const pages = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
]

/** The whole workflows that the pages show, as files in a folder that is deleted with this process. */
function shown(): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'shown-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/^```yaml\n([^]*?)^```/gm)].flatMap(([, text = ''], index) => {
      if (!/^jobs:/m.test(text)) return []
      const target = path.join(folder, `${page.replaceAll('/', '-')}-${index + 1}.yml`)
      writeFileSync(target, text)
      return [target]
    }),
  )
}

/** actionlint checks workflows, and the scripts in them. */
export async function actionlint(): Promise<Trial[]> {
  const file = await goProgram('github.com/rhysd/actionlint/cmd/actionlint', '1.7.12')
  return [
    audit('workflows, recipes and the workflows that pages show have no mistakes', file, [
      '-no-color',
      // GitHub has it since May 2026, this version of actionlint not yet.
      ...['-ignore', 'unexpected key "queue" for "concurrency" section'],
      ...own,
      ...recipes,
      ...shown(),
    ]),
  ]
}

/** zizmor looks for what makes workflows unsafe. */
export async function zizmor(): Promise<Trial[]> {
  const file = await pythonProgram('zizmor', '1.32.0')
  const quiet = ['--offline', '--no-progress', '--color=never']
  return [
    audit('workflows, actions and dependabot.yml are safe', file, [
      ...quiet,
      ...own,
      '.github/dependabot.yml',
      'action.yml',
      ...ownActions.map((name) => `${name}/action.yml`),
    ]),
    audit('recipes and the workflows that pages show are safe', file, [
      ...[...quiet, '--config', path.resolve('others/zizmor.yml'), ...recipes, ...shown()],
    ]),
  ]
}

function audit(what: string, file: string, args: readonly string[]): Trial {
  return {
    what,
    async try() {
      const { code, output } = await run(file, args)
      if (code !== 0) throw new Error(output)
    },
  }
}
