import type { Scope } from '../service/project.js'
import type { Inputs } from './inputs.js'

/**
 * What credentials may lack: the list only follows up a start whose answer is lost, and details do for a status. Mode
 * check tells that they are missing.
 */
export const optionalScopes: readonly Scope[] = ['LOADTEST_LIST', 'LOADTEST_STATUS']

/**
 * Only the scopes that the calls of a step need (interface section 4), so that credentials with few scopes are enough.
 * Mode check checks those of mode run.
 */
export function scopesFor(inputs: Inputs): Scope[] {
  const scopes: Scope[] = ['LOADTEST_DETAILS']
  if (inputs.mode !== 'collect') {
    // The list shows the result of a start whose answer was lost.
    scopes.push('LOADTEST_LIST', 'LOADTEST_COPY_RUN')
    if (inputs.upload) scopes.push('CODEARCHIVE_UPLOAD')
    if (inputs.deleteArchive) scopes.push('CODEARCHIVE_DELETE')
  }
  if (inputs.mode !== 'start') {
    scopes.push('LOADTEST_STATUS', 'LOADTEST_REPORT_DOWNLOAD')
    if (inputs.results) scopes.push('LOADTEST_RESULT_DOWNLOAD')
  }
  return scopes
}
