/** How much of an archive is read. An archive above a limit is refused, never cut. */
export interface ArchiveLimits {
  /** Bytes of all entries of an archive, unpacked. */
  unpackedBytes: number
  /** Unpacked bytes for each packed byte, applied to archives that unpack to more than `ratioFloor` bytes. */
  ratio: number
  ratioFloor: number
  entries: number
}

export interface ReportLimits extends ArchiveLimits {
  testReportBytes: number
  scorecardBytes: number
}

const MB = 1_000_000

/**
 * Far above what the engine writes: reports of hundreds of MB with thousands of files are normal, a
 * testreport.xml has some 10 MB. Deflate itself ends at a ratio of about 1,000.
 */
export const reportLimits: Readonly<ReportLimits> = {
  unpackedBytes: 20_000 * MB,
  ratio: 200,
  ratioFloor: 100 * MB,
  entries: 1_000_000,
  testReportBytes: 256 * MB,
  scorecardBytes: 32 * MB,
}

/**
 * Results contain the measurements of every request and are not read here: a long test may make them very large, and
 * a log that repeats one line compresses well.
 */
export const resultLimits: Readonly<ArchiveLimits> = {
  unpackedBytes: 200_000 * MB,
  ratio: 500,
  ratioFloor: 100 * MB,
  entries: 5_000_000,
}
