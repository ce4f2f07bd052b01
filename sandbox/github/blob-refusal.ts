import type { FastifyReply } from 'fastify'

/** A refusal of the blob storage: one of Azure's error codes and a sentence, sent as XML. */
export class BlobRefusal extends Error {
  override name = 'BlobRefusal'

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

export function sendBlobRefusal(error: unknown, reply: FastifyReply): FastifyReply {
  const { status, code, message } =
    error instanceof BlobRefusal ? error : new BlobRefusal(500, 'InternalError', String(error))
  return reply
    .code(status)
    .type('application/xml')
    .header('x-ms-error-code', code)
    .send(
      `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${escaped(message)}</Message></Error>`,
    )
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
