import { mkdtempSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { hasTools } from '@payments/stand'
import { type Browser, chromium } from 'playwright-core'
import { startGateway, stopGateways } from './gateway.ts'
import { median } from './load.ts'
import { newKey } from './new-key.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15)
const SLOWDOWN = 4
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'

/**
 * First contentful paint of the pay page with a processor that is four times slower and an empty cache, beside a bare server
 * that sends the same bytes.
 */
export async function benchPaint(print: (line: string) => void): Promise<void> {
  if (!hasTools('chromium')) return
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const server = await startEmbedded(directory, {})
  const running: Awaited<ReturnType<typeof startGateway>>[] = []
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  let floor: Server | undefined
  try {
    await ensureDatabase(server.ownerUrl(), 'paint')
    const [ownerUrl, serviceUrl] = [server.ownerUrl('paint'), server.serviceUrl('paint')]
    const file = new URL('../../../services/gateway/src/main.ts', import.meta.url).pathname
    const service = await startGateway(file, { PROCESS_ROLE: 'all' }, { dataDir: directory, ownerUrl, serviceUrl })
    running.push(service)
    const path = `/pay/${await newSession(service.origin, await newKey(ownerUrl))}`
    floor = await sameBytes(service.origin, path)
    const pages = { page: service.origin, floor: `http://127.0.0.1:${(floor.address() as AddressInfo).port}` }
    const paints: Record<keyof typeof pages, number[]> = { page: [], floor: [] }
    for (const origin of Object.values(pages)) await paintOf(browser, `${origin}${path}`)
    for (let round = 0; round < ROUNDS; round++)
      for (const name of round % 2 ? (['page', 'floor'] as const) : (['floor', 'page'] as const))
        paints[name].push(await paintOf(browser, `${pages[name]}${path}`))
    const [page, bare] = [median(paints.page), median(paints.floor)]
    print(
      `  first contentful paint: pay page ${page.toFixed(0)} ms, the same bytes from a bare server ${bare.toFixed(0)} ms, ratio ${(page / bare).toFixed(2)} (goal 1.30)`,
    )
  } finally {
    await browser.close()
    floor?.close()
    await stopGateways(running)
    await server.destroy()
  }
}

async function newSession(origin: string, key: string): Promise<string> {
  const send = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const reply = await fetch(`${origin}/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return ((await reply.json()) as { data: { id: string } }).data
  }
  const link = await send(
    '/collections',
    {
      type: 'link',
      title: 'Bench',
      amount: '25',
      currency: 'USDC',
      destinationChainKey: 'base',
      destinationAddress: WALLET,
    },
    { authorization: `Bearer ${key}`, 'idempotency-key': 'paint' },
  )
  const session = await send(`/pay/${link.id}`, { action: 'start', networkKey: 'ethereum', currency: 'USDC' })
  return session.id
}

/** A server that does nothing but send the page and its script, with the same headers. */
async function sameBytes(origin: string, path: string): Promise<Server> {
  const files = new Map<string, { body: Buffer; headers: Record<string, string> }>()
  for (const each of [path, '/pay/page.js']) {
    const reply = await fetch(`${origin}${each}`)
    const [type, policy] = [reply.headers.get('content-type'), reply.headers.get('content-security-policy')]
    files.set(each, {
      body: Buffer.from(await reply.arrayBuffer()),
      headers: { 'content-type': type ?? '', ...(policy ? { 'content-security-policy': policy } : {}) },
    })
  }
  const server = createServer((request, response) => {
    const found = files.get(request.url ?? '')
    response.writeHead(found ? 200 : 404, found?.headers).end(found?.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const FIRST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) => {
  const paint = list.getEntriesByName('first-contentful-paint')[0]
  if (paint) resolve(paint.startTime)
}).observe({ type: 'paint', buffered: true }))`

async function paintOf(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    const debug = await context.newCDPSession(page)
    await debug.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
    await page.goto(url)
    return await page.evaluate<number>(FIRST_PAINT)
  } finally {
    await context.close()
  }
}
