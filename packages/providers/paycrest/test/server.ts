import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fiatConversions } from '@payments/fiat'
import { assetOf, toDecimal } from '@payments/kernel'
import { type FiatWorld, fiatAccounts } from '#testing'
import { unitsOf } from '../src/amounts.ts'
import type { PaycrestOptions } from '../src/client.ts'
import { paycrest } from '../src/paycrest.ts'

export const SECRET = 'paycrest-secret'

type Outcome = 'delivered' | 'refunded' | 'returned' | 'held' | 'cancelled'

/** An order as the server keeps it. Amounts of `wire` are decimal text. */
interface Kept {
  readonly id: string
  readonly reference: string
  readonly direction: 'offramp' | 'onramp'
  status: string
  outcome: Outcome
  readonly body: Wire
  readonly wire: Wire
  amountPaid: string
  amountReturned: string
  /** Payouts of the bank, or deliveries of tokens. */
  payouts: number
}

/** How the server fails: an HTTP status with a body, a truncated body, a late response, or none; after doing its work, or instead. */
export type Fault =
  | { status: number; body?: string; headers?: Record<string, string> }
  | { lateMs: number }
  | 'truncated'
  | 'silent'

type Wire = Record<string, unknown>

export interface PaycrestServer extends FiatWorld {
  readonly url: string
  readonly orders: Kept[]
  readonly calls: { line: string; query: URLSearchParams; body: Wire; key: string | undefined }[]
  readonly rates: Record<string, string>
  /** Added to every order, in tokens. */
  transactionFee: string
  /** What the bank answers, by account number. */
  readonly holders: Map<string, string>
  /** Failures of the next responses, in this order. */
  fail(...faults: Fault[]): void
  /** Changes an order before it is sent. */
  distort: (order: Wire) => Wire
  /** Called for each call that `fail` has no failure for. */
  spoil: (line: string) => Fault | undefined
  order(reference: string): Kept
  /** Moves paid orders by one step. */
  step(): void
  /** The bytes and the signature of a callback for an order. */
  callback(order: Kept, event: string, options?: { newline?: boolean }): { body: Buffer; signature: string }
  close(): Promise<void>
}

const CURRENCIES = [
  { code: 'NGN', decimals: 2, rate: '1580.25' },
  { code: 'KES', decimals: 2, rate: '129.05' },
  { code: 'UGX', decimals: 0, rate: '3650.5' },
  { code: 'GHS', decimals: 2, rate: '12.5' },
]
const INSTITUTIONS: Record<string, Wire[]> = {
  NGN: [
    { name: 'Guaranty Trust Bank', code: 'GTBINGLA', type: 'bank' },
    { name: 'Zenith Bank', code: 'ZEIBNGLA', type: 'bank' },
    { name: 'OPay', code: 'OPAYNGPC', type: 'mobile_money' },
    { name: 'Another Bank', code: 'WEMANGLA', type: 'bank' },
    { name: 'Bank without a code', code: 'NOCBNGPC', type: 'bank' },
  ],
  KES: [
    { name: 'Equity Bank', code: 'EQBLKENA', type: 'bank' },
    { name: 'M-PESA', code: 'SAFAKEPC', type: 'mobile_money' },
  ],
  UGX: [{ name: 'MTN', code: 'MOMOUGPC', type: 'mobile_money' }],
  GHS: [],
}
const TOKENS: Record<string, Wire[]> = Object.fromEntries(
  ['ethereum', 'base', 'arbitrum-one', 'polygon', 'tron'].map((network) => [
    network,
    ['USDC', 'USDT', 'cNGN'].map((symbol) => ({
      symbol,
      decimals: 6,
      network,
      baseCurrency: 'USD',
      contractAddress: '0x1',
    })),
  ]),
)

const STEPS: Record<string, readonly string[]> = {
  offramp: ['deposited', 'pending', 'fulfilling', 'fulfilled', 'validated', 'settling', 'settled'],
  onramp: ['pending', 'fulfilling', 'fulfilled', 'validated', 'settling', 'settled'],
}

