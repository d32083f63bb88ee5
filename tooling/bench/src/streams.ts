import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { Agent, type ClientRequest, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { request } from 'undici'
import { type RunningGateway, residentBytes, startGateway, stopGateways } from './gateway.ts'
import { newKey } from './new-key.ts'

/** Streams that are opened and closed before memory is measured, so that what a process allocates once is not counted. */
const WARM_UP = 300
const WATCHERS = 1000
const SETTLE_MS = 3000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Opens streams, a few at a time, and waits until each has received something. */
async function openStreams(url: string, count: number): Promise<ClientRequest[]> {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  const streams: ClientRequest[] = []
  while (streams.length < count) {
    const opened = Array.from({ length: 20 }, () => {
      const stream = get(url, { agent })
      streams.push(stream)
      return new Promise<void>((resolve, reject) => {
        stream.on('error', reject)
        stream.on('response', (response) => {
          if (response.statusCode !== 200) return reject(new Error(`${url}: ${response.statusCode}`))
          response.on('error', () => undefined)
          response.on('data', () => resolve())
        })
      })
    })
    await Promise.all(opened)
  }
  return streams
}

/** Bytes of a server process for each open event stream. */
async function bytesPerStream({ child }: RunningGateway, url: string): Promise<number> {
  const pid = child.pid as number
  const close = (streams: readonly ClientRequest[]) => {
    for (const stream of streams) stream.on('error', () => undefined).destroy()
  }
  close(await openStreams(url, WARM_UP))
  await pause(SETTLE_MS)
  const before = residentBytes(pid)
  const streams = await openStreams(url, WATCHERS)
  await pause(SETTLE_MS)
  const after = residentBytes(pid)
  close(streams)
  return (after - before) / WATCHERS
}

/** The memory of 1,000 watchers of one pay page in a complete process, beside as many streams of `node:http` alone. */
export async function benchStreams(print: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const server = await startEmbedded(directory)
  const running: RunningGateway[] = []
  try {
    await ensureDatabase(server.ownerUrl(), 'streams')
    const at = { dataDir: directory, ownerUrl: server.ownerUrl('streams'), serviceUrl: server.serviceUrl('streams') }
    const start = async (file: URL, env: Record<string, string>) => {
      const started = await startGateway(file.pathname, env, at)
      running.push(started)
      return started
    }
    const limits = { PROCESS_ROLE: 'all', CONNECTIONS_PER_ADDRESS: '5000', PAY_STREAMS_PER_ADDRESS: '5000' }
    const service = await start(new URL('../../../services/gateway/src/main.ts', import.meta.url), limits)
    const floor = await start(new URL('./streams-floor.ts', import.meta.url), {})
    const link = await newLink(service.origin, await newKey(at.ownerUrl))
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

async function newLink(origin: string, key: string): Promise<string> {
  const answer = await request(`${origin}/v1/collections`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({
      ...{ type: 'link', title: 'Consulting', amount: '25', currency: 'USDC', destinationChainKey: 'base' },
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    }),
  })
  const { data } = (await answer.body.json()) as { data: { id: string } }
  return data.id
}
