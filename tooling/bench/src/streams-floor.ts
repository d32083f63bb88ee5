import { createServer, type ServerResponse } from 'node:http'

// The floor of the event streams: `node:http` alone, which sends each client one event and a comment from time to time.

const HEARTBEAT_MS = 15_000
const open = new Set<ServerResponse>()
const event = `id: 1\nevent: page\ndata: ${JSON.stringify({ text: 'x'.repeat(1800) })}\n\n`

const server = createServer((request, response) => {
  if (request.url === '/health') return void response.end('{}')
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  response.write(event)
  open.add(response)
  response.on('close', () => open.delete(response))
})
setInterval(() => {
  for (const response of open) response.write(': still open\n\n')
}, HEARTBEAT_MS)
server.listen(Number(process.env.PORT), '127.0.0.1')
