import type { FastifyRequest } from 'fastify'
import type { RequestEntry } from './books.js'
import type { Scope } from './credentials.js'
import type { OperationName, Strike } from './faults.js'
import type { ServiceSettings } from './settings.js'
import type { Project } from './world.js'

/** What the service knows about a request while it handles it. */
export interface Visit {
  entry: RequestEntry
  strikes: Strike[]
  /** The project that the request may use; set once access was granted. */
  project?: Project
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit | null
  }
  interface FastifyContextConfig {
    operation?: OperationName
    /** A web page, which is not part of the interface: faults and books ignore it. */
    page?: boolean
    /** The scope that the access token must have; absent = no token is needed. */
    scope?: Scope
    /** Whether the settings offer the operation now; default: yes. */
    offered?: (settings: ServiceSettings) => boolean
  }
}

export function visitOf({ visit }: FastifyRequest): Visit {
  if (!visit) throw new Error('The request was not received yet.')
  return visit
}

/** @throws Error if the operation needs no token and so has no project */
export function projectOf(request: FastifyRequest): Project {
  const { project } = visitOf(request)
  if (!project) throw new Error('The request has no access to a project.')
  return project
}

/** The names in a path. */
export interface Place {
  org: string
  project: string
}
