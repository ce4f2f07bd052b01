import type { Fault, OperationName } from '../../sandbox/service/faults.js'
import { seededRandom } from '../../sandbox/report/random.js'
import type { EndState } from '../../sandbox/service/load-test.js'
import type { PlannedFault } from './gateway.js'

/** The plan of one step. */
export interface Plan {
  step: number
  /** Number of the step's own template, by which its runs are found in the books. */
  template: number
  name: string
  faults: PlannedFault[]
  ends: EndState
  /** Whether the report passes the step's gate. */
  holds: boolean
  deletes: boolean
}

const anywhere: Fault[] = [
  { kind: 'latency', milliseconds: 400 },
  { kind: 'drop-before' },
  { kind: 'drop-after' },
  { kind: 'half' },
  { kind: 'status', status: 429, retryAfter: 1 },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 502, executed: true },
  { kind: 'status', status: 503, retryAfter: 1 },
  { kind: 'status', status: 504, executed: true },
  { kind: 'html', status: 502 },
  { kind: 'html', status: 200 },
  { kind: 'wrong-json' },
  { kind: 'expire-tokens' },
  { kind: 'revoke-tokens' },
  { kind: 'clock-jump', seconds: 5 },
  { kind: 'clock-jump', seconds: -2 },
  { kind: 'foreign-upload', when: 'before' },
  { kind: 'foreign-upload', when: 'after' },
]

const here: Partial<Record<OperationName, Fault[]>> = {
  status: [{ kind: 'state', state: 'PAUSED' }, { kind: 'state', state: 'RUNNING' }, { kind: 'vanish' }],
  upload: [
    { kind: 'upload-breaks', bytes: 1 },
    { kind: 'upload-breaks', bytes: 400 },
  ],
  runCopy: [{ kind: 'vanish' }],
  report: [
    { kind: 'report-late' },
    { kind: 'vanish' },
    { kind: 'cut-archive' },
    { kind: 'cut-archive', bytes: 0 },
    { kind: 'corrupt-archive' },
    { kind: 'half', bytes: 1 },
    { kind: 'half', bytes: 9000 },
  ],
}

const operations: OperationName[] = [
  'token',
  'list',
  'details',
  'upload',
  'runCopy',
  'runCopy',
  'status',
  'status',
  'report',
  'delete',
]
const names = ['Webshop regression', 'Webshop checkout', 'Webshop browsing']

/**
 * The plan of a step; the same seed gives the same one on any machine.
 *
 * @param alike several templates have the same name, so that only the code archive distinguishes their copies
 */
export function planOf(seed: number, step: number, alike = false): Plan {
  const random = seededRandom(seed, `step ${step}`)
  const pick = <T>(list: readonly T[], otherwise: T): T =>
    list[random.between(0, list.length - 1)] ?? otherwise
  const count = pick([0, 1, 1, 2, 2, 3, 4], 1)
  const faults = Array.from({ length: count }, (): PlannedFault => {
    const operation = pick(operations, 'status')
    const skip =
      operation === 'status' || operation === 'details'
        ? random.between(0, 2)
        : random.between(0, 1) * random.between(0, 1)
    return { operation, skip, fault: pick([...anywhere, ...(here[operation] ?? [])], { kind: 'drop-after' }) }
  })
  return {
    step,
    template: 1000 + step,
    name: alike ? (names[step % names.length] ?? '') : `Webshop ${1000 + step}`,
    faults,
    ends: pick(['FINISHED', 'FINISHED', 'FINISHED', 'FINISHED', 'FINISHED', 'ABORTED', 'ERROR'], 'FINISHED'),
    holds: random.next() < 0.75,
    deletes: random.next() < 0.3,
  }
}
