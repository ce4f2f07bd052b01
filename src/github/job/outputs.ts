import * as core from '@actions/core'
import type { Outcome } from '../../outcome/outcome.js'
import { oneLine } from '../../text/foreign-text.js'
import { acceptanceJson, gatesJson, metricsJson } from '../../publish/metrics-output.js'

/** Sets the outputs of action.yml, each of them within bounds; what is unknown is not set. */
export function setOutputs(outcome: Outcome, outcomePath: string | undefined): void {
  const { run, archive, report, figures, historyPage } = outcome
  const texts = {
    'run-number': run?.number,
    'run-url': run?.url,
    state: run && oneLine(run.state, 100),
    verdict: outcome.verdict,
    'report-number': report?.number,
    'report-path': report?.path,
    'report-artifact-id': report?.artifact?.id,
    'report-artifact-url': report?.artifact?.url,
    'archive-id': archive?.id,
    'archive-sha512': archive?.sha512,
    'duration-seconds': run?.durationSeconds ?? figures?.general.duration,
    'history-path': historyPage?.path,
    outcome: outcomePath,
  }
  // All outputs of a job may have 1 MiB: these are made to fit.
  const json = {
    gates: gatesJson(outcome),
    metrics: metricsJson(outcome),
    acceptance: acceptanceJson(outcome),
  }
  for (const [name, value] of Object.entries(texts)) setOutput(name, value)
  for (const [name, value] of Object.entries(json)) if (value !== undefined) core.setOutput(name, value)
}

/** Characters of an address, an id, a state or a path. */
const longest = 4000

/** Sets an output unless it is unknown, or longer than any real one: half of an address would be of no use. */
export function setOutput(name: string, value: string | number | undefined): void {
  if (value !== undefined && String(value).length <= longest) core.setOutput(name, value)
}
