import { message } from '../../errors.js'
import { oneLine } from '../../text/foreign-text.js'
import type { CheckInputs } from '../../inputs/inputs.js'
import type { Check } from '../../outcome/outcome.js'
import { describedCalls } from '../../service/service.js'
import type { World } from '../../world.js'
import type { Access } from './access.js'
import { fits, flaw, hindrance, unknown } from './finding.js'

const subject = 'OpenAPI document'
const uncompared =
  'The operations cannot be compared with it. A run tries GET for runCopy, and POST if that is refused.'

/**
 * Compares the calls that a run would make with the service's own OpenAPI document.
 *
 * @param known the document, where it was given without a token
 * @param template number of the load test that would be copied
 */
export async function checkInterface(
  inputs: CheckInputs,
  { client, signal }: Pick<Access, 'client'> & Pick<World, 'signal'>,
  known: unknown,
  template = 1,
): Promise<Check[]> {
  let document = known
  try {
    if (document === undefined && client) document = await client.openApi()
  } catch (error) {
    signal.throwIfAborted()
    return [unknown(subject, `${message(error)} ${uncompared}`)]
  }
  const all = describedCalls(document, inputs.project, template, inputs)
  if (!all) {
    const reason =
      document === undefined
        ? 'It could not be read.'
        : 'What the service returns at /public/api/json is not an OpenAPI document.'
    return [unknown(subject, `${reason} ${uncompared}`)]
  }
  return [
    fits(subject, 'The service has one; each operation that the step uses is compared with it.'),
    ...all.map(operationCheck),
    ...answerChecks(all.flatMap(({ name, answer }) => (answer ? { name, ...answer } : []))),
  ]
}

function operationCheck({ name, method, path, template, methods, used }: DescribedCall): Check {
  const about = `operation ${name}`
  // An archive that is not deleted costs a place in the project, not the run.
  const misfit = name === 'deleteArchive' ? flaw : hindrance
  if (template === undefined) {
    const ask = 'Ask the operator of the service for a version that has it.'
    return misfit(about, `The document has no ${oneLine(path, 200)}. ${ask}`)
  }
  const where = oneLine(template, 200)
  if (used === undefined) {
    const offered = methods.join(', ') || 'no method'
    return misfit(about, `The document has ${offered} for ${where}, but the step uses ${method}.`)
  }
  const other = used === method ? '' : ' The step uses that method.'
  return fits(about, `The document has ${used} ${where}.${other}`)
}

type DescribedCall = NonNullable<ReturnType<typeof describedCalls>>[number]

/** A row for each thing that a start or a run depends on: in which answers it is by their types. */
function answerChecks(
  types: (NonNullable<DescribedCall['answer']> & Pick<DescribedCall, 'name'>)[],
): Check[] {
  if (types.length === 0) return []
  const having = (field: string) => types.filter(({ read }) => read.includes(field)).map(({ name }) => name)
  const row = (
    field: keyof typeof without,
    needed: readonly DescribedCall['name'][],
    result = unknown,
  ): Check[] => {
    if (!types.some(({ name }) => needed.includes(name))) return []
    const has = having(field)
    const isThere = has.some((name) => needed.includes(name))
    const what = `By the document, no answer to ${needed.join(' or ')} has it. ${without[field]}`
    const about = `field ${field}`
    return [isThere ? fits(about, `Read from the answers to ${has.join(', ')}.`) : result(about, what)]
  }
  const strange = [...new Set(types.flatMap((type) => type.strange))]
  const words = strange.map((state) => oneLine(state, 40)).join(', ')
  return [
    ...row('number', ['runCopy']),
    ...row('state', ['status', 'details']),
    ...(strange.length === 0 ? [] : [unknown('field state', `The step does not know ${words}: ${untold}`)]),
    ...row('start', ['status', 'details'], fits),
    ...row('end', ['status', 'details'], fits),
  ]
}

const untold =
  'a load test in one of these states counts as not ended unless its end time is set, and only FINISHED as a success. If one of them is a success, open an issue.'

/** What becomes of a step where no answer has it. */
const without = {
  number: 'After a start, the copy is looked for in the list of load tests.',
  state:
    'A run is started only if the record of the template, or of another load test, has one all the same.',
  start: 'The duration of a run is not shown.',
  end: 'A run has ended if its state says so.',
}
