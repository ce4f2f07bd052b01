/** A workflow that the local runner cannot run; the message names the place and what is supported. */
export class WorkflowFault extends Error {
  override name = 'WorkflowFault'
}
