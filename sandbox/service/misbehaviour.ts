import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessTokens } from './access.js'
import { Failure } from './failure.js'
import { faultOf, type Fault, type Strike } from './faults.js'
import type { Platform } from './platform.js'
import { visitOf } from './visit.js'

interface Parts {
  platform: Platform
  tokens: AccessTokens
  /** Aborted when the service closes, which ends all waiting. */
  closing: AbortSignal
}

/**
 * Applies the faults of a request: before it is handled, and instead of its answer. Those about its content (states,
 * archives, uploads) are left to the operations.
 */
export function addMisbehaviour(app: FastifyInstance, parts: Parts): void {
  app.addHook('onRequest', async (request, reply) => {
    const { strikes } = visitOf(request)
    for (const { fault } of strikes) {
      await upset(fault, parts)
      actAsAnother(fault, 'before', request.params, parts.platform)
      if (fault.kind === 'drop-before') return breakOff(request, reply)
      if (isInstead(fault)) return reply.send(instead(reply, fault))
    }
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const { entry, strikes } = visitOf(request)
    for (const { fault } of strikes) actAsAnother(fault, 'after', request.params, parts.platform)
    if (faultOf(strikes, 'drop-after')) {
      discard(payload)
      request.raw.socket.destroy()
      return ''
    }
    const body = replaced(reply, strikes, payload)
    entry.status = reply.statusCode
    const half = faultOf(strikes, 'half')
    return half ? firstPart(request, reply, body, half.bytes) : body
  })
}

async function upset(fault: Fault, { platform, tokens, closing }: Parts): Promise<void> {
  if (fault.kind === 'latency') {
    // An aborted pause means that the service is closing, and this request ends with it.
    await sleep(fault.milliseconds, undefined, { signal: closing }).catch(() => undefined)
  }
  if (fault.kind === 'clock-jump') platform.jump(fault.seconds)
  if (fault.kind === 'expire-tokens') tokens.expireAll()
  if (fault.kind === 'revoke-tokens') tokens.revokeAll()
  if (fault.kind === 'meanwhile') fault.happens()
}

/** Another job acts in between, in the project of the path, without any checks. */
function actAsAnother(fault: Fault, when: 'before' | 'after', params: unknown, platform: Platform): void {
  if ((fault.kind !== 'foreign-start' && fault.kind !== 'foreign-upload') || fault.when !== when) return
  const organization = platform.world.organizations.get(named(params, 'org') ?? '')
  const project = organization?.projects.get(named(params, 'project') ?? '')
  if (!project) return
  try {
    if (fault.kind === 'foreign-upload') platform.acceptForeign(project)
    else platform.copyAndRun(project, fault.template ?? Number(named(params, 'loadTestNumber') ?? 1), true)
  } catch (error) {
    // If the other job is refused, this request is not affected.
    if (!(error instanceof Failure)) throw error
  }
}

/** A parameter of a path that is not validated yet. */
function named(params: unknown, name: string): string | undefined {
  if (typeof params !== 'object' || params === null) return undefined
  const value: unknown = Object.entries(params).find(([key]) => key === name)?.[1]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

type Instead = Extract<Fault, { kind: 'status' | 'html' | 'redirect' }>

/** A fault that is answered at once; nothing is executed. */
function isInstead(fault: Fault): fault is Instead {
  if (fault.kind === 'status' || fault.kind === 'html') return fault.executed !== true
  return fault.kind === 'redirect'
}

function instead(reply: FastifyReply, fault: Instead): string {
  if (fault.kind === 'html') {
    reply.code(fault.status ?? 502).type('text/html; charset=utf-8')
    return '<!DOCTYPE html>\n<html><head><title>Gateway</title></head><body><h1>Please try later</h1></body></html>\n'
  }
  if (fault.kind === 'redirect') {
    reply.code(fault.status ?? 302).header('location', fault.to)
    return ''
  }
  if (fault.retryAfter !== undefined) reply.header('retry-after', String(fault.retryAfter))
  reply.code(fault.status).type('application/json; charset=utf-8')
  return JSON.stringify({ success: false, code: 'SIMULATED', message: 'This fault is simulated.' })
}

function replaced(reply: FastifyReply, strikes: readonly Strike[], payload: unknown): unknown {
  const executed = strikes
    .map(({ fault }) => fault)
    .find((fault): fault is Instead => 'executed' in fault && fault.executed)
  const wrong = faultOf(strikes, 'wrong-json')
  if (!executed && !wrong) return payload
  discard(payload)
  for (const name of ['content-length', 'content-range', 'content-disposition', 'etag'])
    reply.removeHeader(name)
  if (executed) return instead(reply, executed)
  if (reply.statusCode === 204) reply.code(200)
  reply.type('application/json; charset=utf-8')
  return wrong?.body ?? '{"success":true,"data":{"index":'
}

/** Sends headers for the whole body, but only a part of it. */
function firstPart(request: FastifyRequest, reply: FastifyReply, body: unknown, bytes?: number): unknown {
  const whole = body instanceof Readable ? body : Buffer.from(typeof body === 'string' ? body : '')
  const promised = reply.getHeader('content-length')
  const total = Buffer.isBuffer(whole) ? whole.length : Number(promised)
  if (!Number.isSafeInteger(total)) throw new Error('An answer of unknown length cannot be halved.')
  // Without a body, the answer itself breaks off.
  if (total === 0) {
    request.raw.socket.destroy()
    return ''
  }
  reply.header('content-length', total)
  const source = Buffer.isBuffer(whole) ? Readable.from([whole]) : whole
  return Readable.from(cutOff(source, bytes ?? Math.floor(total / 2), request), { objectMode: false })
}

async function* cutOff(source: Readable, bytes: number, request: FastifyRequest): AsyncGenerator<Buffer> {
  let left = bytes
  for await (const chunk of source) {
    const piece = Buffer.from(chunk)
    if (piece.length <= left) {
      left -= piece.length
      yield piece
      continue
    }
    if (left > 0) yield piece.subarray(0, left)
    await flushed(request)
    request.raw.socket.destroy()
    return
  }
}

/** Wait until everything written has left this process; else breaking the connection would discard it. */
async function flushed({ raw: { socket } }: FastifyRequest): Promise<void> {
  do await sleep(10)
  while (socket.writableLength > 0 && !socket.destroyed)
}

function breakOff(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack()
  request.raw.socket.destroy()
  return reply
}

function discard(payload: unknown): void {
  if (payload instanceof Readable) payload.destroy()
}
