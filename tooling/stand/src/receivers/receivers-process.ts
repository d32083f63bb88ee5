// The receivers's own process: one HTTP server for each role on the command line, controlled over its IPC channel.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const arrivals = process.argv.slice(2).map(() => new Map<string, number[]>())

const servers = process.argv.slice(2).map((role, index) =>
  createServer((req, res) => {
    const at = performance.timeOrigin + performance.now()
    const id = String(req.headers['webhook-id'])
    const seen = arrivals[index]
    seen?.set(id, [...(seen.get(id) ?? []), at])
    req.resume().on('end', () => {
      if (role !== 'hang') res.writeHead(role === 'fail' ? 500 : 200).end()
    })
  }),
)

const origins = await Promise.all(
  servers.map(async (server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }),
)

process.on('message', (question) => {
  if (question === 'reset') for (const each of arrivals) each.clear()
  if (question === 'progress') process.send?.({ progress: arrivals.map((each) => each.size) })
  else if (question === 'arrivals') process.send?.({ arrivals: arrivals.map((each) => [...each]) })
  else process.send?.({ done: true })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ origins })
