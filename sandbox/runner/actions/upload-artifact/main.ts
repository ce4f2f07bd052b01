import path from 'node:path'
import { DefaultArtifactClient } from '@actions/artifact'

// The local GitHub has no older artifact service for Enterprise Server: its one service stands for both.
process.env['GITHUB_SERVER_URL'] = 'https://github.com'
const files = (process.env['INPUT_PATH'] ?? '').split('\n').filter((line) => line.trim() !== '')
const folder = files.map((file) => path.dirname(file)).reduce(common)
await new DefaultArtifactClient().uploadArtifact(process.env['INPUT_NAME'] ?? '', files, folder)

/** The folder that both lie in. */
function common(one: string, other: string): string {
  return path.relative(one, other).startsWith('..') ? common(path.dirname(one), other) : one
}
