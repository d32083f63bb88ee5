import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer of the match; its body in QoreID's documented format. */
export const matched = (status: string) => ({
  id: 1,
  applicant: { firstname: 'ADA', lastname: 'OBI' },
  summary: { bvn_match_check: { status, fieldMatches: { firstname: true, lastname: true } } },
  status: { state: 'complete', status: 'verified' },
  insight: [],
})

export interface QoreidServer {
  readonly url: string
  readonly calls: { line: string; body: Record<string, unknown>; authorization: string | undefined }[]
  /** The answer to the next matches. */
  answer: { status: number; body: unknown } | 'silent'
  /** Seconds for which its tokens last. */
  expiresIn: number
  /** Tokens that it has given out. */
  tokens: number
  close(): Promise<void>
}

/** A server on loopback that speaks the documented format of QoreID. */
export async function startQoreid(): Promise<QoreidServer> {
  const respond = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')
    const line = `${req.method} ${req.url}`
    world.calls.push({ line, body, authorization: req.headers.authorization })
    const say = (status: number, value: unknown) =>
      void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (line === 'POST /token')
      return body.secret === 'secret' && body.clientId === 'client'
        ? say(201, { accessToken: `token ${++world.tokens}`, expiresIn: world.expiresIn, tokenType: 'Bearer' })
        : say(401, { message: 'Unauthorized' })
    if (req.headers.authorization !== `Bearer token ${world.tokens}`) return say(401, { message: 'Unauthorized' })
    if (world.answer === 'silent') return
    say(world.answer.status, world.answer.body)
  }
  const server = createServer((req, res) => void respond(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const world: QoreidServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    answer: { status: 200, body: matched('EXACT_MATCH') },
    expiresIn: 7200,
    tokens: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return world
}
