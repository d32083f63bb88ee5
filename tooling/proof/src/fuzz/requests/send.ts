import { type Agent, request } from 'node:http'
import type { GeneratedRequest } from './requests.ts'

export interface Reply {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Sends a request as it is. Undefined when the server closed the connection before a body that is too large was sent. */
export function send(url: string, made: GeneratedRequest, agent: Agent): Promise<Reply | undefined> {
  const { hostname, port } = new URL(url)
  const large = (made.body?.length ?? 0) > 100_000
  const length: [string, string][] = made.body ? [['content-length', String(made.body.length)]] : []
  const headers = [['host', `${hostname}:${port}`], ...made.headers, ...length].flat() as string[]
  const { method, path } = made
  return new Promise((resolve) => {
    const sent = request({ hostname, port, method, path, headers, agent: large ? false : agent })
    const failed = (error: Error) => resolve(large ? undefined : { status: 0, type: '', text: String(error) })
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }),
      )
      response.on('error', failed)
    })
    sent.on('error', failed)
    sent.end(made.body)
  })
}
