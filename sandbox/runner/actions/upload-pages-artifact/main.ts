import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { DefaultArtifactClient } from '@actions/artifact'

// The local GitHub lacks the older artifact service of Enterprise Server: its one service stands in for both.
process.env['GITHUB_SERVER_URL'] = 'https://github.com'
const { RUNNER_TEMP = '', INPUT_PATH = '', INPUT_NAME = '' } = process.env
const tar = path.join(RUNNER_TEMP, 'artifact.tar')
execFileSync('tar', ['-cf', tar, '--directory', INPUT_PATH, '.'])
await new DefaultArtifactClient().uploadArtifact(INPUT_NAME, [tar], RUNNER_TEMP)
