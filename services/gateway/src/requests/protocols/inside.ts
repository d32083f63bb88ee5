import { IncomingMessage, ServerResponse } from 'node:http'

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown

/** From which address and over which protocol a request came, as proxies say it. */
const CONNECTION = ['host', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'user-agent']

/** A reply that is collected instead of sent. */
class Collected extends ServerResponse {
  readonly #chunks: Buffer[] = []
  readonly #done = Promise.withResolvers<Buffer>()
  readonly body: Promise<Buffer> = this.#done.promise

  #add(chunk: unknown): void {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#chunks.push(Buffer.from(chunk as Uint8Array))
  }
  override write(chunk: unknown): boolean {
    this.#add(chunk)
    return true
  }
  override end(chunk?: unknown): this {
    this.#add(chunk)
    this.finished = true
    this.#done.resolve(Buffer.concat(this.#chunks))
    this.emit('finish')
    return this
  }
  override destroy(error?: Error): this {
    this.#done.reject(error ?? new Error('The reply ended too early'))
    return this
  }
}

/** Requests that this process makes to itself. */
const inside = new WeakSet<IncomingMessage>()

/** Does this process make the request to itself? Its reply is collected then: of a complete list it has the newest. */
export const isInside = (req: IncomingMessage): boolean => inside.has(req)

/**
 * `fetch` for requests that this process answers itself, on behalf of the request that it is answering: they come from the same client, and
 * pass through the same layers, so that limits, access, idempotency, the request log and metrics are those of any other request. None is
 * begun for a client that has left.
 */
export const fetchInside =
  (handle: Handler, outer: IncomingMessage, left: AbortSignal): typeof fetch =>
  async (input, init) => {
    left.throwIfAborted()
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    const body = Buffer.from(await request.arrayBuffer())
    const headers: Record<string, string> = {}
    for (const name of CONNECTION) if (outer.headers[name]) headers[name] = String(outer.headers[name])
    for (const [name, value] of request.headers) if (name !== 'user-agent') headers[name] = value
    if (body.length > 0) headers['content-length'] = String(body.length)
    const req = new IncomingMessage(outer.socket)
    Object.assign(req, { method: request.method, url: `${pathname}${search}`, httpVersion: '1.1', complete: true })
    req.headers = headers
    req.headersDistinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    req.push(body)
    req.push(null)
    inside.add(req)
    const res = new Collected(req)
    await handle(req, res)
    const reply = new Uint8Array(await res.body)
    const given = Object.entries(res.getHeaders()).map(([name, value]): [string, string] => [name, String(value)])
    return new Response([204, 205, 304].includes(res.statusCode) ? null : reply, {
      status: res.statusCode,
      headers: given,
    })
  }
