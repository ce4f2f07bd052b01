import * as core from '@actions/core'
import type { Outcome } from '../outcome.js'
import { oneLine } from '../text/foreign-text.js'
import { acceptanceJson, gatesJson, metricsJson } from '../publish/metrics-output.js'

/** Sets the outputs of action.yml, each of them within bounds; what is unknown is not set. */
export function setOutputs(outcome: Outcome, outcomePath: string | undefined): void {
  const { run, archive, report, figures, historyPage } = outcome
  const outputs: Record<string, string | number | undefined> = {
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
    gates: gatesJson(outcome),
    metrics: metricsJson(outcome),
    acceptance: acceptanceJson(outcome),
    'history-path': historyPage?.path,
    outcome: outcomePath,
  }
  for (const [name, value] of Object.entries(outputs)) {
    if (value !== undefined) core.setOutput(name, value)
  }
}
