import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { node24 } from '../sandbox/runner/node24.js'
import { startService } from '../sandbox/service/service.js'
import { npmPackages, run } from './cache.js'
import { equal, type Trial } from './trial.js'

/** What somebody would write who knows only the OpenAPI document. Its types are checked, then it is run. */
const program = `import createClient from 'openapi-fetch'
import type { paths } from './document.ts'

const [baseUrl = '', client_id = '', client_secret = '', scope = ''] = process.argv.slice(2)
const api = createClient<paths>({ baseUrl })
const { data: token } = await api.POST('/oauth/token', {
  body: { client_id, client_secret, grant_type: 'client_credentials', scope },
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  bodySerializer: (body) => new URLSearchParams({ ...body }),
})
api.use({
  onRequest({ request }) {
    request.headers.set('authorization', 'Bearer ' + (token?.access_token ?? ''))
    return request
  },
})
const place = { org: 'demo-org', project: 'webshop' }
const base = '/public/api/v1/orgs/{org}/projects/{project}/loadTests'
const { data: list } = await api.GET(base, { params: { path: place } })
const template = list?.data.find(({ name }) => name === 'Webshop from Git')
const { data: copy } = await api.GET(\`\${base}/{loadTestNumber}/runCopy\`, {
  params: { path: { ...place, loadTestNumber: template?.index ?? 0 } },
})
const run = { ...place, loadTestNumber: copy?.data.index ?? 0 }
let state = ''
while (state !== 'FINISHED') {
  const { data } = await api.GET(\`\${base}/{loadTestNumber}/status\`, { params: { path: run } })
  state = data?.data.executionState.state ?? 'FINISHED'
}
const { data: report, response } = await api.GET(\`\${base}/{loadTestNumber}/reports/{reportNumber}/download\`, {
  params: { path: { ...run, reportNumber: 1 } },
  parseAs: 'arrayBuffer',
})
console.log(JSON.stringify({ state, status: response.status, start: [...new Uint8Array(report!).slice(0, 2)] }))
`

/** openapi-typescript makes the types of a client from the OpenAPI document of the local service. */
export async function generatedClient(): Promise<Trial[]> {
  const more = { 'openapi-fetch': '0.17.0', typescript: '5.9.3' }
  const packages = path.join(await npmPackages('openapi-typescript', '7.13.0', { more }), 'node_modules')
  return [
    {
      what: 'a client made from the document lists, starts, follows and downloads',
      async try() {
        const folder = mkdtempSync(path.join(tmpdir(), 'client-'))
        const service = await startService({ secondsPerState: 0, secondsRunning: 0, reportDelay: 0 })
        try {
          symlinkSync(packages, path.join(folder, 'node_modules'))
          writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
          writeFileSync(path.join(folder, 'client.ts'), program)
          writeFileSync(path.join(folder, 'process.d.ts'), 'declare const process: { argv: string[] }\n')
          const tool = async (name: string, args: string[]) => {
            const { code, output } = await run(node24(), [path.join(packages, name), ...args], {
              cwd: folder,
            })
            if (code !== 0) throw new Error(output)
            return output
          }
          await tool('openapi-typescript/bin/cli.js', [
            ...[`${service.url}/public/api/json`, '-o', 'document.ts', '--default-non-nullable', 'false'],
          ])
          await tool('typescript/bin/tsc', [
            ...['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--skipLibCheck'],
            ...['--moduleResolution', 'bundler', '--allowImportingTsExtensions'],
            ...['--lib', 'es2022,dom,dom.iterable', 'client.ts', 'process.d.ts'],
          ])
          const { clientId, clientSecret, scopes } = service.credentials('everything')
          const account = [clientId, clientSecret, scopes.join(' ')]
          const shown = await run(node24(), ['--no-warnings', 'client.ts', service.url, ...account], {
            cwd: folder,
          })
          if (shown.code !== 0) throw new Error(shown.output)
          equal(JSON.parse(shown.output), { state: 'FINISHED', status: 200, start: [0x1f, 0x8b] })
        } finally {
          await service.close()
          rmSync(folder, { recursive: true, force: true })
        }
      },
    },
  ]
}
