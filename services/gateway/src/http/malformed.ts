import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { type ErrorFactory, newId } from '@payments/kernel'
import { errors, helpLink } from '../operations/errors.ts'

const bodyOf = ({ message }: ErrorFactory) => JSON.stringify({ status: 'error', message, data: null })
const headersOf = (error: ErrorFactory) => ({
  'Content-Type': 'application/json',
  'Content-Length': String(bodyOf(error).length),
  'Cache-Control': 'no-store',
  'X-Request-Id': newId(),
  Link: helpLink(error.code),
  Connection: 'close',
})

/** The codes of Node's HTTP parser that are not a malformed request. */
const PARSER_ERRORS: Readonly<Record<string, ErrorFactory>> = {
  HPE_HEADER_OVERFLOW: errors.headers_too_large,
  ERR_HTTP_REQUEST_TIMEOUT: errors.request_timeout,
}

/** Answers what the HTTP parser refuses, in the envelope and with a request id. */
export function answerParserErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
    const answer = PARSER_ERRORS[error.code ?? ''] ?? errors.request_malformed
    const lines = Object.entries(headersOf(answer)).map(([name, value]) => `${name}: ${value}`)
    const status = `${answer.status} ${STATUS_CODES[answer.status]}`
    socket.end(`HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n${bodyOf(answer)}`)
  })
}

/** Answers an expectation other than `100-continue` (RFC 9110, section 10.1.1) in the envelope and with a request id. */
export function refuseExpectations(server: Server): void {
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => {
    refuse(res, errors.expectation_unknown)
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
      refuse(res, errors.request_malformed)
      return
    }
    req.url = target
    handle(req, res)
  }
}

const refuse = (res: ServerResponse, error: ErrorFactory): void => {
  res.writeHead(error.status, headersOf(error)).end(bodyOf(error))
}

/** The path and query of a request target (RFC 9112, section 3.2); undefined if it is neither a path, a URL nor `*`. */
function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target
  if (target === '*') return '/*'
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined
  const { pathname, search } = new URL(target)
  return `${pathname}${search}`
}
