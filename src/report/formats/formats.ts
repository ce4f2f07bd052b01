import type { Format } from '../format.js'
import { gatling } from './gatling.js'
import { jmeterDashboard, jmeterSamples } from './jmeter.js'
import { k6Samples, k6Summary } from './k6.js'
import { locust } from './locust.js'
import { own } from './own.js'
import { xlt } from './xlt-report.js'

/** Every format of a report that is read. The first that recognises a file reads it. */
export const formats: readonly Format[] = [
  xlt,
  jmeterSamples,
  jmeterDashboard,
  k6Samples,
  k6Summary,
  locust,
  gatling,
  own,
]
