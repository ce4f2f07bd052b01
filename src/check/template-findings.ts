import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Check } from '../outcome.js'
import type { LoadTest } from '../service/wire.js'
import { checkTakesUpload, findTemplate } from '../start/template.js'
import type { Access } from './access.js'
import { fits, look, unknown } from './finding.js'

const subject = 'load test'

/** Whether the template exists, and whether a run of it would be built from the upload. */
export async function checkTemplate(
  { template, upload }: Inputs,
  { client, granted }: Access,
  signal: AbortSignal,
): Promise<{ checks: Check[]; number?: number }> {
  if (!template) {
    const sentence = 'load-test is not set, so there is no template to check.'
    return { checks: [unknown(subject, sentence)] }
  }
  const needed = 'number' in template ? 'LOADTEST_DETAILS' : 'LOADTEST_LIST'
  if (!client || !granted.includes(needed) || !granted.includes('LOADTEST_DETAILS')) {
    return { checks: [unknown(subject, `The template cannot be read without a token for ${needed}.`)] }
  }
  let number: number | undefined
  const checks = await look(subject, signal, async () => {
    const found = await findTemplate(client, template)
    number = found.number
    const uploads = upload ? await look('Use Latest', signal, async () => takesUploads(found)) : []
    return [fits(subject, described(found)), ...engine(found), ...uploads]
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
  if (template.useLatest) return fits('Use Latest', 'A run of the template is built from the latest upload.')
  return unknown(
    'Use Latest',
    'The service does not say what a run of the template is built from. Make sure on its page that it is set to Use Latest, or set upload: false.',
  )
}

/** Interface section 1: the 6.x line is retired. The interface does not say whether a load test on it still runs. */
function engine({ environment }: LoadTest): Check[] {
  if (!environment?.startsWith('6.')) return []
  const sentence =
    'The template runs on engine 6.x, which is retired. Choose a 9.x environment for it on the service.'
  return [unknown('engine', sentence)]
}
