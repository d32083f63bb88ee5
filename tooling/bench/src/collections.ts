import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { request } from 'undici'
import { type RunningGateway, startGateway, stopGateways } from './gateway.ts'
import { fire, median, type Result, type Shot } from './load.ts'
import { newKey } from './new-key.ts'
import { bytesPerStream } from './streams.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SCALE = Number(process.env.BENCH_SCALE ?? 1)
/** Sessions of one link that one client address may have open: each link is used so often. */
const SESSIONS_PER_LINK = 5

interface Case {
  readonly name: string
  readonly count: number
  /** Links that the round needs, created before it is measured. */
  readonly links?: number
  shot(key: string, round: string, links: readonly string[]): (index: number) => Shot
}

const body = (index: number, round: string) => ({
  destinationChainKey: 'base',
  destinationAddress: `0x${`${round.replaceAll('-', '')}${index.toString(16).padStart(8, '0')}`.slice(-40).padStart(40, '0')}`,
})
const posted = (key: string, path: string, id: string, content: object): Shot => ({
  method: 'POST',
  path,
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': id },
  body: JSON.stringify(content),
})
const newLink = (key: string, round: string, index: number): Shot =>
  posted(key, '/v1/collections', `${round}-${index}`, {
    ...body(index, round),
    type: 'link',
    title: 'Consulting',
    amount: '25',
    currency: 'USDC',
  })

/** In pairs: what is measured, and a request that does comparable work. */
const pairs: readonly (readonly [Case, Case])[] = [
  [
    { name: 'POST /v1/collections', count: 1000, shot: (key, round) => (index) => newLink(key, round, index) },
    {
      name: 'POST /v1/payment-routes',
      count: 1000,
      shot: (key, round) => (index) =>
        posted(key, '/v1/payment-routes', `${round}-${index}`, {
          ...body(index, round),
          name: 'Treasury',
          originChainKey: 'ethereum',
          destinationCurrency: 'USDC',
        }),
    },
  ],
  [
    {
      name: 'POST /v1/pay/{id} start',
      count: 600,
      links: 600 / SESSIONS_PER_LINK,
      shot: (_key, _round, links) => (index) => ({
        method: 'POST',
        path: `/v1/pay/${links[index % links.length]}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ action: 'start', networkKey: 'ethereum', currency: 'USDC' }),
      }),
    },
    {
      name: 'POST /v1/payment-routes',
      count: 600,
      shot: (key, round) => (index) =>
        posted(key, '/v1/payment-routes', `${round}-${index}`, {
          ...body(index, round),
          name: 'Treasury',
          originChainKey: 'ethereum',
          destinationCurrency: 'USDC',
        }),
    },
  ],
  [
    {
      name: 'GET /v1/pay/{id}',
      count: 3000,
      links: 1,
      shot: (_key, _round, links) => () => ({ method: 'GET', path: `/v1/pay/${links[0]}`, headers: {} }),
    },
    {
      name: 'GET /v1/payment-routes/networks',
      count: 3000,
      shot: (key) => () => ({
        method: 'GET',
        path: '/v1/payment-routes/networks',
        headers: { authorization: `Bearer ${key}` },
      }),
    },
  ],
]

/** Links, sessions and pay pages of a complete process, beside payment routes; then the memory of event streams beside `node:http`. */
export async function benchCollections(print: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const server = await startEmbedded(directory, { settings: ['shared_buffers=512MB', 'max_wal_size=4GB'] })
  const running: RunningGateway[] = []
  try {
    await ensureDatabase(server.ownerUrl(), 'collections')
    const [ownerUrl, serviceUrl] = [server.ownerUrl('collections'), server.serviceUrl('collections')]
    const file = new URL('../../../services/gateway/src/main.ts', import.meta.url).pathname
    const env = { PROCESS_ROLE: 'all', CONNECTIONS_PER_ADDRESS: '5000', PAY_STREAMS_PER_ADDRESS: '5000' }
    const service = await startGateway(file, env, { dataDir: join(directory, 'collections'), ownerUrl, serviceUrl })
    running.push(service)
    const key = await newKey(ownerUrl)
    for (const pair of pairs) await measure(pair, service.origin, key, print)
    const floor = await startGateway(
      new URL('./streams-floor.ts', import.meta.url).pathname,
      {},
      {
        dataDir: directory,
        ownerUrl,
        serviceUrl,
      },
    )
    running.push(floor)
    const [link] = await linksFor(service.origin, key, 1)
    const own = await bytesPerStream(service, `${service.origin}/v1/pay/${link}/stream`)
    const bare = await bytesPerStream(floor, `${floor.origin}/`)
    const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} kB`
    print(
      `  memory of an event stream            ${kilobytes(own)}   node:http ${kilobytes(bare)}   ${(own / bare).toFixed(2)}`,
    )
  } finally {
    await stopGateways(running)
    await server.destroy()
  }
}

async function measure(
  pair: readonly [Case, Case],
  origin: string,
  key: string,
  print: (line: string) => void,
): Promise<void> {
  const results = new Map<Case, Result[]>(pair.map((each) => [each, []]))
  const run = async (each: Case, count: number) => {
    const round = randomUUID()
    const links = await linksFor(origin, key, each.links ?? 0)
    return fire(origin, count, each.shot(key, round, links))
  }
  for (const each of pair) await run(each, 100)
  for (let round = 0; round < ROUNDS; round++)
    for (const each of round % 2 === 0 ? pair : pair.toReversed())
      results.get(each)?.push(await run(each, Math.round(each.count * SCALE)))
  for (const [{ name }, all] of results) {
    const line = (pick: (result: Result) => number, digits: number) => median(all.map(pick)).toFixed(digits)
    print(
      `  ${name.padEnd(36)} ${line(({ rate }) => rate, 0)}/s   p50 ${line(({ p50 }) => p50, 2)} ms   p99 ${line(({ p99 }) => p99, 2)} ms`,
    )
  }
}

async function linksFor(origin: string, key: string, count: number): Promise<string[]> {
  const round = randomUUID()
  const links: string[] = []
  while (links.length < count) {
    const { path, headers, body: content = '' } = newLink(key, round, links.length)
    const answer = await request(`${origin}${path}`, { method: 'POST', headers, body: content })
    const { data } = (await answer.body.json()) as { data: { id: string } }
    links.push(data.id)
  }
  return links
}
