/**
 * The content of a load test report, as plain JSON: the figures of `testreport.xml` that gates, comparisons and
 * readers use. Personal data (`slowestRequests`, `configuration/properties`) never enters it, except for the time that
 * the load test ran.
 *
 * A figure that the report does not have is absent, never 0. Times are milliseconds unless a name says otherwise;
 * percentages run from 0 to 100.
 */
export interface Report {
  /** The load-test engine with its version, as it writes them. */
  engineVersion?: string
  projectName?: string
  /** Milliseconds: medians and percentiles are written in steps of at least this many. Absent = unknown. */
  timeStep?: number
  /** The load test's comments, one per line of `configuration/comments`. */
  comments: string[]
  /** The name or comment of the report that says "Download from x of y agent controllers failed." */
  partial?: string
  general: {
    /** Milliseconds since 1970, UTC. */
    startTime?: number
    endTime?: number
    /** Seconds between the first and the last record: what was measured. */
    duration?: number
    /** Seconds that the load test ran, as the engine noted at its end; a report may cover a part of them. */
    elapsed?: number
    /** Virtual users at the same time, at most. */
    users?: number
    hits?: number
    bytesSent?: number
    bytesReceived?: number
  }
  timers: Record<
    TimerKind,
    {
      /** The row over all timers of the kind, absent if the report has none. */
      summary?: Timer
      timers: Timer[]
    }
  >
  webVitals: WebVitals[]
  /** Load generators, and how many transactions each finished. */
  agents: (AgentCpu & { name: string; transactions?: number })[]
  /** `summary/agents`, the mean over all load generators. */
  agentSummary?: AgentCpu
  /** Errors grouped by message, most frequent first. */
  errors: ErrorGroup[]
  responseCodes: {
    /** 0 = no response. */
    code: number
    text: string
    count: number
  }[]
  loadProfile: LoadProfileEntry[]
  /** How it went, where the report has samples. */
  timeline?: Timeline
  /** What the suite counted, of one transaction each; absent if nothing; the first 10,000. */
  events?: { name: string; transaction?: string; count: number }[]
  /** What the suite measured besides times, in its own units; absent if nothing; the first 10,000. */
  customValues?: { name: string; count?: number; min?: number; mean?: number; max?: number }[]
}

export const timerKinds = ['transactions', 'actions', 'requests', 'pageLoads', 'customTimers'] as const
export type TimerKind = (typeof timerKinds)[number]

/** Something for each kind of timers. */
export function ofKinds<T>(make: (kind: TimerKind) => T): Record<TimerKind, T> {
  return {
    transactions: make('transactions'),
    actions: make('actions'),
    requests: make('requests'),
    pageLoads: make('pageLoads'),
    customTimers: make('customTimers'),
  }
}

/** All its rows: those over all timers of a kind, and those of single ones. */
export function timersIn({ timers }: Report): Timer[] {
  return timerKinds.flatMap((kind) => [timers[kind].summary ?? [], timers[kind].timers].flat())
}

/** A report in which nothing was measured. */
export function emptyReport(): Report {
  return {
    ...{ comments: [], general: {}, timers: ofKinds(() => ({ timers: [] })), webVitals: [], agents: [] },
    ...{ errors: [], responseCodes: [], loadProfile: [] },
  }
}

export interface Timer {
  name: string
  count?: number
  errors?: number
  /** 0 to 100; absent where errors and count say it. */
  errorPercentage?: number
  countPerSecond?: number
  countPerMinute?: number
  countPerHour?: number
  min?: number
  max?: number
  mean?: number
  median?: number
  deviation?: number
  /** By the report's own element names: `p50`, `p95`, `p99.9`. */
  percentiles: Record<string, number>
  /** Actions only, 0 to 1; absent if the engine says "NS", no samples. */
  apdex?: number
  parts?: RequestParts
}

export const requestPartNames = [
  'connectTime',
  'serverBusyTime',
  'receiveTime',
  'timeToLastBytes',
  'bytesReceived',
] as const

/** What the engine measured within a request, each as its mean: milliseconds, and the bytes that it received. */
export type RequestParts = Partial<Record<(typeof requestPartNames)[number], number>>

