import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import type { Blob, BlobStore } from './blob-store.js'
import type { Job } from './runtime-token.js'
import type { Settings } from './settings.js'
import { isExpired, type Artifact, type Store } from './store.js'

/** An announced artifact; its bytes may still be arriving. */
export interface Reservation {
  job: Job
  name: string
  mimeType: string
  createdAt: Date
  expiresAt: Date
  blobName: string
  blob: Blob
  artifact?: Artifact
}

export type Announcement = Pick<Reservation, 'job' | 'name' | 'mimeType'> & { expiresAt?: Date }

const dayMs = 24 * 60 * 60_000

/** The artifacts of the workflow runs, from announcement to expiry, with their files on disk. */
export class ArtifactShelf {
  #reservations: Reservation[] = []

  /** @param folder gets `run-<id>/<artifact id>/<file>` */
  constructor(
    private readonly folder: string,
    private readonly store: Store,
    private readonly blobs: BlobStore,
    private readonly settings: Settings,
  ) {}

  reserve({ expiresAt, ...announced }: Announcement): Reservation {
    const createdAt = new Date()
    const latest = new Date(createdAt.getTime() + this.settings.retentionDays * dayMs)
    const { runBackendId, jobBackendId } = announced.job
    // The client unzips whatever it downloads from an address that ends with .zip.
    const ending = announced.mimeType === 'application/zip' ? '.zip' : ''
    const blobName = `${runBackendId}/workflow-job-run-${jobBackendId}/artifacts/${randomUUID()}${ending}`
    const reservation = {
      ...announced,
      createdAt,
      expiresAt: expiresAt && expiresAt < latest ? expiresAt : latest,
      blobName,
      blob: this.blobs.create(blobName),
    }
    this.#reservations.push(reservation)
    return reservation
  }

  /** The artifact of this name that the job's run already has, finished or not. */
  find(job: Job, name: string): Reservation | undefined {
    return this.#reservations.find((other) => other.name === name && this.#sameNames(other.job, job))
  }

  reservationOf(artifact: Artifact): Reservation | undefined {
    return this.#reservations.find((reservation) => reservation.artifact === artifact)
  }

  /** Finished and not expired, newest first. */
  ofRun(job: Job): Reservation[] {
    return this.#reservations
      .filter(({ artifact }) => artifact && !isExpired(artifact))
      .filter((other) => this.#sameNames(other.job, job))
      .reverse()
  }

  uploadUrl({ blobName }: Reservation, origin: string): string {
    return this.blobs.address(origin, blobName, 'cw')
  }

  downloadUrl(reservation: Reservation, origin: string): string {
    const { blobName, mimeType } = reservation
    return this.blobs.address(origin, blobName, 'r', disposition(reservation), mimeType)
  }

  /** Makes the artifact of a reservation whose bytes have all arrived. */
  async finish(reservation: Reservation): Promise<Artifact> {
    const { job, name, mimeType, createdAt, expiresAt, blob } = reservation
    const id = this.store.nextId()
    const place = path.join(this.folder, `run-${job.runId}`, String(id), storedName(reservation))
    const { size, sha256 } = await blob.moveTo(place)
    const artifact = {
      id,
      name,
      runId: job.runId,
      size,
      digest: `sha256:${sha256}`,
      mimeType,
      path: place,
      createdAt,
      expiresAt,
    }
    reservation.artifact = artifact
    this.store.artifacts.push(artifact)
    return artifact
  }

  /** Adds an artifact as if an earlier job had uploaded it. */
  async add(announced: Announcement, bytes: Uint8Array): Promise<Artifact> {
    const { expiresAt } = announced
    const reservation = this.reserve(announced)
    // An artifact of the past may have expired.
    if (expiresAt) reservation.expiresAt = expiresAt
    await reservation.blob.put(Readable.from([Buffer.from(bytes)]), announced.mimeType)
    return this.finish(reservation)
  }

  async remove(reservation: Reservation): Promise<void> {
    this.#reservations = this.#reservations.filter((other) => other !== reservation)
    await this.blobs.remove(reservation.blobName)
    if (!reservation.artifact) return
    this.store.removeArtifact(reservation.artifact)
    await rm(path.dirname(reservation.artifact.path), { recursive: true, force: true })
  }

  #sameNames(one: Job, other: Job): boolean {
    return this.settings.attemptsShareNames
      ? one.runId === other.runId
      : one.runBackendId === other.runBackendId
  }
}

/** A browser shows the types that it knows, and saves the rest. */
function disposition(reservation: Reservation): string {
  const shown = /^(text\/|image\/|video\/|audio\/|application\/(json|pdf)$)/.test(reservation.mimeType)
  const name = fileName(reservation)
  const plain = name.replace(/[^\x20-\x7e]/g, '_')
  return `${shown ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`
}

function fileName({ name, mimeType }: Reservation): string {
  return mimeType === 'application/zip' && !name.toLowerCase().endsWith('.zip') ? `${name}.zip` : name
}

/** File systems do not allow names of more than 255 bytes. */
function storedName(reservation: Reservation): string {
  const name = fileName(reservation)
  return Buffer.byteLength(name) <= 255 ? name : `artifact${path.extname(name).slice(0, 20)}`
}
