import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DefaultArtifactClient } from '@actions/artifact'

/**
 * A step of a workflow: compares the files that the step attached with what the artifact client downloads and, if
 * ACT_ARTIFACTS names it, with the folder of act's artifact server.
 */
const [report = '', outcome = ''] = process.argv.slice(2)
const attached = [
  ['load-test-report.tar.gz', report],
  ['load-test-outcome.json', outcome],
] as const
const client = new DefaultArtifactClient()
for (const [name, file] of attached) {
  const { artifact } = await client.getArtifact(name)
  const folder = mkdtempSync(path.join(tmpdir(), 'read-back-'))
  await client.downloadArtifact(artifact.id, { path: folder })
  const [only = '', ...more] = readdirSync(folder)
  if (more.length > 0) throw new Error(`${name} has more than one file: ${more.join(', ')}`)
  compare('by the artifact client', name, path.join(folder, only), file)
  rmSync(folder, { recursive: true })
}
const kept = process.env['ACT_ARTIFACTS'] ?? ''
for (const [name, file] of kept === '' ? [] : attached) {
  // act's server names every artifact .zip.
  compare("from act's folder", name, path.join(kept, name, `${name}.zip`), file)
}

function compare(how: string, name: string, copy: string, file: string): void {
  if (!readFileSync(copy).equals(readFileSync(file))) throw new Error(`${name} differs, read back ${how}.`)
  console.log(`Read back ${how}: ${name}`)
}
