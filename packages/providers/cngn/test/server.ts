import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type CngnWorld, REFUSED } from '#testing'
import type { CngnOptions } from '../src/client.ts'
import { cngnMerchant } from '../src/cngn.ts'
import { seedOf, x25519Of } from '../src/keys.ts'
import { newKey, seal, unseal } from './seal.ts'

/** How the server fails. `lost`: it does what it was asked, and the answer does not arrive. */
export type Fault =
  | { readonly status: number; readonly message: string; readonly flag?: boolean }
  | { readonly lateMs: number }
  | 'truncated'
  | 'lost'
  | 'silent'

type Wire = Record<string, unknown>

/** A transaction as the API lists it. */
interface Listed extends Wire {
  id: string
  trx_ref: string
  trx_type: string
  status: string
  amount: string
  description: string
  receiver: Wire | string | null
  createdAt: string
}

export interface CngnServer extends CngnWorld {
  readonly url: string
  readonly key: ReturnType<typeof newKey>
  readonly encryptionKey: string
  readonly apiKey: string
  /** Every call: method, path and decrypted body. */
  readonly calls: { line: string; body: Wire; at: number; idempotencyKey: string | undefined }[]
  /** Every movement, newest first on the wire. */
  readonly transactions: Listed[]
  /** Failures of the next calls, in this order. */
  fail(...faults: Fault[]): void
  /** Called for each call that `fail` has no failure for. */
  spoil: (line: string) => Fault | undefined
  /** Changes a page before it is sent. */
  distort: (page: Listed[]) => Wire[]
  /** Answers are sealed for the merchant's key, or sent in clear. */
  sealed: boolean
  /** Calls that it allows in any minute; it blocks a key that makes more. */
  limit: number
  readonly networks: Wire[]
  /** Answers that it sent with 429. */
  blocked: number
  /** The headers and body of a callback that it signs. */
  callback(body: Wire): { body: Buffer; header(name: string): string | undefined }
  close(): Promise<void>
}

const OPEN = new Set(['pending'])