export const webVitalNames = ['cls', 'fcp', 'fid', 'inp', 'lcp', 'ttfb'] as const
export type WebVitalName = (typeof webVitalNames)[number]

/** Web vitals of one action. */
export interface WebVitals {
  name: string
  vitals: Partial<
    Record<
      WebVitalName,
      {
        /** The 75th percentile; milliseconds, but unitless for cls. */
        score: number
        rating?: string
        goodCount?: number
        improveCount?: number
        poorCount?: number
      }
    >
  >
}

/** CPU use of a load generator in percent, of the whole machine and of the engine alone. */
export interface AgentCpu {
  totalMean?: number
  totalMax?: number
  ownMean?: number
  ownMax?: number
}

export interface ErrorGroup {
  message: string
  count: number
  /** Where the error was seen: transactions or actions, unique. */
  places: string[]
}

export const timelineFigures = ['throughput', 'p50', 'p95', 'error-rate', 'users'] as const
export type TimelineFigure = (typeof timelineFigures)[number]

/** All requests over time, in at most 120 steps from the start of the run; times are known to 2%. */
export interface Timeline {
  /** Seconds. */
  step: number
  /** Of each step, as the metrics of gates: null where nothing was measured. */
  figures: Partial<Record<TimelineFigure, (number | null)[]>>
}

/** One test case of the load profile; the engine writes its numbers as text, such as "1,021" or "1...4". */
export interface LoadProfileEntry {
  name: string
  settings: Record<string, string>
}

export const scorecardVerdicts = ['passed', 'failed', 'error'] as const

/** The engine's own verdict, from `scorecard.xml`. Points and rating are absent on an error. */
export interface Scorecard {
  verdict: (typeof scorecardVerdicts)[number]
  /** The text of `outcome/error` where the verdict is an error. */
  error?: string
  points?: number
  totalPoints?: number
  pointsPercentage?: number
  rating?: string
  /** The kinds of timers whose errors its rules look at. */
  errorsOf?: TimerKind[]
  rules: ScorecardRule[]
}

export interface ScorecardRule {
  /** The rule's name, or its id where it has none. */
  name: string
  group: string
  result: 'passed' | 'not-passed' | 'skipped' | 'error'
  /** By its configuration, the rule fails the test if it is not met. */
  failsTest: boolean
  /** It did fail the test in this run. */
  failedTest?: boolean
  points?: number
  totalPoints?: number
  message?: string
  values: string[]
}

export type Percentile = `p${number}`

/** `p95` and `p99.9` are percentiles, `p0` and `p101` are not. */
export function isPercentile(word: string): word is Percentile {
  const digits = /^p(\d{1,3}(?:\.\d{1,10})?)$/.exec(word)?.[1]
  return digits !== undefined && Number(digits) > 0 && Number(digits) <= 100
}

/** The last moment that a date can name, in milliseconds; the bytes of the longest test are far below. */
const largest = 8.64e15
const smallest = 1e-9

/**
 * Whether a load test can have measured this figure. Beyond these bounds, somebody has made it up, and ratios and squares
 * of figures would no longer be finite.
 */
export function isMeasurable(value: number): boolean {
  const size = Math.abs(value)
  return size === 0 || (size >= smallest && size <= largest)
}

/** What decimals leave of 0, such as 5e-17 of 0.1 + 0.2 - 0.3, is 0. */
export function withoutRest(value: number): number {
  return Math.abs(value) < smallest ? 0 : value
}

export interface AskedDocument {
  /** Its path. */
  file: string
  /** The kinds of timers whose errors an XPath expression looks at. */
  errorsIn: (expression: string) => readonly TimerKind[]
}

/** What a report says. */
export interface Figures {
  report: Report
  /** The engine's own verdict. */
  scorecard?: Scorecard
  /** Why the report has no such figure, where that is its format's fault, as sentences; by a kind and a metric of gates. */
  lack?: Lack
  /** The XML document that xpath gates ask; other formats have none. */
  xml?: AskedDocument
}

export type Lack = (kind: string, metric: string) => string | undefined
