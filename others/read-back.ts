import { mkdtempSync, readFileSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DefaultArtifactClient } from '@actions/artifact'

/** Run as a step of a workflow: what the artifact client downloads is what the step attached. */
const [report = '', outcome = ''] = process.argv.slice(2)
const client = new DefaultArtifactClient()
for (const [name, file] of [
  ['load-test-report.tar.gz', report],
  ['load-test-outcome.json', outcome],
] as const) {
  const { artifact } = await client.getArtifact(name)
  const folder = mkdtempSync(path.join(tmpdir(), 'read-back-'))
  await client.downloadArtifact(artifact.id, { path: folder })
  const [only = '', ...more] = readdirSync(folder)
  if (more.length > 0) throw new Error(`${name} has more files than one: ${more.join(', ')}`)
  if (!readFileSync(path.join(folder, only)).equals(readFileSync(file))) throw new Error(`${name} differs.`)
  console.log(`Read back: ${name}`)
}
