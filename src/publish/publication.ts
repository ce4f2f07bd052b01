import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { defined } from '../text/fields.js'
import { message } from '../errors.js'
import { goesRed, type ActionInputs } from '../inputs/inputs.js'
import type { Log } from '../log.js'
import { isGreen, withPart, type Outcome, type Verdict } from '../outcome/outcome.js'
import { annotations, closingGroups, closingLines } from './annotations.js'
import { renderComment } from './markdown/comment.js'
import { headline } from './words/words.js'
import { renderSummary } from './markdown/summary.js'
import { outputsOf } from './outputs.js'
import { annotate, putOutput, setOutput, summarize, tellRunner, turnRed } from '../runner.js'
import { attachAll, writeOutcome, type Attaching } from './attachments.js'
import { reasonsAbout } from '../text/reason.js'

interface Publication extends Omit<Attaching, 'attach'> {
  outcome: Outcome
  inputs: Attaching['inputs'] & Pick<ActionInputs, 'failOn'>
  /** Absent = nothing is attached. */
  attach?: Attaching['attach']
  comment?: Comment
  /** The status of the measured commit, as far as the outcome knows it; it gets the colour of the step. */
  status?: (
    outcome: Outcome,
  ) => ((state: ReturnType<typeof stateOf>, description: string) => Promise<void>) | undefined
}

/** The step's comment on a pull request. */
export interface Comment {
  key: string
  /**
   * @param text `isRed`: whether its verdict is red; absent if it has no final one: what was known about that stays.
   * `isPassing`: on its own it would be of no use to anybody
   * @returns the address of its page, if it was written
   */
  put(text: { body: string; isRed?: boolean; isPassing?: boolean }): Promise<string | undefined>
}

/**
 * Publishes the outcome. First what is attached, since that may change the outcome; then everything else, from the
 * final outcome, which it returns. Only then does the step go red, if it must.
 */
export async function publish(publication: Publication): Promise<Outcome> {
  const { inputs, log } = publication
  const outcome = await log.group('Publish', async () => {
    const { attach } = publication
    const whole = await withPage(publication)
    const attached = attach ? await attachAll(whole, { ...publication, attach }) : whole
    const final = await keepOutcome({ ...publication, outcome: attached })
    await tell({ ...publication, outcome: final, isRed: goesRed(final.verdict, inputs.failOn) })
    return final
  })
  for (const { title, lines } of closingGroups(outcome)) {
    await log.group(title, async () => write(lines, log))
  }
  const isRed = goesRed(outcome.verdict, inputs.failOn)
  annotateAll(outcome, isRed)
  write(closingLines(outcome), log)
  if (isRed) turnRed()
  return outcome
}

function write(lines: ReturnType<typeof closingLines>, log: Log): void {
  for (const { line, tone } of lines) log.info(line, tone)
}

function annotateAll(outcome: Outcome, isRed: boolean): void {
  for (const { kind, message, title, file, line } of annotations(outcome, isRed ? 'error' : 'warning')) {
    annotate(kind, message, { title, ...defined({ file, startLine: line }) })
  }
}

/** Summary, comment and status, which people read on GitHub's own pages. */
export async function tell(
  told: Pick<Publication, 'outcome' | 'comment' | 'status' | 'log'> & { isRed: boolean },
): Promise<void> {
  const { outcome, isRed, comment, status, log } = told
  try {
    await summarize(renderSummary(outcome))
  } catch (error) {
    log.warning(`The job summary could not be written: ${message(error)}`)
  }
  const putComment = async (to: Comment) => {
    const isFinal = outcome.verdict !== 'started' && outcome.verdict !== 'cancelled'
    const page = await to.put({ body: renderComment(outcome, to.key), ...(isFinal ? { isRed } : {}) })
    tellRunner(log, () => setOutput('comment-url', page))
  }
  // Neither waits for the other: GitHub may limit only one of them.
  await Promise.all([
    comment && putComment(comment),
    status?.(outcome)?.(stateOf(outcome.verdict, isRed), headline(outcome)),
  ])
}

/** These say nothing about the tested code. */
const aboutTheStep: readonly Verdict[] = ['timed-out', 'cancelled', 'error']

/** The state that has the colour of the step. A run that was only started has none yet. */
export function stateOf(verdict: Verdict, isRed: boolean) {
  if (verdict === 'started') return 'pending'
  if (!isRed) return 'success'
  return aboutTheStep.includes(verdict) ? 'error' : 'failure'
}

/** For a step that has only moments left: publishes what needs no call to GitHub. The post step publishes the rest. */
export async function publishAtOnce(publication: Publication): Promise<void> {
  annotateAll(await keepOutcome(publication), true)
  turnRed()
}

/** The outcome file, and the outputs. @returns the outcome, which is an error if later steps cannot read one of them */
export async function keepOutcome(of: Pick<Publication, 'outcome' | 'temp'>): Promise<Outcome> {
  const { outcome, temp } = of
  let kept = outcome
  const keep = async <T>(what: string, write: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await write()
    } catch (error) {
      const { verdict } = kept
      kept = withPart(kept, {
        verdict: isGreen(verdict) || verdict === 'started' ? 'error' : verdict,
        reasons: reasonsAbout('step', `${what}: ${message(error)}`),
      })
      return undefined
    }
  }
  const file = await keep('The outcome file could not be written', () => writeOutcome(outcome, temp))
  await keep('The outputs of the step could not be written', () => {
    for (const [name, value] of Object.entries(outputsOf(kept, file))) putOutput(name, value)
  })
  return kept
}

/** The page of a history is there for later steps of the job, whether or not it can be attached. */
async function withPage({ outcome, temp }: Publication): Promise<Outcome> {
  if (outcome.kind !== 'history' || !outcome.history) return outcome
  const { renderHistory } = await import('./history/history-page.js')
  const file = path.join(temp, 'history.html')
  await writeFile(file, renderHistory(outcome, outcome.history))
  return withPart(outcome, { historyPage: { path: file } })
}
