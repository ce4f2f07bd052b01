import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startService, type Service } from '../sandbox/service/service.js'
import { pythonProgram, run } from './cache.js'
import { equal, type Trial } from './trial.js'

/** schemathesis makes valid and invalid requests from the OpenAPI document of the local service. */
export async function schemathesis(): Promise<Trial[]> {
  const file = await pythonProgram('schemathesis', '4.32.5')
  return [
    { what: 'with a token, every answer is in the document', try: () => generate(file, true) },
    { what: 'without a token, every answer is in the document', try: () => generate(file, false) },
  ]
}

async function generate(file: string, withToken: boolean): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'schemathesis-'))
  const service = await startService({
    ...{ secondsPerState: 0, secondsRunning: 0, control: false, scorecard: 'passed' },
    ...{ archivesListed: true, reportsListed: true, archiveShown: true, offerStop: true },
  })
  try {
    // Existing names; else nearly every request would end with 404.
    const there = { org: 'demo-org', project: 'webshop', loadTestNumber: 9, reportNumber: 1, resultNumber: 1 }
    const lines = Object.entries(there).map(([name, value]) => `"path.${name}" = ${JSON.stringify(value)}`)
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
    const { code, output } = await run(
      file,
      [
        ...['run', `${service.url}/public/api/json`, '--max-time', '30', '-n', '15', '--seed', '1'],
        ...['--no-shrink', '--continue-on-failure', '--request-timeout', '60', '--output-sanitize', 'false'],
        ...(withToken ? ['-H', `Authorization: Bearer ${await tokenOf(service)}`] : []),
      ],
      {
        cwd: folder,
        seconds: 120,
        env: { SCHEMATHESIS_HOOKS: path.resolve('others/schemathesis_hooks.py') },
      },
    )
    if (code !== 0) throw new Error(output)
    equal(
      service.books.requests.filter(({ status }) => (status ?? 0) >= 500),
      [],
    )
    if (service.books.requests.length < 20) throw new Error(`Too little was asked:\n${output}`)
  } finally {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
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
