import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** What the bank verification number belongs to. The telephone number is kept as the bank wrote it. */
const RECORD: Readonly<Record<string, string>> = { firstname: 'ADA', lastname: 'OBI', phone: '08012345678' }

/**
 * An answer of the match, in QoreID's documented format (docs.qoreid.com/docs/bvn-boolean-match): each field that was asked for is
 * compared as text, and the overall status is that of all of them. So a telephone number in another format makes it PARTIAL_MATCH.
 */
export function matched(asked: Readonly<Record<string, unknown>>, fields: object = {}, status?: string) {
  const compared = Object.keys(RECORD).filter((field) => asked[field] !== undefined)
  const same = (field: string) => String(asked[field]).toUpperCase() === RECORD[field]
  const fieldMatches = { ...Object.fromEntries(compared.map((field) => [field, same(field)])), ...fields }
  const values = Object.values(fieldMatches)
  const overall = values.every(Boolean) ? 'EXACT_MATCH' : values.some(Boolean) ? 'PARTIAL_MATCH' : 'NO_MATCH'
  return {
    id: 1,
    applicant: { firstname: asked.firstname, lastname: asked.lastname },
    summary: { bvn_match_check: { status: status ?? overall, fieldMatches } },
    status: { state: 'complete', status: overall === 'EXACT_MATCH' ? 'verified' : 'id_mismatch' },
    insight: [],
  }
}

export interface QoreidServer {
  readonly url: string
  readonly calls: { line: string; body: Record<string, unknown>; authorization: string | undefined }[]
  /** The answer to the next matches, in place of the comparison. */
  answer: { status: number; body: unknown } | 'silent' | undefined
  /** Seconds for which its tokens last. */
  expiresIn: number
  /** Connections that were opened to it. */
  connections: number
  /** Tokens that it has given out. */
  tokens: number
  close(): Promise<void>
}

/** A server on loopback that speaks the documented format of QoreID. */
export async function startQoreid({ tls }: { tls?: { key: string; cert: string } } = {}): Promise<QoreidServer> {
  const respond = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')
    const line = `${req.method} ${req.url}`
    world.calls.push({ line, body, authorization: req.headers.authorization })
    const say = (status: number, value: unknown) =>
      void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (line.endsWith('/token'))
      return body.secret === 'secret' && body.clientId === 'client'
        ? say(201, { accessToken: `token ${++world.tokens}`, expiresIn: world.expiresIn, tokenType: 'Bearer' })
        : say(401, { message: 'Unauthorized' })
    // Behind a wrong base URL there is another service, or another path of this one.
    if (!/^\/v1\/ng\/identities\/bvn-match\/\d{11}$/.test(req.url ?? ''))
      return say(404, { statusCode: 404, message: `Cannot ${req.method} ${req.url}`, error: 'Not Found' })
    if (req.headers.authorization !== `Bearer token ${world.tokens}`) return say(401, { message: 'Unauthorized' })
    if (world.answer === 'silent') return
    say(world.answer?.status ?? 200, world.answer ? world.answer.body : matched(body))
  }
  const listener: RequestListener = (req, res) => void respond(req, res)
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const world: QoreidServer = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    answer: undefined,
    expiresIn: 7200,
    connections: 0,
    tokens: 0,
    close: async () => void (await Promise.all([server[Symbol.asyncDispose](), server.closeAllConnections()])),
  }
  server.on(tls ? 'secureConnection' : 'connection', () => void world.connections++)
  return world
}
