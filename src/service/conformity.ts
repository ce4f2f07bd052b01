import { listIn } from './list-page.js'
import { exampleAnswer, type OpenApi } from './open-api.js'
import type { Operation, OperationName } from './operations.js'
import { phaseOf } from './state.js'
import { essentials, stateWord, unwrap } from './wire.js'

/** What the step can read of an answer, by the type that the service's OpenAPI document has for it. */
interface DescribedAnswer {
  /** In words: number, state, start, end. */
  read: string[]
  /** States that the document names and the step does not know. Foreign text. */
  strange: string[]
}

const answersWithLoadTest: readonly OperationName[] = ['list', 'details', 'status', 'runCopy']
/** More of them say no more. */
const mostStates = 20

/** Undefined if the document does not say what the answer has, or the step reads nothing of it. */
export function describedAnswer(api: OpenApi, operation: Operation): DescribedAnswer | undefined {
  const described = api.at(operation.path)?.operations.get(operation.method)
  if (!described || !answersWithLoadTest.includes(operation.name)) return undefined
  const example = (pick: (word: string) => boolean) => {
    const answer = unwrap(operation, exampleAnswer(api, described, pick))
    return operation.name === 'list' ? listIn(answer)?.list[0] : answer
  }
  const strange: string[] = []
  const isStrange = (word: string) => phaseOf(stateWord(word)) === 'unknown'
  const pick = (word: string) => isStrange(word) && !strange.includes(stateWord(word))
  let seen = essentials(example(pick))
  if (!seen) return undefined
  const { number, startTime, endTime, state: first } = seen
  while (strange.length < mostStates) {
    const { state } = seen
    // A text without a choice may be any state.
    if (state === undefined || state === 'TEXT' || !pick(state)) break
    strange.push(state)
    seen = essentials(example(pick)) ?? {}
  }
  const read = Object.entries({ number, state: first, start: startTime, end: endTime })
  return { read: read.flatMap(([name, value]) => (value === undefined ? [] : [name])), strange }
}
