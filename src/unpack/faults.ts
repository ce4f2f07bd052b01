import { ReportError } from '../errors.js'

/** The sentences about a bad archive, by what it was received as. */
export class ArchiveFaults {
  constructor(readonly holds: 'report' | 'result' | 'artifact') {}

  refused(why: string): ReportError {
    return this.fault(`is refused: ${why}.`)
  }

  cutShort(how: string, cause?: unknown): ReportError {
    return this.fault(`is truncated: ${how}. Download it again.`, cause)
  }

  damaged(how: string, cause?: unknown): ReportError {
    return this.fault(`is damaged: ${how}. Download it again.`, cause)
  }

  /** @param what continues `The report archive` */
  fault(what: string, cause?: unknown): ReportError {
    return new ReportError(`The ${this.holds} archive ${what}`, { cause })
  }
}