/** A server on loopback that speaks the documented format of the cNGN merchant API, encryption included, with the adapter talking to it. */
export async function startCngn(
  options: Partial<CngnOptions> & { tls?: { key: string; cert: string } } = {},
): Promise<CngnServer> {
  const { tls, ...given } = options
  const faults: Fault[] = []
  const key = newKey()
  const encryptionKey = 'the encryption key of the dashboard'
  const apiKey = 'cngn_live_0123456789'
  const listener: RequestListener = (req, res) => void answer(req, res)
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const url = new URL(req.url ?? '/', 'http://cngn')
    const line = `${req.method} ${url.pathname.replace('/v1/api', '')}`
    const now = Date.now()
    const say = (status: number, body: unknown) => {
      res.setHeader('content-type', 'application/json')
      res.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
    }
    if (req.headers.authorization !== `Bearer ${apiKey}`)
      return say(400, { status: 400, message: 'Invalid token prefix' })
    if (world.calls.filter(({ at }) => at > now - 60_000).length >= world.limit) {
      world.blocked++
      return say(429, { status: 429, message: 'Too many requests' })
    }
    const raw = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : undefined
    const body = raw ? ((await unseal(raw, encryptionKey)) as Wire) : {}
    world.calls.push({ line, body, at: now, idempotencyKey: req.headers['idempotency-key']?.toString() })
    const fault = faults.shift() ?? world.spoil(line)
    if (fault === 'silent') return
    if (typeof fault === 'object' && 'status' in fault)
      return say(fault.status, { status: fault.flag ? false : fault.status, message: fault.message })
    if (typeof fault === 'object') await new Promise((resolve) => setTimeout(resolve, fault.lateMs))
    const single = line.startsWith('GET /withdraw/verify/')
      ? decodeURIComponent(line.split('/').at(-1) ?? '')
      : undefined
    const handler = single === undefined ? answers[line] : () => one(single)
    if (!handler) return say(404, { status: 404, message: 'Not found' })
    const said = handler(body, url.searchParams)
    if (said instanceof Refusal) return say(400, { status: 400, message: said.message })
    if (fault === 'lost') return void res.destroy()
    const data = world.sealed ? seal(said, key.publicKey) : said
    const text = JSON.stringify({ status: 200, message: 'Success', data })
    say(200, fault === 'truncated' ? text.slice(0, -7) : text)
  }

  class Refusal {
    readonly message: string
    constructor(message: string) {
      this.message = message
    }
  }

  const keep = (given: Pick<Listed, 'trx_type' | 'amount' | 'description' | 'receiver'> & Wire): Listed => {
    const kept: Listed = {
      id: randomUUID(),
      from: 'merchant',
      trx_ref: randomUUID(),
      network: null,
      asset_type: 'fiat',
      asset_symbol: 'CNGN',
      base_trx_hash: null,
      extl_trx_hash: null,
      explorer_link: null,
      status: 'pending',
      createdAt: new Date().toISOString(),
      ...given,
    }
    world.transactions.push(kept)
    return kept
  }
  const money = (value: unknown) => Number(value).toString()

  const answers: Record<string, (body: Wire, query: URLSearchParams) => unknown> = {
    'GET /balance': () => [{ asset_type: 'fiat', asset_code: 'CNGN', balance: balance() }],
    'GET /banks': () => [
      { name: 'Guaranty Trust Bank', code: '058', slug: 'gtb', country: 'NG', nibss_bank_code: '000013' },
      { name: 'Access Bank', code: '044', slug: 'access', country: 'NG', nibss_bank_code: '000014' },
    ],
    'GET /networks': () => world.networks,
    'POST /account/verify': ({ accountNumber, bankCode }) =>
      accountNumber === '9999999999'
        ? new Refusal('Could not resolve account details')
        : { accountNumber, account_name: 'OBI ADA', bankCode },
    'POST /virtual-account/temporary': ({ amount, narration }) =>
      Number(amount) < 100
        ? new Refusal('amount: Minimum amount is 100')
        : {
            reference: `DEP-${randomUUID()}`,
            paymentReference: randomUUID(),
            amount,
            amountExpected: amount,
            ...{ fee: 0, vat: 0, currency: 'NGN', status: 'pending', narration },
            ...{ accountNumber: newNumber(), accountName: 'Merchant', bankName: 'Access Bank', bankCode: '044' },
            expiresAt: new Date(Date.now() + 1_800_000).toISOString(),
          },
    'POST /redeemAsset': ({ amount, bankCode, accountNumber }) => {
      if (Number(amount) > Number(balance())) return new Refusal('Insufficient balance')
      const { trx_ref } = keep({
        ...{ trx_type: 'redeem', amount: money(amount), description: 'Redemption' },
        receiver: { bank: String(bankCode), accountNumber: String(accountNumber) },
      })
      return { trxRef: trx_ref, address: '0x0' }
    },
    'POST /withdraw': ({ amount, address, networkId }) => {
      if (Number(amount) > Number(balance())) return new Refusal('Insufficient balance')
      const { trx_ref } = keep({
        ...{ trx_type: 'withdrawal', amount: money(amount), description: 'Withdrawal', network: networkId },
        receiver: { address: String(address) },
      })
      return { trxRef: trx_ref, address }
    },
    'GET /transactions': (_body, query) => {
      const [page, limit] = [Number(query.get('page') ?? 1), Math.min(Number(query.get('limit') ?? 10), 100)]
      const all = world.transactions.toReversed()
      const pages = Math.max(1, Math.ceil(all.length / limit))
      return {
        data: world.distort(all.slice((page - 1) * limit, page * limit).map((each) => ({ ...each }))),
        pagination: {
          count: all.length,
          pages,
          isLastPage: page >= pages,
          nextPage: page < pages ? page + 1 : null,
          previousPage: null,
        },
      }
    },
  }

  const one = (reference: string) =>
    world.distort(world.transactions.filter(({ trx_ref }) => trx_ref === reference))[0] ??
    new Refusal('Transaction not found')

  /** Millionths, so that sums are exact. */
  const balance = (): string => {
    const units = world.transactions.reduce((sum, { trx_type, status, amount }) => {
      const value = BigInt(Math.round(Number(amount) * 1e6))
      if (trx_type === 'deposit') return status === 'success' ? sum + value : sum
      return status === 'failed' ? sum : sum - value
    }, 0n)
    return `${units / 1_000_000n}.${String(units % 1_000_000n).padStart(6, '0')}`
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/v1/api`
  const world: CngnServer = {
    url,
    key,
    encryptionKey,
    apiKey,
    account: 'merchant',
    calls: [],
    transactions: [],
    spoil: () => undefined,
    distort: (page) => page,
    sealed: true,
    limit: 1_000_000,
    blocked: 0,
    networks: [
      { id: randomUUID(), name: 'Base', short_name: 'BASE', isDisabled: false, blockchain: null },
      { id: randomUUID(), name: 'Ethereum', short_name: 'ETH', isDisabled: false, blockchain: null },
      { id: randomUUID(), name: 'Polygon', short_name: 'MATIC', isDisabled: true, blockchain: null },
    ],
    provider: cngnMerchant({
      baseUrl: url,
      apiKey,
      encryptionKey,
      secret: x25519Of(seedOf(key.pem)),
      webhookSecret: 'callback secret',
      requestsPerMinute: 20,
      timeoutMs: 2000,
      ...given,
    }),
    fail: (...more) => void faults.push(...more),
    async pay(narration, amount) {
      keep({
        ...{
          trx_type: 'deposit',
          amount: (Number(amount) / 1e6).toString(),
          description: `Transfer from ADA OBI ${narration}/0001`,
        },
        ...{ receiver: null, asset_symbol: 'NGN' },
      })
    },
    async settle() {
      for (const one of world.transactions.filter(({ status }) => OPEN.has(status))) {
        const refused = typeof one.receiver === 'object' && one.receiver?.accountNumber === REFUSED
        one.status = refused ? 'failed' : 'success'
        if (one.trx_type === 'withdrawal') one.extl_trx_hash = `0x${randomBytes(32).toString('hex')}`
      }
    },
    callback(body) {
      const bytes = Buffer.from(JSON.stringify(body))
      const signature = `sha256=${createHmac('sha256', 'callback secret').update(bytes).digest('hex')}`
      return { body: bytes, header: (name) => (name.toLowerCase() === 'x-cngn-signature' ? signature : undefined) }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return world
}

const newNumber = () => String(randomBytes(5).readUIntBE(0, 5)).padStart(10, '0').slice(-10)
