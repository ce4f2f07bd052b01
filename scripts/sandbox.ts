import { parseArgs } from 'node:util'
import { startService } from '../sandbox/service/service.js'
import { startShop } from '../sandbox/shop/shop.js'
import { engineOf, shortLoad } from './engine-choice.js'

/**
 * Starts only the local load-testing service, to try the settings of a workflow against it. With --engine it really
 * builds and runs uploaded code archives, by default against a shop that it starts as well.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8080' },
    seconds: { type: 'string', default: '30' },
    slowdown: { type: 'string', default: '1' },
    engine: { type: 'boolean', default: false },
    'engine-home': { type: 'string' },
    'agent-controller': { type: 'string', multiple: true, default: [] },
  },
})
const home = values['engine-home']
const engine = values.engine || home !== undefined ? await engineOf(['9.x', '10.x'], { home }) : null
if (typeof engine === 'string') {
  console.error(engine)
  process.exit(1)
}
if (engine) engine.agentControllers = values['agent-controller'].map((url) => ({ url }))
const shop = engine && (await startShop({ slowdown: Number(values.slowdown), outOfStock: 0.02 }))
const service = await startService({
  port: Number(values.port),
  secondsRunning: Number(values.seconds),
  slowdown: Number(values.slowdown),
  web: true,
  engine,
  ...(shop ? { properties: { ...shortLoad, 'webshop.url': shop.url } } : {}),
})
const { clientId, clientSecret } = service.credentials('everything')
const what =
  engine && shop
    ? `It listens only on this machine. It builds uploaded suites and runs them here, with the engine ${Object.values(
        engine.releases,
      )
        .map(({ version }) => version)
        .join(' and ')} and the JDK in ${engine.javaHome}. Builds and runs get none of its secrets.
They test the shop at ${shop.url} (setting webshop.url of the load test). Runs from Git and those of the past are simulated.`
    : 'Its figures are simulated; --engine makes them real.'
console.log(`A local load-testing service runs at ${service.url}. Press Ctrl+C to stop it and everything that it started.
${what}

Open its pages in a browser: ${service.url}/

Templates of the project webshop:
${[...(service.world.organizations.get('demo-org')?.projects.get('webshop')?.loadTests ?? [])]
  .filter(({ run }) => !run)
  .map(({ number, name }) => `  ${number}  ${name}`)
  .join('\n')}

To run the step against it, paste this into another shell, in this folder:

export LOADTEST_URL=${service.url}
export LOADTEST_CLIENT_ID=${clientId}
export LOADTEST_CLIENT_SECRET=${clientSecret}
export LOADTEST_ORGANIZATION=demo-org
export LOADTEST_PROJECT=webshop
npm run step

To use it from a workflow on a runner of this machine, paste these inputs:

  base-url: ${service.url}
  client-id: ${clientId}
  client-secret: ${clientSecret}
  organization: demo-org
  project: webshop
  load-test: 1
  run-page: ${service.url}/orgs/{organization}/projects/{project}/load-tests/{number}

OpenAPI document: ${service.url}/public/api/json
`)
const stop = () => void Promise.all([service.close(), shop?.close()]).then(() => process.exit())
process.on('SIGINT', stop).on('SIGTERM', stop)
