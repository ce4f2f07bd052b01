/**
 * A run of the sandbox as its report needs it. Nothing is measured: all figures are simulated from `seed`, and the
 * same run always has the same report, byte for byte.
 */
export interface SimulatedRun {
  /** Two seeds give runs that differ by a few percent, as two runs of one load test do. */
  seed: number
  /** The load test's number in its project. */
  number: number
  name: string
  /** Free text of the user, with any characters; line breaks are kept. */
  description: string
  /** Milliseconds since 1970, UTC. */
  startTime: number
  endTime: number
  /** Such as "9.2.0" or "ABC 9.2.0"; before 8.2 the report has no errorPercentage. */
  engineVersion: string
  /** 1 = none, 1.4 = 40% slower. A request of 30 s or longer times out, which is an error. */
  slowdown: number
  /** Share of the requests that fail, 0 to 1. */
  errorRate: number
  projectName?: string
  /** The measurements of one of three agent controllers are missing, and the report's name says so. */
  partial?: boolean
}

/** Ten minutes without a fault; who needs another run changes what it is about. */
export const quietRun: SimulatedRun = {
  ...{ seed: 7, number: 12, name: 'Webshop nightly', description: 'Commit abc1234' },
  startTime: Date.UTC(2026, 0, 17, 10, 15),
  endTime: Date.UTC(2026, 0, 17, 10, 25),
  ...{ engineVersion: '9.2.0', slowdown: 1, errorRate: 0 },
}

/** The sentence on every page, chart and text file of a simulated report. */
export const simulatedNote = 'All figures are simulated by the sandbox. No system was measured.'

/** Whole seconds between start and end, at least 1: the base of every rate in the report. */
export function durationSeconds(run: SimulatedRun): number {
  return Math.max(1, Math.round((run.endTime - run.startTime) / 1000))
}

/** The report's name, with a note if measurements are missing. */
export function reportName(run: SimulatedRun): string {
  return run.partial === true ? `${run.name} - Download from 1 of 3 agent controllers failed.` : run.name
}

/** "2026-01-17 10:15:00 UTC", the notation of testreport.xml. */
export function reportTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** The folder of a report, named after the start of its run: "20260117-101500". */
export function reportFolder({ startTime }: Pick<SimulatedRun, 'startTime'>): string {
  const [date = '', time = ''] = reportTime(startTime).split(' ')
  return `${date.replaceAll('-', '')}-${time.replaceAll(':', '')}`
}

/** Throws a RangeError that names the setting if a run cannot be simulated. */
export function checkRun(run: SimulatedRun): void {
  if (!(run.slowdown > 0) || !Number.isFinite(run.slowdown)) {
    throw new RangeError(`The slowdown of a simulated run must be a number above 0, not ${run.slowdown}.`)
  }
  if (!(run.errorRate >= 0 && run.errorRate <= 1)) {
    throw new RangeError(`The error rate of a simulated run must be from 0 to 1, not ${run.errorRate}.`)
  }
  if (!(run.endTime >= run.startTime)) {
    throw new RangeError('A simulated run must not end before its start. Check startTime and endTime.')
  }
}
