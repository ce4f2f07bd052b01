import { withoutNotes, type EarlierStarts } from '../../start/earlier-start.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import type { CheckInputs } from '../../inputs/inputs.js'
import type { Check } from '../../outcome/outcome.js'
import type { LoadTest } from '../../service/wire.js'
import { checkEngine, checkTakesUpload, findTemplate } from '../../start/template.js'
import type { World } from '../../world.js'
import type { Access } from './access.js'
import { fits, hindrance, look, unknown } from './finding.js'

const subject = 'load test'

/** Whether the template exists, and whether a run of it would be built from the upload. */
export async function checkTemplate(
  { template, upload }: CheckInputs,
  { client, granted }: Access,
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
    number = found.number
    const uploads = upload ? await look('Use Latest', signal, async () => takesUploads(found)) : []
    return [
      fits(subject, described(found)),
      ...(await look('engine', signal, async () => engine(found))),
      ...uploads,
    ]
  })
  return { checks, ...defined({ number }) }
}

function described({ number, name, state }: LoadTest): string {
  const called = name ? `, "${oneLine(name, 100)}"` : ''
  const seen = state ? `; its state is ${oneLine(state, 40)}` : '; the service does not report its state'
  return `The template is load test ${number}${called}${seen}.`
}

/** @throws UserError if it certainly takes none */
function takesUploads(template: LoadTest): Check {
  checkTakesUpload(template)
  const { useLatest, archiveId } = template
  if (useLatest) return fits('Use Latest', 'A run of the template is built from the latest upload.')
  if (archiveId !== undefined) {
    const named = oneLine(archiveId, 60)
    return unknown(
      'Use Latest',
      `The template names the code archive ${named}, and the service does not say whether it takes the latest. A run ends before its start if the template still names ${named} after the upload: make sure on its page that it is set to Use Latest, or set upload: false.`,
    )
  }
  return unknown(
    'Use Latest',
    'The service does not say what a run of the template is built from. Make sure on its page that it is set to Use Latest, or set upload: false.',
  )
}

/** @throws UserError if it is certainly retired */
function engine(template: LoadTest): Check {
  checkEngine(template)
  const { environment } = template
  return environment === undefined
    ? unknown(
        'engine',
        'The service does not say which engine the template runs on. Make sure on its page that it is not 6.x, which is retired.',
      )
    : fits('engine', `The template runs on engine ${oneLine(environment, 40)}.`)
}
