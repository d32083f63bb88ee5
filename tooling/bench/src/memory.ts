import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { startGateway, stopGateways } from './gateway.ts'
import { fire, median, type Shot } from './load.ts'
import { newKey } from './new-key.ts'

const MINUTES = Number(process.env.BENCH_MINUTES ?? 60)
const REQUESTS = 400
const GATEWAY = new URL('../../../services/gateway/src/main.ts', import.meta.url).pathname
const ADDRESS = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'

/** Reads and writes of every domain, in turn. */
const mixed =
  (key: string, round: string) =>
  (index: number): Shot => {
    const authorization = `Bearer ${key}`
    const id = `${round}-${index}`
    const post = (path: string, body: object): Shot => ({
      method: 'POST',
      path: `/v1${path}`,
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': id },
      body: JSON.stringify(body),
    })
    const shots: readonly (() => Shot)[] = [
      () => post('/customers', { name: 'Ada Obi', email: `${id}@example.com` }),
      () =>
        post('/collections', {
          ...{ type: 'link', title: 'Consulting', amount: '25', currency: 'USDC' },
          ...{ destinationChainKey: 'base', destinationAddress: ADDRESS },
        }),
      () =>
        post('/offramps', {
          ...{ amount: '25', sourceCurrency: 'USDC', destinationCurrency: 'NGN' },
          bankAccount: { accountNumber: '0123456789', bankCode: '058' },
        }),
      ...['transactions', 'offramps', 'collections', 'swaps', 'events', 'notifications', 'cngn/payouts'].map(
        (list) => (): Shot => ({ method: 'GET', path: `/v1/${list}`, headers: { authorization } }),
      ),
    ]
    return (shots[index % shots.length] as () => Shot)()
  }

/** Kilobytes of memory that a process occupies. */
const residentKilobytes = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }))

/**
 * The memory of one process that serves requests and runs the jobs, under a mixed load for BENCH_MINUTES (60): a line for each
 * minute, and the last quarter compared with the second, when caches are warm.
 */
export async function benchMemory(print: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const server = await startEmbedded(directory)
  await ensureDatabase(server.ownerUrl(), 'memory')
  const at = { dataDir: directory, ownerUrl: server.ownerUrl('memory'), serviceUrl: server.serviceUrl('memory') }
  const gateway = await startGateway(GATEWAY, { PROCESS_ROLE: 'all', LOG_LEVEL: 'fatal' }, at)
  try {
    const key = await newKey(at.ownerUrl)
    const samples: number[] = []
    let requests = 0
    for (const ends = Date.now() + MINUTES * 60_000; Date.now() < ends; ) {
      const minute = Date.now() + 60_000
      while (Date.now() < Math.min(minute, ends)) {
        await fire(gateway.origin, REQUESTS, mixed(key, randomUUID()))
        requests += REQUESTS
        samples.push(residentKilobytes(gateway.child.pid as number))
      }
      print(`  ${requests} requests: ${((samples.at(-1) ?? 0) / 1024).toFixed(0)} MiB`)
    }
    const quarter = Math.ceil(samples.length / 4)
    const [warm, last] = [median(samples.slice(quarter, 2 * quarter)), median(samples.slice(-quarter))]
    print(
      `  second quarter ${(warm / 1024).toFixed(0)} MiB, last quarter ${(last / 1024).toFixed(0)} MiB: ratio ${(last / warm).toFixed(2)}; at most 1.10 is wanted`,
    )
  } finally {
    await stopGateways([gateway])
    await server.destroy()
  }
}
