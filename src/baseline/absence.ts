import type { Unfit } from '../noise/baseline.js'
import { oneLine } from '../text/foreign-text.js'
import type { OwnPlace } from './source.js'

/** Why gates that compare have nothing to compare with, if nobody is to blame for that. */
export function whyFirst({ branch, first }: OwnPlace, hasEarlier: boolean): Unfit | undefined {
  if (first === undefined) return undefined
  const name = oneLine(branch, 60)
  if (first === 'branch') {
    if (!hasEarlier)
      return { unfit: 'first-run', reason: 'First run: from now on the baseline of later runs.' }
    const reason = `New baseline: no earlier run of ${name} can be compared with this one, which is the baseline from now on.`
    return { unfit: 'new-baseline', reason }
  }
  // Runs of a pull request are nobody's baseline.
  if (hasEarlier) return undefined
  const reason = `First run: this pull request adds the workflow. Once it is merged, the first run on ${name} is the baseline.`
  return { unfit: 'first-run', reason }
}

/** What to do if gates that compare are not measured because there is nothing to compare with. */
export function absenceAdvice(place: OwnPlace, hasEarlier: boolean): string[] {
  const name = oneLine(place.branch, 60)
  if (hasEarlier) {
    return [
      `Expected if this change is about the load profile or the engine: once it is merged, the next run on ${name} is the new baseline.`,
    ]
  }
  const { otherWorkflow, unknown, workflow = 'this workflow' } = place
  return [
    otherWorkflow === undefined
      ? `Let ${oneLine(workflow, 100)} run on ${name} first, on push or by hand: its first green run there is the baseline. Then run this job again.`
      : `${name} is tested by ${oneLine(otherWorkflow, 100)}, but a baseline is a run of the same workflow, unless an input names another: write baseline-workflow: ${oneLine(otherWorkflow, 100)}. Or let one workflow test both ${name} and the pull requests, then run it on ${name} once.`,
    ...(unknown === undefined
      ? []
      : [
          `If this pull request adds the workflow, give the job the permission contents: read, so that the step can see that (${oneLine(unknown, 200)}).`,
        ]),
  ]
}
