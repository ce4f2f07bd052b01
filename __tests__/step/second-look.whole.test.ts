import type { ServiceSettings } from '../../sandbox/service/settings.js'
import { fast, inputs, SecondLook } from './second-looks.js'

let looks: SecondLook
beforeEach(async () => {
  looks = await SecondLook.open()
})
afterEach(() => looks.close())

test.each<[string, Record<string, string>, Partial<ServiceSettings>]>([
  [
    'results are missing',
    { results: 'true' },
    { faults: [{ operation: 'result', times: 'always', fault: { kind: 'status', status: 403 } }] },
  ],
  ['a fixed limit failed too', { gates: `${inputs.gates}\nrequests mean < 1 ms` }, {}],
  ['something was not measured', { gates: `${inputs.gates}\nrequest "Nowhere" p95 < 1 s` }, {}],
])('no second run is started if %s', (_, more, settings) => looks.expectNone(more, settings))

test.each<[string, Record<string, string>, Partial<ServiceSettings>, string]>([
  ['ends in ERROR', { timeout: '2m' }, { ...fast, ends: 'ERROR' }, 'ended in ERROR'],
  ['is partial', {}, { ...fast, partial: true }, 'partial results only'],
])('if the second run %s, the verdict of the first stands', (_, more, settings, reason) =>
  looks.expectFirstStands(more, settings, reason),
)
