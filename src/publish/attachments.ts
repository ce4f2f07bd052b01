import {
  isGreen,
  withPart,
  type Artifact,
  type LoadTestOutcome,
  type Outcome,
  type Part,
} from '../outcome/outcome.js'
import { reasonsAbout } from '../text/reason.js'

/** What the step attaches to the workflow run. */
export type Attachable =
  'report' | 'results' | 'second-report' | 'second-results' | 'digest' | 'history' | 'outcome'

/** The result: the artifact, or why there is none. */
export interface Attached {
  what: Attachable
  artifact?: Artifact
  fault?: {
    sentence: string
    /** There is no artifact service at all; the workflow cannot change that. */
    isNowhere: boolean
  }
}

/**
 * The outcome with what was attached. Report and results are the evidence: green is lost if one of them is asked for
 * and not attached. Digest and outcome file only show the verdict, like a comment: a note says that one is missing.
 */
export function withAttached(outcome: Outcome, { what, artifact, fault }: Attached): Outcome {
  if (fault) {
    const isShown = what === 'digest' || what === 'outcome'
    if (isShown || fault.isNowhere) return withPart(outcome, { notes: [fault.sentence] })
    const { verdict } = outcome
    const reasons = reasonsAbout('report', fault.sentence)
    return withPart(outcome, { verdict: isGreen(verdict) ? 'error' : verdict, reasons })
  }
  if (!artifact || what === 'outcome') return outcome
  switch (outcome.kind) {
    case 'load-test':
      return withPart(outcome, partOf(outcome, what, artifact))
    case 'merge':
      return withPart(outcome, { digest: artifact })
    case 'history': {
      const { historyPage: page } = outcome
      return page ? withPart(outcome, { historyPage: { ...page, artifact } }) : outcome
    }
    default:
      return outcome
  }
}

function partOf(outcome: LoadTestOutcome, what: Attachable, artifact: Artifact): Part {
  if (what === 'digest') return { digest: artifact }
  if (what === 'report' || what === 'results') return withArtifact(outcome, what, artifact)
  const { confirmation } = outcome
  const kind = what === 'second-report' ? 'report' : 'results'
  return confirmation
    ? { confirmation: { ...confirmation, ...withArtifact(confirmation, kind, artifact) } }
    : {}
}

function withArtifact(
  of: Pick<LoadTestOutcome, 'report' | 'results'>,
  kind: 'report' | 'results',
  artifact: Artifact,
): Pick<LoadTestOutcome, 'report' | 'results'> {
  const file = of[kind]
  return file ? { [kind]: { ...file, artifact } } : {}
}
