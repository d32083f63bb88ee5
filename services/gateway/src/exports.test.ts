import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { runningSnapshots } from '@payments/platform'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connected, type Merchant, newMerchant, useService } from '#testing'

const service = useService()
/** More than the buffers of a socket hold, so that a client that reads nothing holds its export up. */
const ROWS = 20_000

/** An organisation with many transactions. */
async function busyMerchant(): Promise<Merchant> {
  const merchant = await newMerchant(service)
  const owner = await connected(service)
  await owner.query(
    `insert into transactions (id, organisation_id, environment, kind, status, destination, amount, currency, receipt, created_at, updated_at)
     select gen_random_uuid(), $1, 'test', 'swap', 'completed', repeat('destination ', 60), 1, 'USDC', '{}', now(), now() from generate_series(1, ${ROWS})`,
    [merchant.organisationId],
  )
  await owner.end()
  return merchant
}

const path = '/v1/transactions/export'
const headersOf = (merchant: Merchant) => ({ authorization: `Bearer ${merchant.key}` })

/** Asks for an export over a connection that is never read. */
async function unread(merchant: Merchant): Promise<Socket> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.pause()
  const [[name, value]] = Object.entries(headersOf(merchant)) as [[string, string]]
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\n${name}: ${value}\r\n\r\n`)
  return socket
}

let merchant: Merchant
afterEach(() => vi.useRealTimers())
beforeEach(async () => {
  merchant = await busyMerchant()
})

test('clients that leave, and requests for the headers alone, end no export of anybody else', async () => {
  for (let round = 0; round < 8; round++) {
    const head = await fetch(`${service.url}${path}`, { method: 'HEAD', headers: headersOf(merchant) })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    const leaving = new AbortController()
    const reply = await fetch(`${service.url}${path}`, { headers: headersOf(merchant), signal: leaving.signal })
    expect(reply.status).toBe(200)
    leaving.abort()
    await expect.poll(runningSnapshots).toBe(0)
  }
  const whole = await (await fetch(`${service.url}${path}`, { headers: headersOf(merchant) })).text()
  expect(whole.trim().split('\n')).toHaveLength(ROWS + 1)
  await expect.poll(runningSnapshots).toBe(0)
  const text = await (await fetch(`${service.internalUrl}/metrics`)).text()
  expect(text).toContain('exports_running 0')
})

test('readers that stall give their places to others, and their own end', async () => {
  const stalled = await Promise.all([unread(merchant), unread(merchant)])
  const others = await Promise.all([busyMerchant(), busyMerchant()])
  for (const other of others) stalled.push(await unread(other), await unread(other))
  await expect.poll(runningSnapshots).toBe(6)
  const late = await newMerchant(service)
  const ask = async () => (await fetch(`${service.url}${path}`, { headers: headersOf(late) })).status
  expect(await ask()).toBe(503)
  // Each stalls as soon as it has its first rows: until then, it waits for the database.
  let answered = 0
  for (let tries = 0; tries < 50 && answered !== 200; tries++) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 })
    answered = await ask()
    if (answered !== 200) await pause(100)
  }
  expect(answered).toBe(200)
  for (const socket of stalled) socket.destroy()
  await expect.poll(runningSnapshots).toBe(0)
})
