import { randomBytes, randomUUID } from 'node:crypto'
import { SignJWT, errors, jwtVerify } from 'jose'

/** The job that a runtime token was issued for. */
export interface Job {
  runId: number
  attempt: number
  /** The id that the artifact service has for this attempt of the run. */
  runBackendId: string
  jobBackendId: string
}

/** Issues and reads the tokens that a runner hands to a step for the artifact service. */
export class RuntimeTokens {
  readonly #secret = randomBytes(32)
  readonly #jobs: (Job & { name: string })[] = []

  /** At the artifact service, all jobs of an attempt share one run id. */
  job(runId: number, attempt: number, name: string): Job {
    const attempts = this.#jobs.filter((job) => job.runId === runId && job.attempt === attempt)
    const known = attempts.find((job) => job.name === name)
    if (known) return known
    const runBackendId = attempts[0]?.runBackendId ?? randomUUID()
    const job = { runId, attempt, name, runBackendId, jobBackendId: randomUUID() }
    this.#jobs.push(job)
    return job
  }

  async issue({ runBackendId, jobBackendId }: Job): Promise<string> {
    const scp = [
      'Actions.GenericRead:00000000-0000-0000-0000-000000000000',
      `Actions.Results:${runBackendId}:${jobBackendId}`,
      'LocationService.Connect',
    ].join(' ')
    return new SignJWT({ scp })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuedAt()
      .setExpirationTime('6h')
      .sign(this.#secret)
  }

  /** The job that the token was issued for; undefined for a token that is not valid. */
  async read(token: string): Promise<Job | undefined> {
    try {
      const { payload } = await jwtVerify(token, this.#secret, { algorithms: ['HS256'] })
      const [, run, job] = /Actions\.Results:([^: ]+):([^: ]+)/.exec(String(payload.scp)) ?? []
      return this.#jobs.find((known) => known.runBackendId === run && known.jobBackendId === job)
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}
