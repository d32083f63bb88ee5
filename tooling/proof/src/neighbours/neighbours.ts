import { setTimeout as sleep } from 'node:timers/promises'
import type { EventReceiver } from '@payments/stand'
import { call, type Sample, samples } from '@payments/stand'

/** An organisation that behaves. */
export interface Neighbour {
  readonly url: string
  readonly key: string
}

/** Milliseconds of each operation, and what failed. */
export interface Measured {
  readonly times: Map<string, number[]>
  readonly failures: string[]
}

const PAUSE_MS = 40
/** How long an event may take to the receiver before it counts as failed. */
const ARRIVAL_MS = 30_000

/** Ten organisations at their daily work for so many seconds, one request of each at a time, every reply checked. */
export async function measure(
  neighbours: readonly Neighbour[],
  receiver: EventReceiver,
  seconds: number,
): Promise<Measured> {
  const measured: Measured = { times: new Map(), failures: [] }
  const until = performance.now() + seconds * 1000
  await Promise.all(
    neighbours.map(async (own) => {
      while (performance.now() < until) await day(own, receiver, measured)
    }),
  )
  return measured
}

/** One pass over the domains. */
async function day(own: Neighbour, receiver: EventReceiver, { times, failures }: Measured): Promise<void> {
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const started = performance.now()
    try {
      const result = await work()
      times.set(name, [...(times.get(name) ?? []), performance.now() - started])
      return result
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`)
      return undefined
    } finally {
      await sleep(PAUSE_MS * (0.5 + Math.random()))
    }
  }
  const send = (line: string, status: number, body?: object, name = line) =>
    timed(name, async () => {
      const reply = await call(own, line, { token: own.key, body, signal: AbortSignal.timeout(20_000) })
      if (reply.status !== status) throw new Error(`${reply.status} ${reply.text.slice(0, 200)}`)
      return reply.data
    }) as Promise<{ id: string } | undefined>
  const make = ({ path, body }: Sample) => send(`POST ${path}`, 201, body())
  const customer = await make(samples.customer)
  if (customer) await send(`GET /v1/customers/${customer.id}`, 200, undefined, 'GET /v1/customers/{id}')
  const route = await make(samples.route)
  if (route) await timed('a webhook, after its commit', () => receiver.arrival(route.id, ARRIVAL_MS))
  await send('GET /v1/transactions', 200)
  for (const sample of [samples.swap, samples.offramp, samples.collection]) await make(sample)
  await send('GET /v1/notifications', 200)
}
