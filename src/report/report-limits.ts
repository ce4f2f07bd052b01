/** How much of a report is read. A report above a limit is refused, never cut. */
export interface ReportLimits {
  /** Bytes of all entries of an archive, unpacked. */
  unpackedBytes: number
  /** Unpacked bytes for each packed byte; held against archives that unpack to more than 100 MiB. */
  ratio: number
  entries: number
  testReportBytes: number
  scorecardBytes: number
}

const MiB = 1024 * 1024

/**
 * Far above what the engine writes: reports of hundreds of MB with thousands of files are normal, a
 * testreport.xml has some 10 MB. Deflate itself ends at a ratio of about 1,000.
 */
export const reportLimits: Readonly<ReportLimits> = {
  unpackedBytes: 20 * 1024 * MiB,
  ratio: 200,
  entries: 1_000_000,
  testReportBytes: 256 * MiB,
  scorecardBytes: 32 * MiB,
}

/** `256 MiB`, as the sentences about a limit name it. */
export function mebibytes(bytes: number): string {
  return bytes % MiB === 0 ? `${bytes / MiB} MiB` : `${bytes} bytes`
}
