import { textFile, type ArchiveFile } from './archive-file.js'
import type { Measurement } from './measurement.js'
import { reportFolder, reportName, simulatedNote, type SimulatedRun } from './simulated-run.js'
import type { Traffic } from './traffic.js'

/**
 * The raw measurements of a run: a `timers.csv` for each user, below its load generator and its transaction. Each
 * line: T (transaction), A (action), R (request), C (custom timer) or P (page load); name; time; runtime; failed; for
 * requests also bytes sent and received, status and address.
 */
export function resultFiles(run: SimulatedRun, traffic: Traffic): ArchiveFile[] {
  const files = new Map<string, { time: number; line: string }[]>()
  const add = (kind: string, measurement: Measurement, more: (string | number)[] = []) => {
    const { agent, transaction, user, name, time, runtime, failed } = measurement
    const file = `ac000${agent + 1}/${transaction}/${user}/timers.csv`
    const line = [kind, name, run.startTime + time, runtime, failed, ...more].map(csvCell).join(',')
    const lines = files.get(file)
    if (lines) lines.push({ time, line })
    else files.set(file, [{ time, line }])
  }
  for (const transaction of traffic.transactions) add('T', transaction)
  for (const action of traffic.actions) add('A', action)
  for (const request of traffic.requests) {
    add('R', request, [request.bytesSent, request.bytesReceived, request.code, request.url])
  }
  for (const timer of traffic.customTimers) add('C', timer)
  for (const timer of traffic.pageLoads) add('P', timer)

  const folder = `${reportFolder(run)}-results`
  const note = textFile(`${folder}/README.txt`, `${reportName(run)}\n${simulatedNote}\n`)
  const names = [...files.keys()].sort()
  return [
    note,
    ...names.map((name) => {
      const lines = (files.get(name) ?? []).sort((one, other) => one.time - other.time)
      return textFile(`${folder}/${name}`, `${lines.map(({ line }) => line).join('\n')}\n`)
    }),
  ]
}

function csvCell(value: string | number | boolean): string {
  if (typeof value !== 'string') return `${value}`
  return /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
