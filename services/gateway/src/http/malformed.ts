import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { newId } from '@payments/kernel'

const bodyOf = (message: string) => JSON.stringify({ status: 'error', message, data: null })
const BODY = bodyOf('Malformed HTTP request')
const EXPECTATION = bodyOf('The Expect header must be 100-continue')
const headers = (body: string) => ({
  'Content-Type': 'application/json',
  'Content-Length': String(body.length),
  'Cache-Control': 'no-store',
  'X-Request-Id': newId(),
  Connection: 'close',
})

/** Answers what the HTTP parser refuses, in the envelope and with a request id. */
export function answerParserErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
    const status =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? '431 Request Header Fields Too Large'
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? '408 Request Timeout'
          : '400 Bad Request'
    const lines = Object.entries(headers(BODY)).map(([name, value]) => `${name}: ${value}`)
    socket.end(`HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n${BODY}`)
  })
}

/** Answers an expectation other than `100-continue` (RFC 9110, section 10.1.1) in the envelope and with a request id. */
export function refuseExpectations(server: Server): void {
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => {
    res.writeHead(417, headers(EXPECTATION)).end(EXPECTATION)
  })
}

/**
 * Passes on requests with one `Host` header, which HTTP/1.0 lacks, and a valid target, brought into origin form; the parser lets others through.
 * Which of two hosts counts differs between proxies, and no later layer can read an invalid target. Others are answered with 400.
 */
export function refuseMalformed(
  handle: (req: IncomingMessage, res: ServerResponse) => void,
): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    const target = originForm(req.url ?? '')
    const hosts = req.headersDistinct.host?.length ?? 0
    if (target === undefined || hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0')) {
      res.writeHead(400, headers(BODY)).end(BODY)
      return
    }
    req.url = target
    handle(req, res)
  }
}

/** The path and query of a request target (RFC 9112, section 3.2); undefined if it is neither a path, a URL nor `*`. */
function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target
  if (target === '*') return '/*'
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined
  const { pathname, search } = new URL(target)
  return `${pathname}${search}`
}
