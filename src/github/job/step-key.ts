import path from 'node:path'
import type { ActionInputs } from '../../inputs/inputs.js'
import type { JobFacts } from './job.js'

/** Distinguishes a step from others, also in the legs of a matrix over several templates or reports. */
export function stepKey(inputs: ActionInputs, { stepName, occasion, temp }: JobFacts): string {
  if ('project' in inputs) {
    const { project } = inputs
    const template = inputs.mode === 'collect' ? { number: inputs.runNumber } : inputs.template
    const test = template && ('number' in template ? template.number : template.name)
    return [stepName, project.organization, project.project, test].join('/')
  }
  if (!('report' in inputs)) return [stepName, inputs.mode].join('/')
  const { report } = inputs
  if (report.kind === 'artifact') return [stepName, 'artifact', report.name].join('/')
  // The location of a runner's folders may differ from job to job.
  const folder = [occasion.workspace, temp].find((one) => report.path.startsWith(one + path.sep))
  return [stepName, 'report', report.path.slice(folder?.length ?? 0)].join('/')
}
