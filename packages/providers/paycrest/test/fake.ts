import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Random } from '#testing'
import { arrive, type Fees, type Kept, move, newOrder, type Outcome, onCreation, onWire, type Wire } from './book.ts'
import { dec } from './decimals.ts'
import { CURRENCIES, INSTITUTIONS, TOKENS } from './listing.ts'
import { seededAnswers } from './seeded.ts'

export const SECRET = 'paycrest-secret'

/** How the server fails: an HTTP status with a body, a truncated body, a late response, or none; after doing its work, or instead. */
export type Fault =
  | { status: number; body?: string; headers?: Record<string, string> }
  | { lateMs: number }
  | 'truncated'
  | 'silent'

export interface FakeOptions {
  readonly tls?: { key: string; cert: string } | undefined
  /** Answers omit, repeat, reorder and delay what they may: see `seeded.ts`. */
  readonly random?: Random | undefined
  /** Outcomes by account number. */
  readonly outcomes: Readonly<Record<string, Outcome>>
  /** Account numbers that do not exist. */
  readonly missing: readonly string[]
}

export interface Fake {
  readonly url: string
  readonly orders: Kept[]
  readonly calls: { line: string; query: URLSearchParams; body: Wire; key: string | undefined }[]
  readonly rates: Record<string, string>
  readonly fees: Fees
  /** What the bank answers, by account number. */
  readonly holders: Map<string, string>
  /** Failures of the next responses, in this order. */
  fail(...faults: Fault[]): void
  /** Changes an order before it is sent. */
  distort: (order: Wire) => Wire
  /** Called for each call that `fail` has no failure for. */
  spoil: (line: string) => Fault | undefined
  order(reference: string): Kept
  /** The payer's money arrives: decimal text. */
  receive(reference: string, amount: string): void
  /** Moves paid orders by one step. */
  step(): void
  /** The bytes and the signature of a callback for an order. */
  callback(order: Kept, event: string, options?: { newline?: boolean }): { body: Buffer; signature: string }
  close(): Promise<void>
}

/** Keys and the accounts (sender profiles) that they belong to. Two keys of one account: one was made anew. */
const KEYS: Readonly<Record<string, string>> = {
  'paycrest-key': 'one',
  'paycrest-key-made-anew': 'one',
  'paycrest-key-of-another': 'two',
}

