import { Agent, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Runtime } from '@payments/platform'
import { expect, onTestFinished, test } from 'vitest'
import { endAll, newMerchant, samples, startReceiver, startService, useService } from '#testing'
import { createMetrics } from './metrics.ts'
import { internalServer } from './server.ts'

const service = useService()

/** The internal server of a process with this runtime. */
function internal(
  runtime: Runtime,
  { stopping = false, listening = true }: { stopping?: boolean; listening?: boolean } = {},
) {
  const { server, ready } = internalServer(() => stopping)
  ready({ metrics: createMetrics(runtime), runtime, serves: () => listening })
  return server
}

/** Scrapes the metrics of a process with this runtime. */
async function scrape(runtime: Runtime): Promise<{ status: number; text: string }> {
  const server = internal(runtime)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`)
    return { status: answer.status, text: await answer.text() }
  } finally {
    server.close()
  }
}
const metricOf = (text: string, name: string) => Number(text.match(new RegExp(`^${name} (\\S+)$`, 'm'))?.[1])

test('a scrape reports by environment how late polls for deposits are and how many deposits are stuck', async () => {
  const merchant = await newMerchant(service)
  const created = await merchant.call('POST /v1/payment-routes', {
    body: {
      name: 'Treasury',
      originChainKey: 'ethereum',
      destinationChainKey: 'base',
      destinationCurrency: 'USDC',
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    },
  })
  const { id } = created.body.data
  const before = await scrape(service.runtime)
  expect(metricOf(before.text, 'payment_routes_overdue_seconds\\{environment="test"\\}')).toBe(0)
  await merchant.call(`POST /v1/sandbox/payment-routes/${id}/deposits`, { body: { amount: '1' } })
  await merchant.call(`POST /v1/payment-routes/${id}/deposits/sync`)
  const { pool } = service.runtime
  await pool.query("update payment_route_polls set next_poll_at = now() - interval '500 seconds', poll_seconds = 3600")
  await pool.query("update payment_route_deposits set created_at = now() - interval '61 minutes'")
  const { status, text } = await scrape(service.runtime)
  expect(status).toBe(200)
  const overdue = metricOf(text, 'payment_routes_overdue_seconds\\{environment="test"\\}')
  expect(overdue).toBeGreaterThanOrEqual(500)
  expect(overdue).toBeLessThan(560)
  expect(metricOf(text, 'payment_routes_overdue_seconds\\{environment="live"\\}')).toBe(0)
  expect(metricOf(text, 'payment_route_deposits_stuck\\{environment="test"\\}')).toBe(1)
  expect(metricOf(text, 'payment_route_deposits_stuck\\{environment="live"\\}')).toBe(0)
})

test('a scrape reports how long calls of a provider took, how long objects stayed in a status, and when events arrived', async () => {
  const receiver = await startReceiver()
  const watched = await startService({ worker: true, settings: { WEBHOOK_DEV_TARGETS: receiver.origin } })
  onTestFinished(() => endAll(watched, receiver))
  const merchant = await newMerchant(watched)
  await merchant.call('POST /v1/webhooks', { body: { url: receiver.url } })
  const { id } = (await merchant.call(`POST ${samples.swap.path}`, { body: samples.swap.body() })).body.data
  await merchant.call(`POST /v1/swaps/${id}/cancel`)
  await receiver.until((all) => all.length >= 2)
  const count = async (series: string) => metricOf((await scrape(watched.runtime)).text, series)
  const labels = (given: Record<string, string>) =>
    Object.entries(given)
      .map(([name, value]) => `${name}="${value}"`)
      .join()
  const call = labels({ environment: 'test', provider: 'sandbox swaps', operation: 'quote', outcome: 'succeeded' })
  expect(await count(`provider_call_duration_seconds_count\\{${call}\\}`)).toBeGreaterThan(0)
  const { status } = (await merchant.call(`GET /v1/swaps/${id}`)).body.data
  const moves = labels({ environment: 'test', object: 'swaps', provider: 'sandbox' })
  expect(await count(`object_status_seconds_count\\{${moves},status="\\w+",next="${status}"\\}`)).toBeGreaterThan(0)
  await expect.poll(() => count('webhook_arrival_seconds_count\\{environment="test"\\}')).toBeGreaterThan(0)
})

test('the internal server reports whether the process lives and whether it can serve requests', async () => {
  const probe = async (runtime: Runtime, path: string, state: { stopping?: boolean; listening?: boolean } = {}) => {
    const server = internal(runtime, state)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      return (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)).status
    } finally {
      server.close()
    }
  }
  const withPool = (connect: () => Promise<never>) =>
    ({ ...service.runtime, priorityPool: { connect } }) as unknown as Runtime
  const down = withPool(() => Promise.reject(new Error('gone')))
  const hanging = withPool(() => new Promise(() => undefined))
  expect([await probe(service.runtime, '/livez'), await probe(service.runtime, '/readyz')]).toEqual([200, 200])
  expect([await probe(down, '/livez'), await probe(down, '/readyz'), await probe(hanging, '/readyz')]).toEqual([
    200, 503, 503,
  ])
  expect(await probe(service.runtime, '/readyz', { stopping: true })).toBe(503)
  expect(await probe(service.runtime, '/readyz', { listening: false })).toBe(503)
  expect(await probe(service.runtime, '/v1/customers')).toBe(404)
})

test('a process that is still starting lives, and is neither ready nor scraped', async () => {
  const { server } = internalServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
    return [answer.status, ((await answer.json()) as { problem?: string }).problem]
  }
  try {
    expect(await ask('/livez')).toEqual([200, undefined])
    expect(await ask('/readyz')).toEqual([503, 'starting'])
    expect(await ask('/metrics')).toEqual([503, 'starting'])
  } finally {
    server.close()
  }
})

test('a stop does not wait for a probe that asks again and again over one connection', async () => {
  const server = internal(service.runtime)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = () =>
    new Promise<boolean>((resolve) => {
      const request = get({ port, host: '127.0.0.1', path: '/readyz', agent }, (reply) => {
        reply.resume().on('end', () => resolve(true))
      })
      request.on('error', () => resolve(false))
    })
  try {
    expect(await ask()).toBe(true)
    let answers = 0
    const closed = new Promise<string>((resolve) => {
      // It is closed while an answer is under way, as a probe that asks all the time makes likely.
      server.once('request', () => server.close(() => resolve('closed')))
    })
    const asking = (async () => {
      while (answers < 200 && (await ask())) answers++
      return 'still open'
    })()
    expect(await Promise.race([closed, asking])).toBe('closed')
    expect(answers).toBeLessThan(200)
  } finally {
    agent.destroy()
    server.closeAllConnections()
  }
})

test('without the database a scrape still returns the metrics of the process', async () => {
  const pool = { query: () => Promise.reject(new Error('gone')) }
  const { status, text } = await scrape({ ...service.runtime, pool } as unknown as Runtime)
  expect(status).toBe(200)
  expect(text).toContain('process_resident_memory_bytes')
  expect(text).not.toContain('payment_routes_overdue_seconds{')
})
