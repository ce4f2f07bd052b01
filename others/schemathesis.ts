import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { operationNames } from '../sandbox/service/faults.js'
import { startService, type Service } from '../sandbox/service/service.js'
import { pythonProgram, run } from './cache.js'
import { equal, type Trial } from './trial.js'

/** schemathesis makes valid and invalid requests from the OpenAPI document of the local service. */
export async function schemathesis(): Promise<Trial[]> {
  const file = await pythonProgram('schemathesis', '4.32.5')
  return [
    {
      what: 'with a token, every operation is answered as the document says',
      try: () => generate(file, { withToken: true, examples: 3 }),
    },
    {
      what: 'without a token, every operation is answered as the document says',
      try: () => generate(file, { withToken: false, examples: 1 }),
    },
    {
      what: 'with a token and more examples, every operation is answered as the document says',
      thorough: true,
      try: () => generate(file, { withToken: true, examples: 50 }),
    },
  ]
}

interface Requests {
  withToken: boolean
  /** Random requests per operation, in addition to one for each limit in its schemas. */
  examples: number
}

async function generate(file: string, { withToken, examples }: Requests): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'schemathesis-'))
  const service = await startService({
    ...{ secondsPerState: 0, secondsRunning: 0, reportDelay: 0, simulatedMinutes: 1, control: false },
    ...{
      scorecard: 'passed',
      archivesListed: true,
      reportsField: 'reports',
      archiveShown: true,
    },
  })
  try {
    const token = await tokenOf(service)
    // Existing names; else nearly every request would end with 404.
    const place = { org: 'demo-org', project: 'webshop' }
    const numbers = { loadTestNumber: await startedRun(service, token), reportNumber: 1, resultNumber: 1 }
    const lines = Object.entries({ ...place, ...numbers }).map(
      ([name, value]) => `"path.${name}" = ${JSON.stringify(value)}`,
    )
    // A digest in the right form is still not that of the body, which no schema can express.
    const upload = [
      '[[operations]]',
      'include-operation-id = "uploadCodeArchive"',
      'checks.positive_data_acceptance.enabled = false',
    ]
    writeFileSync(
      path.join(folder, 'schemathesis.toml'),
      ['[parameters]', ...lines, ...upload, ''].join('\n'),
    )
    const before = service.books.requests.length
    const { code, output } = await run(
      file,
      [
        ...['run', `${service.url}/public/api/json`, '-n', String(examples), '--generation-deterministic'],
        ...['--no-shrink', '--continue-on-failure', '--request-timeout', '60', '--output-sanitize', 'false'],
        ...(withToken ? ['-H', `Authorization: Bearer ${token}`] : []),
      ],
      {
        cwd: folder,
        seconds: 300,
        env: { SCHEMATHESIS_HOOKS: path.resolve('others/schemathesis_hooks.py') },
      },
    )
    if (code !== 0) throw new Error(output)
    const asked = service.books.requests.slice(before)
    equal(
      asked.filter(({ status }) => status === null || status >= 500),
      [],
    )
    const due = operationNames.filter((name) => name !== 'openapi')
    equal(
      due.filter((name) => !asked.some(({ operation }) => operation === name)),
      [],
    )
    const isOk = (status: number | null) => status !== null && status < 300
    const succeeded = due.filter((name) =>
      asked.some(({ operation, status }) => operation === name && isOk(status)),
    )
    // Credentials cannot be made up.
    equal(succeeded, withToken ? due.filter((name) => name !== 'token') : [])
  } finally {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts a run that ends at once, with a report and a scorecard. @returns its number */
async function startedRun(service: Service, token: string): Promise<number> {
  const answer = await fetch(
    `${service.url}/public/api/v1/orgs/demo-org/projects/webshop/loadTests/3/runCopy`,
    { headers: { authorization: `Bearer ${token}` } },
  )
  equal(answer.status, 200)
  return service.books.starts[0]?.number ?? 0
}

async function tokenOf(service: Service): Promise<string> {
  const { clientId, clientSecret, scopes } = service.credentials('everything')
  const form = {
    ...{ client_id: clientId, client_secret: clientSecret },
    ...{ grant_type: 'client_credentials', scope: scopes.join(' ') },
  }
  const answer = await fetch(`${service.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  const { access_token: token } = (await answer.json()) as Record<string, unknown>
  return String(token)
}
