import { lacksBaseline, loadBaseline, unmeasurable, type BaselineWorld } from '../../baseline/baseline.js'
import { askService, look } from './access.js'
import { prepareArchive, withoutPath } from '../../archive/code-archive.js'
import { compares } from '../../language/gate.js'
import { formatDuration } from '../../text/duration.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { plural } from '../../text/plural.js'
import { goesRed, type CheckInputs } from '../../inputs/inputs.js'
import {
  fits,
  flaw,
  hindrance,
  unknown,
  type Check,
  type CheckOutcome,
  type CodeArchive,
  type Tell,
} from '../../outcome/outcome.js'
import type { Client } from '../../service/service.js'
import { formatBytes } from '../../text/size.js'
import type { ServiceWorld } from '../../session.js'
import type { StartWorld } from '../../start/start.js'
import type { World } from '../../world.js'
import { reasonsAbout } from '../../text/reason.js'

export interface CheckWorld extends World, StartWorld, ServiceWorld, Pick<BaselineWorld, 'earlierOutcomes'> {
  /** Whether comment, label, status and artifacts would work, as far as reading shows. */
  checkGitHub(inputs: Pick<CheckInputs, 'accept' | 'comment' | 'status'>): Promise<Check[]>
}

/**
 * Mode check: checks everything that a run with these inputs needs, and starts, uploads, deletes and comments nothing.
 * A problem does not hide what comes after it.
 */
export async function check(inputs: CheckInputs, world: CheckWorld, tell: Tell<CheckOutcome>): Promise<void> {
  const { log } = world
  const checks: Check[] = [...checkInputs(inputs), checkGates(inputs), ...checkConfirm(inputs)]
  const asked = await log.group('Ask the service', () => askService(inputs, world))
  checks.push(...asked.checks, ...(await checkBaseline(inputs, world, asked.client)))
  tell({ checks: [...checks] })
  if (inputs.upload) {
    const packed = await log.group('Pack the code archive', () => checkArchive(inputs, world))
    checks.push(...packed.checks)
    tell({ checks: [...checks], ...defined({ archive: packed.archive }) })
  }
  checks.push(...(await log.group('Ask GitHub', () => world.checkGitHub(inputs))))
  const ends = checks.filter(({ endsRun }) => endsRun)
  tell({
    checks,
    verdict: ends.length > 0 ? 'error' : 'passed',
    reasons: reasonsAbout('check', ...ends.map(({ sentence }) => sentence)),
  })
}

function checkInputs({ faults }: CheckInputs): Check[] {
  if (faults.inputs.length === 0) return [fits('inputs', 'All inputs are valid.')]
  return faults.inputs.map((fault) => hindrance('inputs', fault))
}

/** All faults of a file or an input share one row, so that none is lost among the others. */
function checkGates({ gates, faults }: CheckInputs): Check {
  if (faults.gates.length > 0) return hindrance('gates', faults.gates.join(' '))
  if (gates.length === 0) {
    const none =
      'There are none: a run must finish without many errors, and its scorecard, if it has one, must pass.'
    return fits('gates', none)
  }
  const read = `${plural(gates.length, 'gate')} can be read. Only a run shows whether a report has their figures.`
  return fits('gates', read)
}

/** What a second run would cost, if one is asked for: no other input can double the cost of a run. */
function checkConfirm({ baseline, confirm, faults, gates, timeout }: CheckInputs): Check[] {
  // Without a baseline, or with gates that cannot be read, another row says so.
  if (!confirm || !baseline || faults.gates.length > 0) return []
  if (!gates.some((gate) => compares(gate) && !gate.warn)) {
    const none =
      'Only far more errors than those of the baseline would start a second run, because no gate compares with the baseline and can fail: write one, or remove confirm.'
    return [flaw('confirm', none)]
  }
  const cost = `If only gates that compare fail, a second load test is started. It costs as much as the first, and both must end within ${formatDuration(timeout)}, the timeout.`
  return [fits('confirm', cost)]
}

/** Packs as a run does, and goes no further. */
async function checkArchive(
  inputs: CheckInputs,
  world: CheckWorld,
): Promise<{ checks: Check[]; archive?: CodeArchive }> {
  let archive: CodeArchive | undefined
  const checks = await look('code archive', world.signal, async () => {
    archive = withoutPath(await prepareArchive(inputs, world))
    const { files, bytes, name } = archive
    const packed = `${plural(files, 'file')} below ${oneLine(name, 100)}/, ${formatBytes(bytes)}. Not uploaded.`
    return fits('code archive', packed)
  })
  return { checks, ...defined({ archive }) }
}

async function checkBaseline(
  { baseline, failOn, gates, percentiles, reportTimeout }: CheckInputs,
  world: CheckWorld,
  client: Client | undefined,
): Promise<Check[]> {
  if (!baseline) return []
  if (!client && baseline.some(({ kind }) => kind === 'load-test')) {
    return [unknown('baseline', 'It cannot be read from the service without a token.')]
  }
  return look('baseline', world.signal, async () => {
    const found = await loadBaseline(baseline, { ...world, ...defined({ client }), timeout: reportTimeout })
    const faults = unmeasurable({ gates, ...defined({ percentiles }) }, found)
    const strange = faults.map((one) => hindrance('gates', one))
    if (found.runs) return [fits('baseline', `It is ${found.runs.info.name}.`), ...strange]
    if (found.first !== undefined) return fits('baseline', `There is none yet. ${found.first.reason}`)
    const none = 'There is none yet, and until there is one, gates that compare are not measured.'
    const isNeeded = goesRed('invalid', failOn) && lacksBaseline({ gates }, found)
    return (isNeeded ? hindrance : unknown)('baseline', [none, ...found.advice].join(' '))
  })
}
