import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'

/** The body of an answer whose bytes have all come, and after them its end, or the end of the connection. */
export function arrived(bytes: Uint8Array | string, isWhole = true): IncomingMessage {
  const message = new IncomingMessage(new Socket())
  if (bytes.length > 0) message.push(bytes)
  message.push(null)
  message.complete = isWhole
  return message
}