/** A server on loopback that speaks version 2 of Paycrest's documented wire format, with the adapter talking to it. */
export async function startPaycrest(
  options: Partial<PaycrestOptions> & { tls?: { key: string; cert: string } } = {},
): Promise<PaycrestServer> {
  const { tls, ...given } = options
  const orders: Kept[] = []
  const calls: PaycrestServer['calls'] = []
  const faults: Fault[] = []
  const listener: RequestListener = (req, res) => void answer(req, res)
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const url = new URL(req.url ?? '/', 'http://paycrest')
    const body = chunks.length > 0 ? (JSON.parse(Buffer.concat(chunks).toString('utf8')) as Wire) : {}
    const line = `${req.method} ${url.pathname}`
    calls.push({ line, query: url.searchParams, body, key: req.headers['api-key']?.toString() })
    const fault = faults.shift() ?? world.spoil(line)
    if (typeof fault === 'object' && 'status' in fault)
      return void res
        .writeHead(fault.status, fault.headers)
        .end(fault.body ?? '{"status":"error","message":"secret detail","data":null}')
    const [status, reply] = answerTo(line, url.searchParams, body)
    // Silent or late, the work is done: only the answer is lost.
    if (fault === 'silent') return
    if (typeof fault === 'object') await new Promise((resolve) => setTimeout(resolve, fault.lateMs))
    const said = JSON.stringify(reply)
    res.writeHead(status, { 'content-type': 'application/json' })
    res.end(fault === 'truncated' ? said.slice(0, said.length - 5) : said)
  }

  const success = (data: unknown): [number, Wire] => [200, { status: 'success', message: 'OK', data }]
  const refused = (field: string, message: string, list = false): [number, Wire] => {
    const one = { field, message }
    return [400, { status: 'error', message: 'Failed to validate payload', data: list ? [one] : one }]
  }

  function answerTo(line: string, query: URLSearchParams, body: Wire): [number, Wire] {
    const part = (number: number) => decodeURIComponent(line.split('/')[number] ?? '')
    if (line === 'GET /currencies')
      return success(
        CURRENCIES.map(({ code, decimals, rate }) => ({
          code,
          name: code,
          shortName: code,
          decimals,
          symbol: code,
          marketBuyRate: world.rates[code] ?? rate,
          marketSellRate: code === 'GHS' ? '0' : (world.rates[code] ?? rate),
        })),
      )
    if (line.startsWith('GET /institutions/')) return success(INSTITUTIONS[part(2)] ?? [])
    if (line === 'GET /tokens') return success(TOKENS[query.get('network') ?? ''] ?? [])
    if (line.startsWith('GET /rates/'))
      return success({
        sell: { rate: world.rates[part(5)], providerIds: ['AbCdEfGh'], orderType: 'regular', refundTimeoutMinutes: 5 },
      })
    if (line === 'POST /verify-account') {
      const holder = world.holders.get(String(body.accountIdentifier))
      if (holder === '') return refused('AccountIdentifier', 'Account not found', true)
      return success(holder ?? (String(body.institution).slice(4, 6) === 'NG' ? 'OBI ADA' : 'OK'))
    }
    if (line === 'POST /sender/orders') return create(body)
    if (line === 'GET /sender/orders') {
      const [page, size] = [Number(query.get('page')), Number(query.get('pageSize'))]
      const all = orders.toReversed().map(onWire)
      return success({ total: all.length, page, pageSize: size, orders: all.slice((page - 1) * size, page * size) })
    }
    if (line.startsWith('GET /sender/orders/')) {
      const found = orders.find(({ id }) => id === part(3))
      return found
        ? success(world.distort(onWire(found)))
        : [404, { status: 'error', message: 'Payment order not found', data: null }]
    }
    if (line === 'GET /sender/webhooks') {
      const found = orders.find(({ id }) => id === query.get('order_id'))
      const total = found?.outcome === 'held' && Number(found.amountPaid) > 0 ? 1 : 0
      return success({ total, page: 1, pageSize: 1, deliveries: [] })
    }
    return [404, { status: 'error', message: 'Not found', data: null }]
  }

  function create(body: Wire): [number, Wire] {
    const reference = String(body.reference)
    if (!/^[a-zA-Z0-9\-_]+$/.test(reference)) return refused('Reference', 'Reference must be alphanumeric')
    if (orders.some((order) => order.reference === reference)) return refused('Reference', 'Reference already exists')
    const source = body.source as Wire
    const destination = body.destination as Wire
    const recipient = destination.recipient as Wire
    const direction = source.type === 'crypto' ? ('offramp' as const) : ('onramp' as const)
    const currency = String(direction === 'offramp' ? destination.currency : source.currency)
    const rate = world.rates[currency] ?? '1'
    if (body.rate !== undefined && Number(body.rate) !== Number(rate))
      return refused('Rate', 'Provided rate is not achievable')
    if (direction === 'offramp' && !recipient.memo) return refused('Recipient', 'Memo is required')
    const validUntil = new Date(Date.now() + 300_000).toISOString()
    const tokens =
      direction === 'offramp'
        ? String(body.amount)
        : text(fiatConversions.bought(unitsOf(String(body.amount), currency), currency, 'USDC', rate), 'USDC')
    const account = String(recipient.accountIdentifier ?? '')
    const kept: Kept = {
      id: randomUUID(),
      reference,
      direction,
      status: 'initiated',
      outcome:
        account === fiatAccounts.refunded ? 'refunded' : account === fiatAccounts.returned ? 'returned' : 'delivered',
      body,
      amountPaid: '0',
      amountReturned: '0',
      payouts: 0,
      wire: {
        orderType: 'regular',
        timestamp: new Date().toISOString(),
        // Numerals come with trailing zeros.
        amount: padded(tokens),
        rate,
        senderFee: '0',
        senderFeePercent: '0',
        transactionFee: world.transactionFee,
        reference,
        source,
        destination,
        providerAccount:
          direction === 'offramp'
            ? { network: source.network, receiveAddress: `0x${randomBytes(20).toString('hex')}`, validUntil }
            : {
                institution: 'Zenith Bank',
                accountIdentifier: '9012345678',
                accountName: 'Paycrest',
                amountToTransfer: String(body.amount),
                currency,
                validUntil,
              },
      },
    }
    orders.push(kept)
    return [
      201,
      {
        status: 'success',
        message: 'Payment order initiated successfully',
        data: { id: kept.id, status: kept.status, ...kept.wire },
      },
    ]
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
  const world: PaycrestServer = {
    url,
    orders,
    calls,
    rates: Object.fromEntries(CURRENCIES.map(({ code, rate }) => [code, rate])),
    transactionFee: '0.05',
    holders: new Map([[fiatAccounts.refunded, '']]),
    spoil: () => undefined,
    distort: (order) => order,
    provider: paycrest({
      baseUrl: url,
      apiKey: 'paycrest-key',
      apiSecret: SECRET,
      requestsPerMinute: 600,
      maxOrder: 10_000,
      timeoutMs: 10_000,
      retryMs: 1,
      restMs: 50,
      ...given,
    }),
    fail: (...more) => void faults.push(...more),
    order(reference) {
      const found = orders.find((order) => order.reference === reference)
      if (!found) throw new Error(`No order ${reference}`)
      return found
    },
    async pay(reference, amount) {
      const order = world.order(reference)
      const expired = order.status === 'expired'
      order.amountPaid = order.direction === 'offramp' ? text(amount, 'USDC') : String(order.wire.amount)
      if (!expired) order.status = order.direction === 'offramp' ? 'deposited' : 'fulfilling'
    },
    step() {
      for (const order of orders.filter(({ amountPaid }) => Number(amountPaid) > 0)) move(order)
    },
    async settle() {
      for (const order of orders.filter(({ amountPaid }) => Number(amountPaid) > 0)) {
        const before = order.status
        while (
          !['settled', 'refunded', 'refunding', 'cancelled', 'expired'].includes(order.status) &&
          order.outcome !== 'held'
        )
          move(order)
        if (before === 'refunding') move(order)
      }
    },
    async expire() {
      for (const order of orders) if (order.status === 'initiated') order.status = 'expired'
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
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return world
}

const text = (units: bigint, symbol: string): string => toDecimal(units, assetOf(symbol) ?? { symbol, decimals: 0 })
const padded = (amount: string): string => (amount.includes('.') ? `${amount}00` : `${amount}.00`)

/** One step of a paid order on its way to its outcome. */
function move(order: Kept): void {
  const { outcome, status } = order
  if (['settled', 'refunded', 'cancelled', 'expired'].includes(status)) return
  if (outcome === 'held') {
    order.status = 'pending'
    return
  }
  if (status === 'refunding') {
    order.status = 'refunded'
    order.amountReturned = order.amountPaid
    return
  }
  const fails = outcome === 'returned' ? status === 'fulfilled' : outcome !== 'delivered' && status === 'pending'
  if (fails || (outcome !== 'delivered' && order.direction === 'onramp')) {
    order.status = outcome === 'cancelled' ? 'cancelled' : 'refunding'
    return
  }
  const steps = STEPS[order.direction] ?? []
  order.status = steps[steps.indexOf(status) + 1] ?? status
  if (order.status === 'validated') order.payouts++
}

const onWire = (order: Kept): Wire => ({
  ...order.wire,
  id: order.id,
  status: order.status,
  direction: order.direction,
  amountPaid: order.amountPaid,
  amountReturned: order.amountReturned,
  amountInUsd: order.wire.amount,
  percentSettled: '0',
  txHash: `0x${order.id.replaceAll('-', '')}`,
  createdAt: order.wire.timestamp,
  updatedAt: order.wire.timestamp,
})
