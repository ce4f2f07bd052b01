import { download } from '../../src/follow/evidence.js'
import { serviceClient } from '../../src/service/service.js'
import { sleep } from '../../src/clock.js'
import { redaction } from '../../src/text/redaction.js'
import { quietLog as log } from './quiet-log.js'
import { timed } from './timed.js'

/** The step's download: `read` is all of it, `idle` only requests the load test. */
const [, , baseUrl = '', temp = '', manner = ''] = process.argv
const { signal } = new AbortController()
const client = serviceClient({
  baseUrl,
  project: { organization: 'bench', project: 'bench' },
  credentials: { clientId: 'bench', clientSecret: 'bench' },
  scopes: ['LOADTEST_DETAILS', 'LOADTEST_REPORT_DOWNLOAD'],
  userAgent: 'bench',
  log,
  secrets: redaction(),
})
await timed(async () => {
  if (manner === 'idle') return client.details(1)
  const clock = { now: () => performance.now(), sleep }
  const evidence = await download({ world: { clock, log, signal, temp }, client }, 'report', 60_000, 1)
  if (!evidence.file || !evidence.files?.beside.length)
    throw new Error('The report and its XML files did not arrive.')
  return evidence
})
