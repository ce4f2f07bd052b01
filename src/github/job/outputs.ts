import * as core from '@actions/core'
import type { CodeArchive, LoadTestOutcome, Outcome } from '../../outcome/outcome.js'
import { oneLine } from '../../text/foreign-text.js'
import { headline } from '../../publish/words/words.js'
import { acceptanceJson, gatesJson, metricsJson } from '../../publish/metrics-output.js'

type Outputs = Readonly<Record<string, string | number | undefined>>

/** The outputs of action.yml that are short texts. */
function textsOf(outcome: Outcome): Outputs {
  switch (outcome.kind) {
    case 'load-test':
      return textsOfRun(outcome)
    case 'history':
      return { 'history-path': outcome.historyPage?.path }
    case 'merge':
      return { 'digest-url': outcome.digest?.url }
    default:
      return 'archive' in outcome ? archiveTexts(outcome.archive) : {}
  }
}

function textsOfRun({ run, report, digest, archive, figures }: LoadTestOutcome): Outputs {
  return {
    'run-number': run?.number,
    'run-url': run?.url,
    state: run && oneLine(run.state, 100),
    'report-number': report?.number,
    'report-path': report?.path,
    'report-artifact-id': report?.artifact?.id,
    'report-artifact-url': report?.artifact?.url,
    'digest-url': digest?.url,
    ...archiveTexts(archive),
    'duration-seconds': run?.durationSeconds ?? figures?.general.duration,
  }
}

function archiveTexts(archive: CodeArchive | undefined): Outputs {
  return { 'archive-id': archive?.id, 'archive-sha512': archive?.sha512 }
}

/** All outputs of a job may have 1 MiB: these are made to fit. */
function jsonOf(outcome: Outcome): Readonly<Record<string, string | undefined>> {
  if (outcome.kind === 'load-test') {
    return { gates: gatesJson(outcome), metrics: metricsJson(outcome), acceptance: acceptanceJson(outcome) }
  }
  // A workflow may parse what the action at the root has, whatever its mode.
  return outcome.kind === 'check' ? { gates: '[]', metrics: '{}' } : {}
}

/** Sets the outputs of action.yml, each of them within bounds; what is unknown is not set. */
export function setOutputs(outcome: Outcome, outcomePath: string | undefined): void {
  const texts = { verdict: outcome.verdict, headline: headline(outcome), ...textsOf(outcome) }
  for (const [name, value] of Object.entries(texts)) setOutput(name, value)
  setOutput('outcome', outcomePath)
  for (const [name, value] of Object.entries(jsonOf(outcome))) {
    if (value !== undefined) core.setOutput(name, value)
  }
}

/** Characters of an address, an id, a state or a path. */
const longest = 4000

/** Sets an output unless it is unknown, or longer than any real one: half of an address would be of no use. */
export function setOutput(name: string, value: string | number | undefined): void {
  if (value !== undefined && String(value).length <= longest) core.setOutput(name, value)
}
