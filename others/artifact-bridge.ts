import http from 'node:http'
import { text } from 'node:stream/consumers'
import { freePort } from '../sandbox/engine/free-port.js'

/**
 * Connects the artifact client with act's artifact server, which differ in two points: the server rejects the field for
 * the media type, and the client drops the `=` at the end of the server's signatures.
 */
export interface ArtifactBridge {
  /** For ACTIONS_RUNTIME_URL. The server's signed addresses lead to the server itself. */
  url: string
  /** Calls that the server refused at first, such as `CreateArtifact 500`. */
  refused: string[]
  close(): Promise<void>
}

interface Answer {
  status: number
  type: string
  body: string
}

/** Forwards every call, a refused one again without the media type, and encodes the `=` in the answer's signature. */
export async function startArtifactBridge(target: string): Promise<ArtifactBridge> {
  const refused: string[] = []
  const pass = async ({ url = '', headers }: http.IncomingMessage, sent: string): Promise<Answer> => {
    const send = async (sending: string): Promise<Answer> => {
      const answer = await fetch(new URL(url, target), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: headers.authorization ?? '' },
        body: sending,
      })
      const type = answer.headers.get('content-type') ?? ''
      const body = (await answer.text()).replace(/(?<=[?]sig=[^&"]*)=+(?=&)/, encodeURIComponent)
      return { status: answer.status, type, body }
    }
    const answer = await send(sent)
    const { mime_type: mediaType, ...rest } = JSON.parse(sent) as Record<string, unknown>
    if (answer.status < 400 || mediaType === undefined) return answer
    refused.push(`${url.replace(/.*\//, '')} ${answer.status}`)
    return send(JSON.stringify(rest))
  }
  const server = http.createServer((request, response) => {
    text(request)
      .then((sent) => pass(request, sent))
      .then(({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body))
      .catch(() => response.destroy())
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${port}/`,
    refused,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
