import { parseArgs } from 'node:util'
import { startService } from '../sandbox/service/service.js'

/** Starts the local load-testing service alone, for trying the settings of a workflow against it. */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8080' },
    seconds: { type: 'string', default: '30' },
    slowdown: { type: 'string', default: '1' },
  },
})
const service = await startService({
  port: Number(values.port),
  secondsRunning: Number(values.seconds),
  slowdown: Number(values.slowdown),
  history: true,
  web: true,
})
const { clientId, clientSecret } = service.credentials('everything')
console.log(`A local load-testing service runs at ${service.url}. Its figures are simulated. Ctrl+C ends it.

Its pages, to open in a browser: ${service.url}/

Templates of project webshop:
${[...(service.world.organizations.get('demo-org')?.projects.get('webshop')?.loadTests ?? [])]
  .filter(({ run }) => !run)
  .map(({ number, name }) => `  ${number}  ${name}`)
  .join('\n')}

Ready to paste into a shell:

export LOADTEST_URL=${service.url}
export LOADTEST_CLIENT_ID=${clientId}
export LOADTEST_CLIENT_SECRET=${clientSecret}
export LOADTEST_ORGANIZATION=demo-org
export LOADTEST_PROJECT=webshop

or as inputs of the step:

  base-url: ${service.url}
  client-id: ${clientId}
  client-secret: ${clientSecret}
  organization: demo-org
  project: webshop
  load-test: Webshop regression
  run-page: ${service.url}/orgs/{organization}/projects/{project}/load-tests/{number}

OpenAPI document: ${service.url}/public/api/json
`)
const stop = () => void service.close().then(() => process.exit())
process.on('SIGINT', stop).on('SIGTERM', stop)
