import type { MergeInputs } from '../../inputs/inputs.js'
import {
  isGreen,
  worstFirst,
  type Leg,
  type MergeOutcome,
  type Part,
  type Verdict,
} from '../../outcome/outcome.js'
import { oneLine } from '../../text/foreign-text.js'
import type { World } from '../../world.js'
import { legArtifacts, type ListedArtifact } from './leg-artifacts.js'
import { readLegs, type LegWorld } from './leg-outcome.js'
import { missingLegs } from './missing-legs.js'
import { reasonsAbout, type Reason } from '../../text/reason.js'

/** How many legs the reasons name before they only count them. */
const mostNamed = 50

/** What a merge needs of the world. */
export interface MergeWorld extends LegWorld, Pick<World, 'log'> {
  /** The artifacts of this workflow run, of all its attempts. */
  runArtifacts: () => Promise<ListedArtifact[]>
}

/** The outcomes that the legs of a matrix have left, and one verdict for all of them. */
export async function mergeLegs(
  { merge }: Pick<MergeInputs, 'merge'>,
  world: MergeWorld,
): Promise<Part<MergeOutcome>> {
  const { log, runArtifacts } = world
  const found = await log.group('Read the outcomes', async () => {
    const artifacts = legArtifacts(await runArtifacts(), merge.name)
    for (const { leg, artifact } of artifacts) log.info(`${oneLine(leg, 80)}: ${oneLine(artifact.name, 120)}`)
    return readLegs(artifacts, world)
  })
  const legs = [...found, ...missingLegs(found, merge)]
  if (legs.length === 0) {
    return {
      verdict: 'error',
      reasons: reasonsAbout(
        'step',
        `No artifact of this workflow run is named ${merge.name}-*-outcome: no leg left an outcome. Let this job need those of the legs, and give each leg a name such as ${merge.name}-\${{ matrix.name }}.`,
      ),
    }
  }
  return { legs, verdict: worstOf(legs), reasons: reasonsOf(legs) }
}

/** The worst verdict is that of all. */
export function worstOf(legs: readonly Leg[]): Verdict {
  return worstFirst(legs)[0]?.verdict ?? 'error'
}

/** A sentence for each leg that is not green, the worst first. */
function reasonsOf(legs: readonly Leg[]): Reason[] {
  const red = worstFirst(legs).filter(({ verdict }) => !isGreen(verdict))
  const named = red.slice(0, mostNamed).map(whyRed)
  const rest = red.length - named.length
  const counted = rest > 0 ? [`${rest} more ${rest === 1 ? 'leg' : 'legs'} did not pass.`] : []
  return reasonsAbout('leg', ...named, ...counted)
}

function whyRed({ name, verdict, fault, outcome }: Leg): string {
  return `${oneLine(name, 80)}: ${fault ?? outcome?.reasons[0]?.text ?? `Its verdict is ${verdict}.`}`
}
