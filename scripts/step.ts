import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { root, openResults, pullRequest, runLocally, showResult } from './local-step.js'

/** Runs the step of the committed dist/ once against the sandbox, for a pull request, with the inputs that are given. */
const usage = `npm run step -- [INPUT=VALUE …]   runs the step against the sandbox of npm run sandbox

The sandbox prints what to paste first: its address and credentials. Every input of action.yml can be given, such as
  npm run step -- mode=check
  npm run step -- source=../my-suite load-test=1 'gates=requests p95 <= 500 ms' baseline=load-test:9`

/** What the sandbox prints, by input. */
const printed = {
  'base-url': 'LOADTEST_URL',
  'client-id': 'LOADTEST_CLIENT_ID',
  'client-secret': 'LOADTEST_CLIENT_SECRET',
  organization: 'LOADTEST_ORGANIZATION',
  project: 'LOADTEST_PROJECT',
}

const args = process.argv.slice(2)
if (args.some((arg) => !/^[a-z-]+=/.test(arg))) refuse(usage)
const given = Object.fromEntries(args.map((arg) => [arg.replace(/=.*/s, ''), arg.replace(/^.*?=/s, '')]))
const connection = Object.entries(printed).map(([input, name]) => [input, process.env[name] ?? ''] as const)
const inputs: Record<string, string> = { 'load-test': '1', ...Object.fromEntries(connection), ...given }
const missing = Object.entries(printed).filter(([input]) => !inputs[input])
if (missing.length > 0) {
  const names = missing.map(([, name]) => name).join(', ')
  refuse(`${names} not set: start npm run sandbox in another shell, and paste what it prints.`)
}
const { 'base-url': address = '' } = inputs
const isHere =
  URL.canParse(address) && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(address).hostname)
if (!isHere)
  refuse(
    `base-url is "${address}". This command is for the sandbox, on this machine: elsewhere, a load test costs money.`,
  )
process.exitCode = await run()

function refuse(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}

async function run(): Promise<number> {
  const source = path.resolve(inputs['source'] ?? path.join(root, 'examples/webshop-suite'))
  const workspace = await mkdtemp(path.join(tmpdir(), 'load-test-step-'))
  const { out, github } = await openResults('.step')
  try {
    const folder = path.basename(source)
    await cp(source, path.join(workspace, folder), { recursive: true })
    const result = await runLocally({
      ...{ workspace, github },
      context: { runId: 1, ...pullRequest(github) },
      inputs: { ...inputs, source: folder, 'client-secret': '${{ secrets.LOADTEST_CLIENT_SECRET }}' },
      secrets: { LOADTEST_CLIENT_SECRET: inputs['client-secret'] ?? '' },
    })
    await showResult(out, github, 1, result)
    return result.conclusion === 'success' ? 0 : 1
  } finally {
    await github.close()
    await rm(workspace, { recursive: true, force: true })
  }
}
