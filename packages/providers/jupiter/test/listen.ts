import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** How a server fails: an answer of its own, a late one, one that is cut off, or none; `lost`: none, after the effect. */
export type Fault =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | { readonly lateMs: number }
  | 'truncated'
  | 'silent'
  | 'lost'

/** PEM of a key and its certificate. */
export interface Tls {
  readonly key: string
  readonly cert: string
}

export interface Listening {
  readonly url: string
  close(): Promise<void>
}

/** Serves JSON on loopback. `respond` runs unless the fault comes before it. */
export async function listen(
  tls: Tls | undefined,
  faultOf: (request: IncomingMessage, body: string) => Fault | undefined,
  respond: (
    request: IncomingMessage,
    body: string,
  ) => Promise<{ status: number; body: unknown }> | { status: number; body: unknown },
): Promise<Listening> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const fault = faultOf(request, body)
    if (fault === 'silent') return request.socket.destroy()
    if (typeof fault === 'object' && 'status' in fault)
      return response.writeHead(fault.status, fault.headers).end(fault.body ?? '{}')
    const answer = await respond(request, body)
    if (fault === 'lost') return request.socket.destroy()
    if (typeof fault === 'object') await new Promise((resolve) => setTimeout(resolve, fault.lateMs))
    const text = JSON.stringify(answer.body)
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    return response.end(fault === 'truncated' ? text.slice(0, text.length / 2) : text)
  }
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void handle(request, response).catch((error: Error) => response.writeHead(599).end(error.stack))
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => void (await Promise.all([server[Symbol.asyncDispose](), server.closeAllConnections()])),
  }
}
