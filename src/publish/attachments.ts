import { isGreen, withPart, type Artifact, type Outcome } from '../outcome/outcome.js'

/** What the step attaches to the workflow run. */
export type Attachable =
  'report' | 'results' | 'second report' | 'second results' | 'digest' | 'history' | 'outcome'

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
    return withPart(outcome, { verdict: isGreen(verdict) ? 'error' : verdict, reasons: [fault.sentence] })
  }
  if (!artifact || what === 'outcome') return outcome
  if (what === 'digest') return withPart(outcome, { digest: artifact })
  if (what === 'history') return withHistoryPage(outcome, artifact)
  if (what === 'report' || what === 'results') return withPart(outcome, withArtifact(outcome, what, artifact))
  const { confirmation } = outcome
  const kind = what === 'second report' ? 'report' : 'results'
  return confirmation
    ? withPart(outcome, {
        confirmation: { ...confirmation, ...withArtifact(confirmation, kind, artifact) },
      })
    : outcome
}

function withHistoryPage(outcome: Outcome, artifact: Artifact): Outcome {
  const { historyPage: page } = outcome
  return page ? withPart(outcome, { historyPage: { ...page, artifact } }) : outcome
}

function withArtifact(
  of: Pick<Outcome, 'report' | 'results'>,
  kind: 'report' | 'results',
  artifact: Artifact,
): Pick<Outcome, 'report' | 'results'> {
  const file = of[kind]
  return file ? { [kind]: { ...file, artifact } } : {}
}
