import path from 'node:path'
import { defined } from '../text/fields.js'
import type { InputReader } from './input-reader.js'

/** What is judged: a path, which may have wildcards, or an artifact of a workflow run. */
export type ReportSource =
  | {
      kind: 'path'
      /** Absolute. */
      path: string
    }
  | {
      kind: 'artifact'
      name: string
      /** The workflow run that has it; absent = this one. */
      run?: ReportRun
    }

/** A workflow run by its number, or the newest one of this workflow and commit that has the artifact. */
export type ReportRun = number | typeof sameCommit

export const sameCommit = 'same-commit'

const prefix = 'artifact:'

/** Reads `report` and `report-run`. */
export function readReportSource(read: InputReader, workspace: string): ReportSource {
  const report = read.required('report', 'report is required: a path of the report, or artifact:NAME.')
  const run = read.text('report-run')
  if (!report.startsWith(prefix)) {
    if (/^(?:https?:\/\/|load-test:|artifacts?$)/i.test(report))
      read.fault(
        'report is no path: download the report in an earlier step and write its path, or write artifact:NAME.',
      )
    if (run !== '') {
      read.fault('report-run has no effect on a path: write report: artifact:NAME, or remove report-run.')
    }
    return { kind: 'path', path: path.resolve(workspace, report) }
  }
  const name = report.slice(prefix.length).trim()
  if (name === '') read.fault('report names no artifact: write its name, such as artifact:load-test-report.')
  return { kind: 'artifact', name, ...defined({ run: readRun(read) }) }
}

function readRun(read: InputReader): ReportRun | undefined {
  const run = read.text('report-run')
  if (run === '') return undefined
  return run === sameCommit ? sameCommit : read.whole('report-run', 1, Number.MAX_SAFE_INTEGER)
}
