// A webhook receiver for the quick start: checks each signature and ends with the completed deposit. Any Node runs it.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const secret = process.argv[2] ?? ''
const TOLERANCE_SECONDS = 300

/** The rule of the specification: HMAC-SHA256 over `timestamp.body`, keyed with the whole secret, compared in constant time. */
function isAuthentic(header, body) {
  const parts = Object.fromEntries(header.split(',').map((part) => part.split('=')))
  const expected = createHmac('sha256', secret).update(`${parts.t}.${body}`).digest()
  const given = Buffer.from(parts.v1 ?? '', 'hex')
  const fresh = Math.abs(Date.now() / 1000 - Number(parts.t)) < TOLERANCE_SECONDS
  return fresh && given.length === expected.length && timingSafeEqual(given, expected)
}

const server = createServer((req, res) => {
  const chunks = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => {
    const body = Buffer.concat(chunks).toString('utf8')
    const authentic = isAuthentic(String(req.headers['x-service-signature']), body)
    const event = JSON.parse(body)
    process.stdout.write(`${event.type} ${event.data.status}: signature ${authentic ? 'verified' : 'WRONG'}\n`)
    res.writeHead(authentic ? 204 : 401).end()
    if (!authentic) process.exitCode = 1
    if (!authentic || event.data.status === 'completed') {
      server.close()
      server.closeAllConnections()
    }
  })
})
server.listen(9000, '127.0.0.1')
