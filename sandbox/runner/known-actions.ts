import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readActionFile } from './action-file.js'
import type { StepOptions } from './job.js'
import { type StepFile, textsOf, WorkflowFault } from './workflow-file.js'

/**
 * Folders of actions, by the name in workflows, such as `actions/checkout`; the version is ignored. A repository may
 * have more actions in folders, as in `owner/name/folder`; `.` is that of the workflow itself.
 */
export type KnownActions = Readonly<Record<string, string>>

const own = (name: string): string => fileURLToPath(new URL(`actions/${name}`, import.meta.url))

const standIns: KnownActions = {
  'actions/checkout': own('checkout'),
  'actions/upload-pages-artifact': own('upload-pages-artifact'),
  'actions/deploy-pages': own('deploy-pages'),
  'actions/cache/save': own('cache-save'),
  'actions/cache/restore': own('cache-restore'),
}

/** What the job runs for a step of the workflow file. @throws WorkflowFault */
export async function stepOptions(step: StepFile, given: KnownActions): Promise<StepOptions> {
  const { id, name, uses, run, shell = '', 'working-directory': folder = '' } = step
  const timeoutMinutes = step['timeout-minutes']
  const shared = {
    ...(id === undefined ? {} : { id }),
    env: textsOf(step.env),
    if: step.if ?? '',
    continueOnError: step['continue-on-error'] ?? false,
    ...(timeoutMinutes === undefined ? {} : { timeoutMinutes }),
  }
  if (uses === undefined) {
    const script = String(run ?? '')
    return {
      ...shared,
      name: name ?? `Run ${script.split('\n', 1)[0] ?? ''}`,
      action: own('run'),
      uses: 'bash',
      inputs: { script, shell, 'working-directory': folder },
    }
  }
  const known = { ...standIns, ...given }
  const action = folderOf(uses.replace(/@.*$/, ''), known)
  if (action === undefined) {
    const names = Object.keys(known).join(', ')
    throw new WorkflowFault(
      `The local runner does not have the action ${uses}, only ${names}, each in any version.`,
    )
  }
  const { inputs: declared } = await readActionFile(action)
  const inputs = textsOf(step.with)
  const unknown = Object.keys(inputs).filter((input) => !declared.has(input))
  if (unknown.length > 0) {
    throw new WorkflowFault(`${uses}: the local runner does not know the input ${unknown.join(', ')}.`)
  }
  return { ...shared, ...(name === undefined ? {} : { name }), action, uses, inputs }
}

function folderOf(name: string, known: KnownActions): string | undefined {
  for (let at = name; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
    const folder = known[at]
    if (folder !== undefined) return path.join(folder, name.slice(at.length))
  }
  return undefined
}
