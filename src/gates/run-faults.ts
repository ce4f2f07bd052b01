import { timerKinds, type Report } from '../report/report.js'
import { lostGenerators, lostOnTheWay } from './lost-generators.js'
import { shortOf, shownTime } from './planned-period.js'

/** Why a run is not the one that was planned, whatever its gates say. */
export interface RunFault {
  /** What happened. */
  sentence: string
  /** What to do. */
  advice: string
}

/** @param earlier the runs that it is compared with */
export function runFaults(report: Report, earlier: readonly Report[] = []): RunFault[] {
  const time = shortOf(report)
  const lost = [...lostGenerators(report), lostOnTheWay(report, earlier)].filter((one) => one !== undefined)
  return [
    ...(time && !time.isCut
      ? [{ sentence: `The run measured ${shownTime(time)}.`, advice: endedEarly }]
      : []),
    ...lost.map((sentence) => ({ sentence, advice: endedEarly })),
    ...(hasMeasured(report) ? [] : [{ sentence: nothing, advice: endedEarly }]),
  ]
}

const nothing = 'Nothing was measured: no timer of the report was used.'

const endedEarly =
  'Find out in the log of the load test why it ended early, such as a load generator without memory. Then run it again.'

export function hasMeasured({ timers }: Report): boolean {
  return timerKinds.some((kind) =>
    [timers[kind].summary, ...timers[kind].timers].some((timer) => timer !== undefined && timer.count !== 0),
  )
}
