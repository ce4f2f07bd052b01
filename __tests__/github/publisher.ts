import { readFileSync } from 'node:fs'
import { gitHub } from '../../src/github/github.js'
import { jobLog } from '../../src/runner.js'
import { jobFacts } from '../../src/github/job/job.js'
import { publish } from '../../src/publish/publication.js'
import { actionOf, withPart, type Outcome } from '../../src/outcome/outcome.js'
import { readInputs } from '../../src/inputs/inputs.js'
import { redaction } from '../../src/text/redaction.js'

/** A separate action: publishes the outcome of a file like the step. */
const { INPUT_OUTCOME = '', 'INPUT_GITHUB-TOKEN': githubToken = '', RUNNER_TEMP = '' } = process.env
const outcome = JSON.parse(readFileSync(INPUT_OUTCOME, 'utf8')) as Outcome
const mode = outcome.kind === 'load-test' ? outcome.mode : outcome.kind
const given: Record<string, string> = {
  mode,
  'github-token': githubToken,
  comment: 'auto',
  results: 'true',
  name: 'generated',
  'retention-days': '0',
  'fail-on': 'failed',
}
const inputs = readInputs(actionOf(mode), (name) => given[name] ?? '', { workspace: '/', env: {} })
const log = jobLog(redaction())
const github = gitHub(
  inputs,
  jobFacts(process.env, () => undefined),
  log,
  RUNNER_TEMP,
)
const place = await github.commentPlace()
const comment = place && (await github.comment(place))
await publish({
  outcome: withPart(outcome, {}),
  inputs,
  temp: RUNNER_TEMP,
  attach: github.attach,
  attempt: '1',
  ...(comment ? { comment } : {}),
  log,
})
