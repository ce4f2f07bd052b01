import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { workflows } from '../__tests__/recipes/company.js'
import { goProgram, pythonProgram, run } from './cache.js'
import type { Trial } from './trial.js'

const own = globSync('.github/workflows/*.yml')
const recipes = globSync('docs/recipes/*.yml')

/** The workflows that README.md shows, as files in a folder that is deleted with this process. */
function shown(): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'shown-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return workflows
    .filter(({ from }) => from.startsWith('README.md '))
    .map(({ file, text }) => {
      const target = path.join(folder, file)
      writeFileSync(target, text)
      return target
    })
}

/** actionlint checks workflows, and the scripts in them. */
export async function actionlint(): Promise<Trial[]> {
  const file = await goProgram('github.com/rhysd/actionlint/cmd/actionlint', '1.7.12')
  return [
    audit("workflows, recipes and README's workflows have no mistakes", file, [
      '-no-color',
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
    audit('workflows and action.yml are safe', file, [...quiet, ...own, 'action.yml']),
    audit("recipes and README's workflows are safe", file, [
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
