import { jobLog } from './github/job-log.js'
import { readState } from './github/step-state.js'
import { goesOn } from './run-advice.js'

/** Tells what the main step could not tell any more: that a run goes on, and how to collect it. */
export async function step(): Promise<void> {
  const { published, run, starting } = readState()
  if (published) return
  const log = jobLog()
  if (run) {
    log.warning(goesOn(run).join('\n'))
  } else if (starting) {
    log.warning(
      `The step ended while a copy of load test ${starting.template} was being started. Look on the service whether ` +
        'there is a new one.',
    )
  }
}
