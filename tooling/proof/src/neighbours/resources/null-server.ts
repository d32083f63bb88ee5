// A server that reads requests and answers with nothing: what the attackers' own load costs on this machine.
import { createServer } from 'node:http'

const server = createServer((req, res) => {
  req.resume().on('end', () => res.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
