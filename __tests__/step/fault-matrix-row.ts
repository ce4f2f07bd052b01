import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { smallDisk } from '../../sandbox/runner/small-disk.js'
import type { FaultRule } from '../../sandbox/service/faults.js'
import { verdicts } from '../../src/outcome/outcome.js'
import type { Row, Seen } from './fault-matrix-table.js'
import { startSandbox, type Ran, type Sandbox } from './sandbox.js'

/** Runs dist in a separate job, against a separate service that misbehaves. @throws Error if it is green without a report */
export async function runRow(row: Row): Promise<Seen> {
  const { left } = row
  const disk = left === undefined ? undefined : smallDisk(16_000_000)
  const filling: FaultRule[] = disk
    ? [{ operation: row.phase, fault: { kind: 'meanwhile', happens: () => disk.fill(left) } }]
    : []
  const sandbox = await startSandbox({ ...row.settings, faults: [...row.faults, ...filling] })
  try {
    // Bytes that cannot be compressed.
    if (row.large) writeFileSync(path.join(sandbox.workspace, 'noise.bin'), randomBytes(4_000_000))
    const ran = await sandbox.run(row.inputs, disk ? { job: { parent: disk.folder } } : {})
    const how = `${ran.log}\n${requests(sandbox)}`
    try {
      const seen = observe(sandbox, ran, row)
      if (!isDeepStrictEqual(seen, row.expected))
        process.stderr.write(`${row.fault}, ${row.phase}:\n${how}\n`)
      return seen
    } catch (error) {
      throw new Error(`${String(error)}\n${how}`, { cause: error })
    }
  } finally {
    await sandbox.close()
    disk?.close()
  }
}

function observe(sandbox: Sandbox, ran: Ran, row: Row): Seen {
  const { outputs, log } = ran
  const own = sandbox.service.books.starts.filter(({ foreign }) => !foreign)
  const verdict = verdicts.find((one) => one === outputs['verdict'])
  if (!verdict) throw new Error('There is no verdict.')
  const number = outputs['run-number']
  const isOwn = own.some((start) => String(start.number) === number)
  const isListed = own.some((start) => new RegExp(`known which .*\\b${start.number} \\("`).test(log))
  const mayRun = /A copy of load test 1 may be running all the same/.test(log)
  const isSecondTold = own.every((start) => new RegExp(`oad test ${start.number}\\b`).test(ran.summary))
  const told = isOwn
    ? own.length > 1 && isSecondTold
      ? 'own run, and the second'
      : 'own run'
    : number
      ? "another job's run"
      : isListed
        ? 'listed'
        : mayRun
          ? 'may run'
          : 'nothing'
  const struck = sandbox.service.books.requests.flatMap(({ faults }) => faults)
  const idle = row.faults.filter(({ fault }) => !struck.includes(fault.kind))
  if (idle.length > 0) throw new Error(`It never happened: ${JSON.stringify(idle)}.`)
  if (/Unable to process file command/.test(log))
    throw new Error('The runner cannot read what the step said.')
  if ((ran.conclusion === 'success') !== (verdict === 'passed'))
    throw new Error(`It is ${verdict}, but ended as ${ran.conclusion}.`)
  if (verdict === 'passed') checkReport(sandbox, outputs)
  else if (row.left !== undefined) checkAdvice(ran)
  return {
    verdict,
    starts: own.length,
    told,
    uploads: sandbox.uploads().filter(({ foreign }) => !foreign).length,
    lost: lost(sandbox, ran, row, told, own[0]?.archiveId),
  }
}

/** Both places where people look first say what to do about a full disk. */
function checkAdvice({ summary, annotations }: Ran): void {
  const [first] = annotations.filter(({ kind }) => kind === 'error')
  for (const text of [summary, first?.message ?? ''])
    if (!text.includes('Free some disk space')) throw new Error(`It does not say what to do: ${text}`)
}

/** A green step has its complete report as an artifact. */
function checkReport({ github }: Sandbox, outputs: Ran['outputs']): void {
  const report = github.store.artifacts.find(({ id }) => String(id) === outputs['report-artifact-id'])
  if (report?.name !== 'load-test-report.tar.gz' && report?.name !== 'load-test-report.zip')
    throw new Error('There is no report.')
  const bytes = readFileSync(report.path)
  const content = report.name.endsWith('.zip') ? bytes : gunzipSync(bytes)
  if (!content.includes('testreport.xml')) throw new Error('The report is not whole.')
}

function lost(
  sandbox: Sandbox,
  { outputs }: Ran,
  row: Row,
  told: Seen['told'],
  built: string | undefined,
): Seen['lost'] {
  const { artifacts } = sandbox.github.store
  if (built === undefined) return 'nothing'
  if (told === 'nothing') return 'the run'
  if (!sandbox.uploads().some(({ id, foreign }) => id === built && !foreign))
    return 'the code, which did not run'
  if (!outputs['report-artifact-id']) return 'the report, for now'
  const isResultThere = artifacts.some(({ name }) => name.startsWith('load-test-results'))
  return row.phase === 'result' && !isResultThere ? 'the result, for now' : 'nothing'
}

function requests({ service }: Sandbox): string {
  return service.books.requests
    .map(({ operation, status, faults }) => `${operation} ${status ?? 'broken'} ${faults.join()}`)
    .join('\n')
}
