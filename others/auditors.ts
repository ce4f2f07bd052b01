import { globSync } from 'node:fs'
import path from 'node:path'
import { goProgram, pythonProgram, run } from './cache.js'
import type { Trial } from './trial.js'

const own = globSync('.github/workflows/*.yml')
const recipes = globSync('docs/recipes/*.yml')

/** actionlint reads workflows, and the scripts in them. */
export async function actionlint(): Promise<Trial[]> {
  const file = await goProgram('github.com/rhysd/actionlint/cmd/actionlint', '1.7.12')
  // GitHub Enterprise Server, which that recipe is for, takes no later one.
  const ignored = ['-ignore', 'the runner of "actions/upload-artifact@v3" action is too old']
  return [
    audit('workflows and recipes have no mistakes', file, ['-no-color', ...ignored, ...own, ...recipes]),
  ]
}

/** zizmor looks for what makes workflows unsafe. */
export async function zizmor(): Promise<Trial[]> {
  const file = await pythonProgram('zizmor', '1.32.0')
  const quiet = ['--offline', '--no-progress', '--color=never']
  return [
    audit('workflows and action.yml are safe', file, [...quiet, ...own, 'action.yml']),
    audit('recipes are safe', file, [...quiet, '--config', path.resolve('others/zizmor.yml'), ...recipes]),
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
