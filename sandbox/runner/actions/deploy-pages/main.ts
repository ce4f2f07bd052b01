import { appendFileSync } from 'node:fs'

const { INPUT_TOKEN = '', INPUT_ARTIFACT_NAME = '', GITHUB_REPOSITORY = '', GITHUB_OUTPUT = '' } = process.env
const { GITHUB_API_URL = '', GITHUB_RUN_ID = '' } = process.env
const response = await fetch(
  `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}/artifacts`,
  {
    headers: { authorization: `token ${INPUT_TOKEN}` },
  },
)
const { artifacts } = (await response.json()) as { artifacts: { name: string }[] }
const count = artifacts.filter(({ name }) => name === INPUT_ARTIFACT_NAME).length
if (count !== 1) {
  const found = count === 0 ? 'No artifacts' : 'Multiple artifacts'
  console.log(`::error::${found} named "${INPUT_ARTIFACT_NAME}" were found for this workflow run.`)
  process.exit(1)
}
const [owner = '', name = ''] = GITHUB_REPOSITORY.split('/')
appendFileSync(GITHUB_OUTPUT, `page_url=https://${owner}.github.io/${name}/\n`)
