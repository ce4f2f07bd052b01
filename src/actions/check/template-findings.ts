import { withoutNotes, type EarlierStarts } from '../../start/earlier-start.js'
import { checkEngine, checkState, checkTakesUpload, findTemplate, shownState } from '../../start/template.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import type { CheckInputs } from '../../inputs/inputs.js'
import type { Check } from '../../outcome/outcome.js'
import type { LoadTest } from '../../service/project.js'
import type { Client } from '../../service/service.js'
import { existing } from '../../start/new-copies.js'
import type { World } from '../../world.js'
import type { Access } from './access.js'
import { fits, hindrance, look, unknown } from './finding.js'

const subject = 'load test'

/** Whether the template exists, and whether a run of it would be built from the upload. */
export async function checkTemplate(
  { template, upload }: CheckInputs,
  { client, granted, used }: Access,
  { attempt, earlierStarts, log, signal }: EarlierStarts & Pick<World, 'log' | 'signal'>,
): Promise<{ checks: Check[]; number?: number }> {
  if (!template) {
    const sentence =
      'load-test is not set: a run needs the number or the exact name of the load test to copy.'
    return { checks: [hindrance(subject, sentence)] }
  }
  const needed = 'number' in template ? 'LOADTEST_DETAILS' : 'LOADTEST_LIST'
  if (!client || !granted.includes(needed) || !granted.includes('LOADTEST_DETAILS')) {
    return { checks: [unknown(subject, `The template cannot be read without a token for ${needed}.`)] }
  }
  let number = 'number' in template ? template.number : undefined
  const checks = await look(subject, signal, async () => {
    const notes = async () =>
      attempt < 2 ? [] : earlierStarts().catch((error: unknown) => withoutNotes(error, log))
    const found = await findTemplate(client, template, { log, notes })
    used.add('LOADTEST_DETAILS')
    number = found.number
    const uploads = upload ? await look('Use Latest', signal, async () => takesUploads(found)) : []
    return [
      fits(subject, described(found, upload)),
      ...(await look('state', signal, () => state(client, found))),
      ...(await look('engine', signal, async () => engine(found))),
      ...uploads,
    ]
  })
  return { checks, ...defined({ number }) }
}

/** As a run reads it. @throws UserError if the end of a run could not be seen */
async function state(client: Client, template: LoadTest): Promise<Check> {
  const read = await shownState(client, template)
  if (read !== undefined) return fits('state', `It is ${oneLine(read, 40)}.`)
  checkState(template, (await existing(client, template.number)).hasStates === true)
  return fits('state', 'It has none yet, but other load tests have one.')
}

/** What the record leaves out is no fault that anybody could mend. */
function described({ number, name, environment, useLatest, archiveId }: LoadTest, upload: boolean): string {
  const called = name ? `, "${oneLine(name, 100)}"` : ''
  const untold = [
    ...(environment === undefined ? ['that its engine is not 6.x, which is retired'] : []),
    ...(upload && useLatest === undefined && archiveId === undefined ? ['that it is set to Use Latest'] : []),
  ]
  const look =
    untold.length > 0 ? ` The service does not say it: make sure on its page ${untold.join(', and ')}.` : ''
  return `The template is load test ${number}${called}.${look}`
}

/** @throws UserError if it certainly takes none */
function takesUploads(template: LoadTest): Check | Check[] {
  checkTakesUpload(template)
  const { useLatest, archiveId } = template
  if (useLatest) return fits('Use Latest', 'A run of the template is built from the latest upload.')
  if (archiveId !== undefined) {
    const named = oneLine(archiveId, 60)
    return unknown(
      'Use Latest',
      `The template names the code archive ${named}, and the service does not say whether it takes the latest. A run ends before its start if the template still names ${named} after the upload: make sure on its page that it is set to Use Latest, or set source: none.`,
    )
  }
  return []
}

/** @throws UserError if it is certainly retired */
function engine(template: LoadTest): Check[] {
  const preview = checkEngine(template)
  const { environment } = template
  if (environment === undefined) return []
  return [fits('engine', preview ?? `The template runs on engine ${oneLine(environment, 40)}.`)]
}
