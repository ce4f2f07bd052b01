import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import type { Fault, OperationName } from '../../sandbox/service/faults.js'

/** One fault on one call of a step. */
export interface PlannedFault {
  operation: OperationName
  /** Calls of this operation that succeed first. */
  skip: number
  fault: Fault
}

export interface Gateway {
  /** The service's base address for one step. */
  url(step: number): string
  /** The faults that hit a step's calls. */
  struck(step: number): PlannedFault[]
  close(): Promise<void>
}

const calls: [RegExp, OperationName][] = [
  [/\/oauth\/token$/, 'token'],
  [/\/runCopy$/, 'runCopy'],
  [/\/status$/, 'status'],
  [/\/reports\/\d+\/download$/, 'report'],
  [/\/results\/\d+\/download$/, 'result'],
  [/\/code-archives$/, 'upload'],
  [/\/code-archives\/[^/]+$/, 'delete'],
  [/\/loadTests$/, 'list'],
  [/\/loadTests\/\d+$/, 'details'],
]

/**
 * Stands in front of the service and assigns its requests to steps, so that each step meets the faults drawn for it,
 * whatever the order of the steps. A connection that breaks on one side breaks on the other.
 */
export async function startGateway(
  service: string,
  plans: ReadonlyMap<number, readonly PlannedFault[]>,
): Promise<Gateway> {
  const counts = new Map<string, number>()
  const struck = new Map<number, PlannedFault[]>()
  const server = http.createServer((request, reply) => {
    const [, step = '', path = '/'] = /^\/step-(\d+)(\/.*)$/.exec(request.url ?? '') ?? []
    const operation = calls.find(([pattern]) => pattern.test(path))?.[1] ?? 'openapi'
    const key = `${step} ${operation}`
    const call = counts.get(key) ?? 0
    counts.set(key, call + 1)
    const faults = (plans.get(Number(step)) ?? []).filter(
      (one) => one.operation === operation && one.skip === call,
    )
    struck.set(Number(step), [...(struck.get(Number(step)) ?? []), ...faults])
    const headers = Object.entries(request.headers).filter(
      ([name]) => name !== 'host' && name !== 'connection',
    )
    const forwarded = http.request(service + path, {
      method: request.method,
      headers: {
        ...Object.fromEntries(headers),
        ...(faults.length > 0 ? { 'x-sandbox-fault': JSON.stringify(faults.map(({ fault }) => fault)) } : {}),
      },
      agent: false,
    })
    const breakOff = () => request.socket.destroy()
    forwarded.on('error', breakOff)
    forwarded.on('response', (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      reply.flushHeaders()
      pipeline(answer, reply, (error) => {
        if (error) breakOff()
      })
    })
    request.pipe(forwarded)
    request.on('close', () => {
      if (!request.complete) forwarded.destroy()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = portOf(server.address())
  return {
    url: (step) => `http://127.0.0.1:${port}/step-${step}`,
    struck: (step) => struck.get(step) ?? [],
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

function portOf(address: AddressInfo | string | null): { port: number } {
  if (address === null || typeof address === 'string') throw new Error('The gateway has no port.')
  return address
}
