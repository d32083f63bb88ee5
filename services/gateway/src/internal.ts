import { createServer, type Server } from 'node:http'
import { databaseProblem, type Runtime } from '@payments/platform'
import type { Metrics } from './metrics.ts'

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
})

/**
 * The internal server, which merchants cannot reach: `GET /metrics` for Prometheus; `GET /livez`, 200 while the process
 * runs; `GET /readyz`, 503 while the database is unreachable, read-only, out of space or out of connections, and while the
 * process stops.
 */
export function internalServer(metrics: Metrics, runtime: Runtime, isStopping: () => boolean = () => false): Server {
  const answers: Record<string, () => Promise<Answer>> = {
    '/metrics': async () => ({
      status: 200,
      type: metrics.registry.contentType,
      body: await metrics.registry.metrics(),
    }),
    '/livez': async () => json(200, { status: 'ok' }),
    async '/readyz'() {
      const problem = isStopping() ? 'stopping' : await databaseProblem(runtime)
      return problem ? json(503, { status: 'unavailable', problem }) : json(200, { status: 'ok' })
    },
  }
  return createServer((req, res) => {
    const answer = req.method === 'GET' || req.method === 'HEAD' ? answers[req.url ?? ''] : undefined
    if (!answer) {
      res.writeHead(404).end()
      return
    }
    answer().then(
      ({ status, type, body }) =>
        res.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body),
      () => res.writeHead(500).end(),
    )
  })
}
