import * as core from '@actions/core'
import type { Outcome } from '../../outcome/outcome.js'
import { oneLine } from '../../text/foreign-text.js'
import { headline } from '../../publish/words/words.js'
import { acceptanceJson, gatesJson, metricsJson } from '../../publish/metrics-output.js'

/** The outputs of action.yml that are short texts; undefined if the outcome does not have it. */
const texts: Readonly<Record<string, (outcome: Outcome) => string | number | undefined>> = {
  'run-number': ({ run }) => run?.number,
  'run-url': ({ run }) => run?.url,
  state: ({ run }) => run && oneLine(run.state, 100),
  verdict: ({ verdict }) => verdict,
  headline,
  'report-number': ({ report }) => report?.number,
  'report-path': ({ report }) => report?.path,
  'report-artifact-id': ({ report }) => report?.artifact?.id,
  'report-artifact-url': ({ report }) => report?.artifact?.url,
  'digest-url': ({ digest }) => digest?.url,
  'archive-id': ({ archive }) => archive?.id,
  'archive-sha512': ({ archive }) => archive?.sha512,
  'duration-seconds': ({ run, figures }) => run?.durationSeconds ?? figures?.general.duration,
  'history-path': ({ historyPage }) => historyPage?.path,
}

/** All outputs of a job may have 1 MiB: these are made to fit. */
const json: Readonly<Record<string, (outcome: Outcome) => string | undefined>> = {
  gates: gatesJson,
  metrics: metricsJson,
  acceptance: acceptanceJson,
}

/** Sets the outputs of action.yml, each of them within bounds; what is unknown is not set. */
export function setOutputs(outcome: Outcome, outcomePath: string | undefined): void {
  for (const [name, valueIn] of Object.entries(texts)) setOutput(name, valueIn(outcome))
  setOutput('outcome', outcomePath)
  for (const [name, valueIn] of Object.entries(json)) {
    const value = valueIn(outcome)
    if (value !== undefined) core.setOutput(name, value)
  }
}

/** Characters of an address, an id, a state or a path. */
const longest = 4000

/** Sets an output unless it is unknown, or longer than any real one: half of an address would be of no use. */
export function setOutput(name: string, value: string | number | undefined): void {
  if (value !== undefined && String(value).length <= longest) core.setOutput(name, value)
}
