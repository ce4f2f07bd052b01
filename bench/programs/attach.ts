import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { DefaultArtifactClient } from '@actions/artifact'
import { attach } from '../../src/github/artifacts/artifacts.js'
import { quietLog } from './quiet-log.js'
import { timed } from './timed.js'

/** Attaches a report: `whole` like the step, `unpacked` like a workflow that unpacks it and uploads the folder. */
const [, , report = '', folder = '', manner = ''] = process.argv
const client = new DefaultArtifactClient()
await timed(async () => {
  if (manner === 'whole') {
    const attachment = { path: report, name: 'report', ending: '.tar.gz', distinction: '2', retentionDays: 0 }
    return attach(client, attachment, '', quietLog)
  }
  await mkdir(folder, { recursive: true })
  await promisify(execFile)('tar', ['-xzf', report, '-C', folder])
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.flatMap((entry) => (entry.isFile() ? [path.join(entry.parentPath, entry.name)] : []))
  return client.uploadArtifact('report', files, folder)
})
