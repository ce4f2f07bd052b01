import type { FastifyRequest } from 'fastify'
import type { RequestEntry } from './books.js'
import type { Scope } from './credentials.js'
import type { OperationName, Strike } from './faults.js'
import type { ServiceSettings } from './settings.js'
import type { Project } from './world.js'

/** What the service remembers of a request while it works on it. */
export interface Visit {
  entry: RequestEntry
  strikes: Strike[]
  /** The project that the request may use; set once it was let in. */
  project?: Project
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit | null
  }
  interface FastifyContextConfig {
    operation?: OperationName
    /** A page for people: no part of the service that is watched, so neither faults nor books know it. */
    page?: boolean
    /** The scope that the access token must have; none = needs no token. */
    scope?: Scope
    /** Whether the settings offer the operation at this moment; default: they do. */
    offered?: (settings: ServiceSettings) => boolean
  }
}

export function visitOf({ visit }: FastifyRequest): Visit {
  if (!visit) throw new Error('The request was not received yet.')
  return visit
}

/** @throws Error where the operation needs no token and thus knows no project */
export function projectOf(request: FastifyRequest): Project {
  const { project } = visitOf(request)
  if (!project) throw new Error('The request was not let into a project.')
  return project
}

/** The names that stand in a path. */
export interface Place {
  org: string
  project: string
}
