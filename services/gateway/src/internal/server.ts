import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { databaseProblem, domainsOf, type Runtime } from '@payments/platform'
import type { Metrics } from './metrics.ts'
import { release } from './release.ts'

/** Written by `npm run derive`. */
const RELIABILITY = new URL('../../../../docs/derived/reliability.json', import.meta.url)

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

/** What the internal server shows once the process serves. */
interface Serving {
  readonly metrics: Metrics
  readonly runtime: Runtime
  /** Whether the public listener is open; true in a process without one. */
  serves(): boolean
}

export interface InternalServer {
  readonly server: Server
  /** From now on the process may be ready, and its metrics can be read. */
  ready(serving: Serving): void
}

const STARTING = json(503, { status: 'unavailable', problem: 'starting' })

/**
 * The internal server, which merchants cannot reach: `GET /metrics` for Prometheus; `GET /livez`, 200 while the process
 * runs, its start included; `GET /health`, the same with version and commit; `GET /readyz`, 503 while the process starts or stops, its public port is not open, or the database is
 * unreachable, read-only, out of space or out of connections; `GET /proof`, what is promised, how it is tested and the figures
 * last measured (`docs/reliability.md`), with the latest result of each domain's check of its own records.
 */
export function internalServer(isStopping: () => boolean = () => false): InternalServer {
  let serving: Serving | undefined
  const answers: Record<string, (serving: Serving) => Promise<Answer>> = {
    '/metrics': async ({ metrics: { registry } }) => ({
      status: 200,
      type: registry.contentType,
      body: await registry.metrics(),
    }),
    async '/readyz'({ runtime, serves }) {
      const problem = isStopping() ? 'stopping' : serves() ? await databaseProblem(runtime) : 'starting'
      return problem ? json(503, { status: 'unavailable', problem }) : json(200, { status: 'ok' })
    },
    async '/proof'({ runtime }) {
      const checks = domainsOf(runtime).flatMap(({ money }) => money?.selfChecks ?? [])
      const latest = checks.map(async ({ name, latest: read }) => [name, await read(runtime)])
      const reliability = JSON.parse(await readFile(RELIABILITY, 'utf8'))
      return json(200, { ...reliability, checks: Object.fromEntries(await Promise.all(latest)) })
    },
  }
  const answerTo = async (path: string): Promise<Answer | undefined> => {
    if (path === '/livez') return json(200, { status: 'ok' })
    if (path === '/health')
      return json(200, { status: 'ok', ...release, node: process.versions.node, pid: process.pid })
    const answer = answers[path]
    return answer && (serving ? answer(serving) : STARTING)
  }
  const server = createServer((req, res) => {
    // A probe that asks again and again over one connection would keep a server that closes open for ever.
    if (isStopping() || !server.listening) res.setHeader('connection', 'close')
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    answerTo(isRead ? (req.url ?? '') : '').then(
      (answer) => {
        if (!answer) res.writeHead(404).end()
        else res.writeHead(answer.status, { 'content-type': answer.type, 'cache-control': 'no-store' }).end(answer.body)
      },
      () => res.writeHead(500).end(),
    )
  })
  return {
    server,
    ready(now) {
      serving = now
    },
  }
}
