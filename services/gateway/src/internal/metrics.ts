import type { Server } from 'node:http'
import { promisify } from 'node:util'
import {
  databaseProblems,
  domainsOf,
  droppedLines,
  histograms,
  type LabelledValue,
  metricLabels,
  type Runtime,
  runningSnapshots,
  standbyProblems,
} from '@payments/platform'
import { threadMetrics } from '@payments/threads'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Streams } from '../http/connections/streams.ts'
import type { Clock } from './clock.ts'
import { release } from './release.ts'

export interface Metrics {
  readonly registry: Registry
  readonly requests: Histogram<'method' | 'route' | 'status'>
  readonly connections: ConnectionGauges
}

/** The connections of the public server, which is made after the metrics. */
interface ConnectionGauges {
  of(server: Server, streams: Pick<Streams, 'open' | 'most'>): void
}

/** Metrics of this process (Node's defaults and one histogram of requests by route), and the gauges that the domains declare. */
export function createMetrics(runtime: Runtime, clock?: Pick<Clock, 'skew'>): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from request to reply',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  for (const own of [...Object.values(histograms), ...Object.values(threadMetrics)]) registry.registerMetric(own)
  new Gauge({
    name: 'payments_build_info',
    help: 'Always 1, with the version that runs',
    labelNames: ['version', 'commit', 'node'] as const,
    registers: [registry],
    collect() {
      this.set({ ...release, node: process.versions.node }, 1)
    },
  })
  new Gauge({
    name: 'clock_skew_seconds',
    help: "Seconds by which the clock of this machine is ahead of the database's",
    registers: [registry],
    collect() {
      this.reset()
      const skew = clock?.skew()
      if (skew !== undefined) this.set(skew)
    },
  })
  new Gauge({
    name: 'database_problem',
    help: '1 while the database does not serve this process, by reason',
    labelNames: ['reason'] as const,
    registers: [registry],
    collect() {
      for (const reason of databaseProblems) this.set({ reason }, runtime.database.problem() === reason ? 1 : 0)
    },
  })
  new Gauge({
    name: 'exports_running',
    help: 'Exports that this process is sending',
    registers: [registry],
    collect() {
      this.set(runningSnapshots())
    },
  })
  new Counter({
    name: 'log_lines_dropped_total',
    help: 'Lines of the log that standard output did not take',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(droppedLines())
    },
  })
  new Counter({
    name: 'database_failures_total',
    help: 'Statements that failed because the database does not serve this process, by reason',
    labelNames: ['reason'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const reason of databaseProblems) this.inc({ reason }, runtime.database.failures.get(reason) ?? 0)
    },
  })
  if (runtime.standby) measureStandby(registry, runtime.standby)
  const connections = connectionGauges(registry)
  for (const { name, help, type, read } of domainsOf(runtime).flatMap(({ operators }) => operators?.metrics ?? [])) {
    const options = { name, help, labelNames: metricLabels, registers: [registry] }
    const report = async (set: (labels: LabelledValue['labels'], value: number) => void) => {
      // Without the database, this metric has no value, but the others of the process are still reported.
      const values = await read(runtime).catch((error: unknown) => {
        if (!runtime.database.report(error)) runtime.log.warn({ err: error, name }, 'gauge read failed')
      })
      if (typeof values === 'number') return set({}, values)
      if (Array.isArray(values)) for (const { labels, value } of values) set(labels, value)
      else for (const [environment, value] of Object.entries(values ?? {})) set({ environment }, value)
    }
    if (type === 'counter')
      new Counter({
        ...options,
        async collect() {
          this.reset()
          await report((labels, value) => this.inc(labels, value))
        },
      })
    else
      new Gauge({
        ...options,
        async collect() {
          this.reset()
          await report((labels, value) => this.set(labels, value))
        },
      })
  }
  return { registry, requests, connections }
}

function connectionGauges(registry: Registry): ConnectionGauges {
  let server: Server | undefined
  let streams: Pick<Streams, 'open' | 'most'> | undefined
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        this.set(await read())
      },
    })
  gauge('http_connections_open', 'Open connections to the public port', async () =>
    server ? promisify(server.getConnections.bind(server))() : 0,
  )
  gauge('http_connections_most', 'Connections to the public port that may be open', () => server?.maxConnections ?? 0)
  gauge('event_streams_open', 'Open event streams', () => streams?.open() ?? 0)
  gauge('event_streams_most', 'Event streams that may be open', () => streams?.most ?? 0)
  return {
    of(...own) {
      ;[server, streams] = own
    },
  }
}

function measureStandby(registry: Registry, standby: NonNullable<Runtime['standby']>): void {
  new Gauge({
    name: 'standby_problem',
    help: '1 while the standby serves no reads, by reason',
    labelNames: ['reason'] as const,
    registers: [registry],
    collect() {
      for (const reason of standbyProblems) this.set({ reason }, standby.problem() === reason ? 1 : 0)
    },
  })
  new Counter({
    name: 'standby_reads_total',
    help: 'Statements of lists, searches, exports and reports, by the server that served them',
    labelNames: ['server'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const [server, reads] of Object.entries(standby.reads)) this.inc({ server }, reads)
    },
  })
}
