import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProofReport } from '@payments/proof'
import {
  median,
  newKey,
  type Sample,
  type ServiceProcess,
  samples,
  sharedSettings,
  startDatabase,
  startProcesses,
} from '@payments/stand'
import { creation, type LoadRequest, sendLoad } from '../servers/load.ts'
import { type Place, residentBytes, startGateway } from '../servers/servers.ts'

const MINUTES = Number(process.env.BENCH_MINUTES ?? 60)
/** The last quarter to the second. */
const MOST = 1.1
/** An idle process, MiB. */
const MOST_IDLE = 180
/** How long a process has been idle when it is measured, ms. */
const IDLE_MS = 10_000
const REQUESTS = 400

/** Reads and writes of every domain, in turn. */
const mixed =
  (key: string, round: string) =>
  (index: number): LoadRequest => {
    const authorization = `Bearer ${key}`
    const post = ({ path, body }: Sample) => creation(key, path, body(), `${round}-${index}`)
    const all: readonly (() => LoadRequest)[] = [
      ...[samples.customer, samples.collection, samples.offramp].map((sample) => () => post(sample)),
      ...['transactions', 'offramps', 'collections', 'swaps', 'events', 'notifications', 'cngn/payouts'].map(
        (list) => (): LoadRequest => ({ method: 'GET', path: `/v1/${list}`, headers: { authorization } }),
      ),
    ]
    return (all[index % all.length] as () => LoadRequest)()
  }

/** What processes of each role take that have started and do nothing, MiB. */
async function idle(at: Place): Promise<Record<'all' | 'gateway' | 'worker', number>> {
  const all = await startGateway({ PROCESS_ROLE: 'all', LOG_LEVEL: 'fatal' }, at)
  const apart = await startProcesses({ gateways: 1, workers: 1 }, { settings: sharedSettings(at, {}) })
  try {
    await apart.ready()
    await sleep(IDLE_MS)
    const [gateway, worker] = await Promise.all([...apart.gateways, ...apart.workers].map(reported))
    return { all: mebibytes(residentBytes(all)), gateway: mebibytes(gateway ?? 0), worker: mebibytes(worker ?? 0) }
  } finally {
    await Promise.all([all.stop(), apart.stop()])
  }
}

/** The memory that a process reports of itself, bytes. */
async function reported({ internalUrl }: ServiceProcess): Promise<number> {
  const metrics = await (await fetch(`${internalUrl}/metrics`)).text()
  return Number(metrics.match(/^process_resident_memory_bytes (\S+)$/m)?.[1] ?? Number.NaN)
}

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20)

/**
 * The memory of an idle process of each role, and that of one process that serves requests and runs the jobs, under a mixed load for
 * BENCH_MINUTES (60): a line for each minute, and the last quarter compared with the second, when caches are warm.
 */
export async function benchMemory(print: (line: string) => void): Promise<ProofReport> {
  const at = await startDatabase()
  const idleMebibytes = await idle(at)
  const taken = Object.entries(idleMebibytes)
  print(`  idle: ${taken.map(([role, each]) => `${role} ${each} MiB`).join(', ')}`)
  const gateway = await startGateway({ PROCESS_ROLE: 'all', LOG_LEVEL: 'fatal' }, at)
  try {
    const key = await newKey(at)
    const samples: number[] = []
    let requests = 0
    for (const ends = Date.now() + MINUTES * 60_000; Date.now() < ends; ) {
      const minute = Date.now() + 60_000
      while (Date.now() < Math.min(minute, ends)) {
        await sendLoad(gateway.origin, REQUESTS, mixed(key, randomUUID()))
        requests += REQUESTS
        samples.push(residentBytes(gateway))
      }
      print(`  ${requests} requests: ${mebibytes(samples.at(-1) ?? 0)} MiB`)
    }
    const quarter = Math.ceil(samples.length / 4)
    const [warm, last] = [median(samples.slice(quarter, 2 * quarter)), median(samples.slice(-quarter))]
    const ratio = Math.round((100 * last) / warm) / 100
    print(`  second quarter ${mebibytes(warm)} MiB, last quarter ${mebibytes(last)} MiB: ratio ${ratio}`)
    return {
      findings: [
        ...(ratio > MOST ? [`The memory of the last quarter is ${ratio} times that of the second`] : []),
        ...taken.flatMap(([role, each]) =>
          each > MOST_IDLE ? [`An idle process of the role ${role} takes ${each} MiB`] : [],
        ),
      ],
      figures: {
        idleMebibytes,
        minutes: MINUTES,
        requests,
        secondQuarterMebibytes: mebibytes(warm),
        lastQuarterMebibytes: mebibytes(last),
        ratio,
      },
    }
  } finally {
    await gateway.stop()
    await at.close()
  }
}