/** A server on loopback that behaves as version 2 of Paycrest's does: `book.ts` says where each rule is from. */
export async function startFake(options: FakeOptions): Promise<Fake> {
  const orders: Kept[] = []
  const calls: Fake['calls'] = []
  const faults: Fault[] = []
  const seeded = options.random && seededAnswers(options.random)
  const listener: RequestListener = (req, res) => void answer(req, res)
  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener)

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const url = new URL(req.url ?? '/', 'http://paycrest')
    const body = chunks.length > 0 ? (JSON.parse(Buffer.concat(chunks).toString('utf8')) as Wire) : {}
    const line = `${req.method} ${url.pathname}`
    const key = req.headers['api-key']?.toString()
    calls.push({ line, query: url.searchParams, body, key })
    const fault = faults.shift() ?? fake.spoil(line)
    if (typeof fault === 'object' && 'status' in fault)
      return void res
        .writeHead(fault.status, fault.headers)
        .end(fault.body ?? '{"status":"error","message":"secret detail","data":null}')
    const [status, reply] = answerTo(line, url.searchParams, body, key)
    // Silent or late, the work is done: only the answer is lost.
    if (fault === 'silent') return
    if (typeof fault === 'object') await new Promise((resolve) => setTimeout(resolve, fault.lateMs))
    const said = JSON.stringify(reply)
    res.writeHead(status, { 'content-type': 'application/json' })
    res.end(fault === 'truncated' ? said.slice(0, said.length - 5) : said)
  }

  const success = (data: unknown): [number, Wire] => [200, { status: 'success', message: 'OK', data }]
  const error = (status: number, message: string): [number, Wire] => [status, { status: 'error', message, data: null }]
  const refused = (field: string, message: string, list = false): [number, Wire] => {
    const one = { field, message }
    return [400, { status: 'error', message: 'Failed to validate payload', data: list ? [one] : one }]
  }
  /**
   * controllers/sender/sender.go: lists, searches and single orders are those of the key's sender profile, and leave out cancelled ones
   * (`StatusNEQ(StatusCancelled)`).
   */
  const visible = (account: string) =>
    orders.filter((order) => order.status !== 'cancelled' && order.account === account)

  function answerTo(line: string, query: URLSearchParams, body: Wire, key: string | undefined): [number, Wire] {
    const part = (number: number) => decodeURIComponent(line.split('/')[number] ?? '')
    // routers/middleware: orders of a sender need a key that exists; the rest is public.
    const account = KEYS[key ?? ''] ?? ''
    if (line.includes('/sender/') && !account) return error(401, 'Invalid API key or token')
    if (line === 'GET /currencies')
      return success(
        CURRENCIES.map(({ code, decimals, rate }) => ({
          code,
          name: code,
          shortName: code,
          decimals,
          symbol: code,
          marketBuyRate: fake.rates[code] ?? rate,
          marketSellRate: code === 'GHS' ? '0' : (fake.rates[code] ?? rate),
        })),
      )
    if (line.startsWith('GET /institutions/')) return success(INSTITUTIONS[part(2)] ?? [])
    if (line === 'GET /tokens') return success(TOKENS[query.get('network') ?? ''] ?? [])
    if (line.startsWith('GET /rates/'))
      return success({
        sell: { rate: fake.rates[part(5)], providerIds: ['AbCdEfGh'], orderType: 'regular', refundTimeoutMinutes: 5 },
      })
    if (line === 'POST /verify-account') {
      const account = String(body.accountIdentifier)
      if (options.missing.includes(account)) return refused('AccountIdentifier', 'Account not found', true)
      return success(fake.holders.get(account) ?? (String(body.institution).slice(4, 6) === 'NG' ? 'OBI ADA' : 'OK'))
    }
    if (line === 'POST /sender/orders') return create(body, account)
    if (line === 'GET /sender/orders') {
      const [page, size] = [Number(query.get('page')), Number(query.get('pageSize'))]
      const all = visible(account).toReversed().map(onWire).map(fake.distort)
      return success({ total: all.length, page, pageSize: size, orders: all.slice((page - 1) * size, page * size) })
    }
    if (line.startsWith('GET /sender/orders/')) {
      const found = visible(account).find(({ id }) => id === part(3))
      if (!found) return error(404, 'Payment order not found')
      const now = onWire(found)
      return success(fake.distort(seeded ? seeded(found.id, now) : now))
    }
    if (line === 'GET /sender/webhooks') {
      const found = orders.find(({ id }) => id === query.get('order_id'))
      // Holds are onramps; some send no callback.
      const isTold = found?.direction === 'onramp' && found.outcome === 'held' && !found.silent && found.received > 0n
      const deliveries = isTold ? [{ event: query.get('event'), orderId: found.id }] : []
      return success({ total: deliveries.length, page: 1, pageSize: 100, deliveries })
    }
    // routers/index.go: what a wrong base URL gets.
    return error(404, 'Route Not Found')
  }

  function create(body: Wire, account: string): [number, Wire] {
    const reference = String(body.reference)
    if (!/^[a-zA-Z0-9\-_]+$/.test(reference)) return refused('Reference', 'Reference must be alphanumeric')
    if (orders.some((order) => order.reference === reference && order.account === account))
      return refused('Reference', 'Reference already exists')
    const source = body.source as Wire
    const destination = body.destination as Wire
    const recipient = destination.recipient as Wire
    const currency = String(source.type === 'crypto' ? destination.currency : source.currency)
    const rate = fake.rates[currency] ?? '1'
    if (body.rate !== undefined && dec(String(body.rate)) !== dec(rate))
      return refused('Rate', 'Provided rate is not achievable')
    if (source.type === 'crypto' && !recipient.memo) return refused('Recipient', 'Memo is required')
    const outcome = options.outcomes[String(recipient.accountIdentifier ?? '')] ?? 'delivered'
    const order = newOrder(body, rate, fake.fees, outcome, account)
    orders.push(order)
    return [201, { status: 'success', message: 'Payment order initiated successfully', data: onCreation(order) }]
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const fake: Fake = {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    calls,
    rates: Object.fromEntries(CURRENCIES.map(({ code, rate }) => [code, rate])),
    fees: { networkFee: '0.05', senderFeePercent: '', senderFee: '0', maxFeeCap: '', protocolFee: '0.01' },
    holders: new Map(),
    spoil: () => undefined,
    distort: (order) => order,
    fail: (...more) => void faults.push(...more),
    order(reference) {
      const found = orders.find((order) => order.reference === reference)
      if (!found) throw new Error(`No order ${reference}`)
      return found
    },
    receive: (reference, amount) => arrive(fake.order(reference), dec(amount), fake.fees.maxFeeCap),
    step() {
      for (const order of orders.filter(({ received }) => received > 0n)) move(order, fake.fees.protocolFee)
    },
    callback(order, event, { newline = false } = {}) {
      const bytes = JSON.stringify({
        event,
        webhookVersion: '2',
        data: { ...onWire(order), direction: order.direction },
      })
      return {
        body: Buffer.from(newline ? `${bytes}\n` : bytes),
        signature: createHmac('sha256', SECRET).update(bytes).digest('hex'),
      }
    },
    close: async () => void (await Promise.all([server[Symbol.asyncDispose](), server.closeAllConnections()])),
  }
  return fake
}
