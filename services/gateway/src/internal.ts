import { createServer, type Server } from 'node:http'
import type { Runtime } from '@payments/platform'
import type { Metrics } from './metrics.ts'

const DEADLINE_MS = 1500

/**
 * The internal server, which merchants cannot reach: `GET /metrics` for Prometheus; `GET /livez`, 200 while the process answers;
 * `GET /readyz`, 200 while it can serve requests, which needs the database, and 503 otherwise and while it stops.
 */
export function internalServer(metrics: Metrics, runtime: Runtime, isStopping: () => boolean = () => false): Server {
  const answers: Record<string, () => Promise<{ status: number; type: string; body: string }>> = {
    '/metrics': async () => ({
      status: 200,
      type: metrics.registry.contentType,
      body: await metrics.registry.metrics(),
    }),
    '/livez': async () => ({ status: 200, type: 'application/json', body: '{"status":"ok"}' }),
    '/readyz': async () =>
      !isStopping() && (await isReady(runtime))
        ? { status: 200, type: 'application/json', body: '{"status":"ok"}' }
        : { status: 503, type: 'application/json', body: '{"status":"unavailable"}' },
  }
  return createServer((req, res) => {
    const answer = req.method === 'GET' || req.method === 'HEAD' ? answers[req.url ?? ''] : undefined
    if (!answer) {
      res.writeHead(404).end()
      return
    }
    answer().then(
      ({ status, type, body }) => res.writeHead(status, { 'content-type': type }).end(body),
      () => res.writeHead(500).end(),
    )
  })
}

/** True if a statement succeeds within 1.5 s, so that a probe is answered even if no connection is free. */
async function isReady({ pool }: Runtime): Promise<boolean> {
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, DEADLINE_MS, false).unref())
  return Promise.race([
    pool.query('select 1').then(
      () => true,
      () => false,
    ),
    late,
  ])
}
