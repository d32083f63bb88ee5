import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { databaseProblem, type Runtime } from '@payments/platform'
import type { Metrics } from './metrics.ts'

/** Written by `npm run derive`. */
const RELIABILITY = new URL('../../../docs/derived/reliability.json', import.meta.url)

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
 * process stops; `GET /proof`, what is promised, how it is tested and the figures last measured (`docs/reliability.md`), with the
 * latest result of each domain's check of its own records.
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
    async '/proof'() {
      const checks = runtime.domains.flatMap(({ selfChecks }) => selfChecks ?? [])
      const latest = checks.map(async ({ name, latest: read }) => [name, await read(runtime)])
      const reliability = JSON.parse(await readFile(RELIABILITY, 'utf8'))
      return json(200, { ...reliability, checks: Object.fromEntries(await Promise.all(latest)) })
    },
  }
  const server = createServer((req, res) => {
    // A probe that asks again and again over one connection would keep a server that closes open for ever.
    if (isStopping() || !server.listening) res.setHeader('connection', 'close')
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
  return server
}
