import { readFileSync } from 'node:fs'
import { Agent, type ClientRequest, get } from 'node:http'
import type { RunningGateway } from './gateway.ts'

/** Streams that are opened and closed before memory is measured, so that what a process allocates once is not counted. */
const WARM_UP = 300
const WATCHERS = 1000
const SETTLE_MS = 3000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Memory of a process that is in RAM, in bytes (Linux). */
const residentBytes = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)?.[1] ?? Number.NaN) * 1024

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
export async function bytesPerStream({ child }: RunningGateway, url: string): Promise<number> {
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
