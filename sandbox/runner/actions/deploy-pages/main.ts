import { appendFileSync } from 'node:fs'
import { DefaultArtifactClient } from '@actions/artifact'

// The local GitHub lacks the older artifact service of Enterprise Server: its one service stands in for both.
process.env['GITHUB_SERVER_URL'] = 'https://github.com'
const { INPUT_ARTIFACT_NAME = '', GITHUB_REPOSITORY = '', GITHUB_OUTPUT = '' } = process.env
await new DefaultArtifactClient().getArtifact(INPUT_ARTIFACT_NAME)
const [owner = '', name = ''] = GITHUB_REPOSITORY.split('/')
appendFileSync(GITHUB_OUTPUT, `page_url=https://${owner}.github.io/${name}/\n`)
