import { createServer, type Server, type ServerResponse } from 'node:http'
import { databaseProblem, type Runtime } from '@payments/platform'
import type { Metrics } from './metrics.ts'

const json = (res: ServerResponse, status: number, body: object): void => {
  res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(body))
}

/**
 * Serves, on a port that merchants cannot reach: `GET /metrics` in the text format of Prometheus; `GET /livez`, 200 while the
 * process runs; `GET /readyz`, 503 while the database is unreachable, read-only, out of space or out of connections.
 */
export function internalServer(metrics: Metrics, runtime: Runtime): Server {
  return createServer((req, res) => {
    switch (req.url) {
      case '/metrics':
        metrics.registry.metrics().then(
          (text) => res.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text),
          () => res.writeHead(500).end(),
        )
        return
      case '/livez':
        return json(res, 200, { status: 'ok' })
      case '/readyz':
        databaseProblem(runtime).then(
          (problem) =>
            problem ? json(res, 503, { status: 'unavailable', problem }) : json(res, 200, { status: 'ok' }),
          () => json(res, 503, { status: 'unavailable' }),
        )
        return
      default:
        res.writeHead(404).end()
    }
  })
}
