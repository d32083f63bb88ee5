import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { type RunningGateway, startGateway, stopGateways } from './gateway.ts'
import { fire, median, type Result, type Shot } from './load.ts'
import { newKey } from './new-key.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SCALE = Number(process.env.BENCH_SCALE ?? 1)

interface Case {
  readonly name: string
  readonly count: number
  shot(key: string, round: string): (index: number) => Shot
}

const posted = (path: string, body: (index: number, round: string) => object) => (key: string, round: string) => {
  return (index: number): Shot => ({
    method: 'POST',
    path,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `${round}-${index}`,
    },
    body: JSON.stringify(body(index, round)),
  })
}
const read = (path: string) => (key: string) => (): Shot => ({
  method: 'GET',
  path,
  headers: { authorization: `Bearer ${key}` },
})
const address = (round: string, index: number) =>
  `0x${`${round.replaceAll('-', '')}${index.toString(16).padStart(8, '0')}`.slice(-40).padStart(40, '0')}`

/** In pairs: what is measured, and a request of another domain that does comparable work. */
const pairs: readonly (readonly [Case, Case])[] = [
  [
    {
      name: 'POST /v1/swaps',
      count: 600,
      shot: posted('/v1/swaps', () => ({
        fromCurrency: 'EURC',
        toCurrency: 'USDC',
        amount: '100',
        destinationAddress: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
      })),
    },
    {
      name: 'POST /v1/payment-routes',
      count: 600,
      shot: posted('/v1/payment-routes', (index, round) => ({
        name: 'Treasury',
        originChainKey: 'ethereum',
        destinationChainKey: 'base',
        destinationCurrency: 'USDC',
        destinationAddress: address(round, index),
      })),
    },
  ],
  [
    { name: 'GET /v1/rates', count: 2000, shot: read('/v1/rates') },
    { name: 'GET /v1/payment-routes/networks', count: 2000, shot: read('/v1/payment-routes/networks') },
  ],
]

/** Swaps and rates of a complete process, whose worker derives addresses and processes swaps meanwhile, beside payment routes. */
export async function benchSwaps(print: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const server = await startEmbedded(directory, { settings: ['shared_buffers=512MB', 'max_wal_size=4GB'] })
  const running: RunningGateway[] = []
  try {
    await ensureDatabase(server.ownerUrl(), 'swaps')
    const [ownerUrl, serviceUrl] = [server.ownerUrl('swaps'), server.serviceUrl('swaps')]
    const file = new URL('../../../services/gateway/src/main.ts', import.meta.url).pathname
    const env = { PROCESS_ROLE: 'all' }
    const service = await startGateway(file, env, { dataDir: join(directory, 'swaps'), ownerUrl, serviceUrl })
    running.push(service)
    const key = await newKey(ownerUrl)
    for (const pair of pairs) {
      const results = new Map<Case, Result[]>(pair.map((each) => [each, []]))
      for (const each of pair) await fire(service.origin, 100, each.shot(key, randomUUID()))
      for (let round = 0; round < ROUNDS; round++)
        for (const each of round % 2 === 0 ? pair : pair.toReversed())
          results
            .get(each)
            ?.push(await fire(service.origin, Math.round(each.count * SCALE), each.shot(key, randomUUID())))
      for (const [{ name }, all] of results) {
        const line = (pick: (result: Result) => number, digits: number) => median(all.map(pick)).toFixed(digits)
        print(
          `  ${name.padEnd(36)} ${line(({ rate }) => rate, 0)}/s   p50 ${line(({ p50 }) => p50, 2)} ms   p99 ${line(({ p99 }) => p99, 2)} ms`,
        )
      }
    }
  } finally {
    await stopGateways(running)
    await server.destroy()
  }
}
