import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Random } from '#testing'
import { lies } from './lies.ts'
import { newKey, seal, unseal } from './seal.ts'

// The cNGN merchant API as its documents describe it, and nothing of what is checked against it. Sources, all in the public
// repository wrappedcbdc/docs_cNGN_api: guides/errors, guides/webhooks, guides/rate-limits, api-reference/*.

/** The account number to which no redemption succeeds. */
const NO_SUCCESS = '0000000000'

/**
 * How the server fails. `lost`: it does what it was asked, and the answer does not arrive. `keeps`: it answers an error and keeps what it
 * was asked (guides/errors: a 400 of an endpoint that moves money "does not guarantee the operation did not reach a partial state").
 */
export type Fault =
  | { readonly status: number; readonly message: string; readonly flag?: boolean; readonly keeps?: boolean }
  | { readonly lateMs: number }
  | 'truncated'
  | 'lost'
  | 'silent'

/** The keys of merchants, and whose they are: transactions, accounts and the balance are the merchant's (api-reference: "your account"). Two of one: its key was made anew. */
const KEYS: Readonly<Record<string, string>> = {
  cngn_live_0123456789: 'merchant',
  cngn_live_made_anew_0123456789: 'merchant',
  cngn_live_another_0123456789: 'another',
}

type Wire = Record<string, unknown>

/** A transaction as the API lists it. */
interface Listed extends Wire {
  readonly id: string
  trx_ref: string
  trx_type: string
  status: string
  amount: string
  description: string
  receiver: Wire | string | null
  createdAt: string
}

export interface FakeCngn {
  readonly url: string
  readonly key: ReturnType<typeof newKey>
  readonly encryptionKey: string
  readonly apiKey: string
  /** Every call: method, path and decrypted body. */
  readonly calls: { line: string; body: Wire; at: number; idempotencyKey: string | undefined }[]
  /** Every movement of every merchant, newest first on the wire. */
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
  /** The next redemptions and withdrawals are refused, as if the balance were too small. */
  short: number
  /** Its lists are empty, though complete. */
  empty: boolean
  /** In how many lists a movement is shown before its `trx_ref` is: the API's own types have it nullable. */
  lateReferences: number
  /**
   * What one-time accounts cost, naira: the payer is asked for `amountExpected`, "total including fees", and the merchant gets the amount
   * (api-reference/create-temporary-virtual-account, cNGN_api_skill reference/endpoints: amount 50000, fee 70, vat 5, amountExpected 50075).
   */
  fees: { readonly fee: number; readonly vat: number }
  /** Of a deposit: what the merchant got of it, minor units of cNGN; the list shows what was paid. Which of the two is open (providers.md). */
  netOf(reference: string): bigint
  /** From now on its lists omit optional fields, repeat, reorder and delay, all by these choices. It never invents a movement. */
  lie(random: Random): void
  /** Naira arrive with this narration: minor units of cNGN. Returns the reference. */
  pay(narration: string, amount: bigint): Promise<string>
  /** Everything in flight comes to its end. */
  settle(): Promise<void>
  /** A deposit is declined in review; it may be approved later. */
  reject(reference: string): void
  /** A deposit is approved: cNGN is minted, and the deposit gets the hash of the mint. */
  approve(reference: string): void
  /** A person redeems or withdraws in the dashboard of cNGN. Returns the reference. */
  byHand(movement: { trx_type: 'redeem' | 'withdrawal'; amount: string; receiver: Wire | string }): string
  /** The headers and body of a callback that it signs. */
  callback(body: Wire): { body: Buffer; header(name: string): string | undefined }
  close(): Promise<void>
}

const OPEN = new Set(['pending'])

/** A server on loopback that speaks the documented format of the cNGN merchant API, encryption included. */
export async function startFake({ tls }: { tls?: { key: string; cert: string } } = {}): Promise<FakeCngn> {
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
    const owner = KEYS[req.headers.authorization?.replace('Bearer ', '') ?? '']
    if (!owner) return say(400, { status: 400, message: 'Invalid token prefix' })
    if (world.calls.filter(({ at }) => at > now - 60_000).length >= world.limit) {
      world.blocked++
      return say(429, { status: 429, message: 'Too many requests. Please try again later.' })
    }
    const raw = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : undefined
    const body = raw ? ((await unseal(raw, encryptionKey)) as Wire) : {}
    world.calls.push({ line, body, at: now, idempotencyKey: req.headers['idempotency-key']?.toString() })
    const fault = faults.shift() ?? world.spoil(line)
    if (fault === 'silent') return
    const fails = typeof fault === 'object' && 'status' in fault ? fault : undefined
    const wrong = () =>
      say(fails?.status ?? 500, { status: fails?.flag ? false : fails?.status, message: fails?.message })
    if (fails && !fails.keeps) return wrong()
    if (typeof fault === 'object' && 'lateMs' in fault)
      await new Promise((resolve) => setTimeout(resolve, fault.lateMs))
    const single = line.match(/^GET \/(transactions|withdraw\/verify)\/(.+)$/)
    const handler = single ? () => one(owner, single[1] ?? '', decodeURIComponent(single[2] ?? '')) : answers[line]
    if (!handler) return say(404, { status: 404, message: 'Not found' })
    const said = handler(body, url.searchParams, owner)
    if (fails) return wrong()
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

  /** Whose each movement is, by its id. */
  const owners = new Map<string, string>()
  const ownedBy = (owner: string) => world.transactions.filter(({ id }) => (owners.get(id) ?? 'merchant') === owner)
  const keep = (
    given: Pick<Listed, 'trx_type' | 'amount' | 'description' | 'receiver'> & Wire,
    owner = 'merchant',
  ): Listed => {
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
      // Without an offset: UTC.
      createdAt: new Date().toISOString().replace('Z', ''),
      ...given,
    }
    world.transactions.push(kept)
    owners.set(kept.id, owner)
    return kept
  }
  // api-reference/get-transactions: "5000.00".
  const money = (value: unknown) => {
    const [whole, decimals = ''] = Number(value).toString().split('.')
    return `${whole}.${decimals.padEnd(2, '0')}`
  }
  // guides/webhooks (transaction.failed): an attempt that is refused leaves a failed transaction with a reference of its own.
  const refused = (given: Parameters<typeof keep>[0], owner: string, message: string) => {
    keep({ ...given, status: 'failed' }, owner)
    return new Refusal(message)
  }

  /** What the accounts ask for that have these narrations, in millionths, and what the merchant gets of it. */
  const opened = new Map<string, { readonly asked: bigint; readonly net: bigint; readonly owner: string }>()
  const expected = (amount: unknown, narration: unknown, owner: string): number => {
    const asked = Number(amount) + world.fees.fee + world.fees.vat
    opened.set(String(narration), { asked: millionths(asked), net: millionths(amount), owner })
    return asked
  }
  const tooMuch = (amount: unknown, owner: string) => world.short-- > 0 || Number(amount) > Number(balance(owner))

  const answers: Record<string, (body: Wire, query: URLSearchParams, owner: string) => unknown> = {
    'GET /balance': (_body, _query, owner) => [{ asset_type: 'fiat', asset_code: 'CNGN', balance: balance(owner) }],
    'GET /banks': () => [
      { name: 'Guaranty Trust Bank', code: '058', slug: 'gtb', country: 'NG', nibss_bank_code: '000013' },
      { name: 'Access Bank', code: '044', slug: 'access', country: 'NG', nibss_bank_code: '000014' },
    ],
    'GET /networks': () => world.networks,
    'POST /account/verify': ({ accountNumber, bankCode }) =>
      accountNumber === '9999999999'
        ? new Refusal('Could not resolve account details')
        : { accountNumber, account_name: 'OBI ADA', bankCode },
    'POST /virtual-account/temporary': ({ amount, narration }, _query, owner) =>
      Number(amount) < 100
        ? new Refusal('amount: Minimum amount is 100')
        : {
            reference: `DEP-${randomUUID()}`,
            paymentReference: randomUUID(),
            amount,
            ...{ amountExpected: expected(amount, narration, owner), ...world.fees },
            ...{ currency: 'NGN', status: 'pending', narration },
            ...{ accountNumber: newNumber(), accountName: 'Merchant', bankName: 'Access Bank', bankCode: '044' },
            expiresAt: new Date(Date.now() + 1_800_000).toISOString(),
          },
    'POST /redeemAsset': ({ amount, bankCode, accountNumber }, _query, owner) => {
      const order = {
        ...{ trx_type: 'redeem', amount: money(amount), description: 'Redemption', network: 'xbn' },
        // guides/webhooks (redemption.completed): bankCode:accountNumber:accountName.
        receiver: `${bankCode}:${accountNumber}:OBI ADA`,
      }
      if (tooMuch(amount, owner)) return refused(order, owner, 'Insufficient balance')
      return { trxRef: keep(order, owner).trx_ref, address: '0x0' }
    },
    'POST /withdraw': ({ amount, address, networkId }, _query, owner) => {
      const order = {
        ...{ trx_type: 'withdrawal', amount: money(amount), description: 'Withdrawal', network: networkId },
        receiver: { address: String(address) },
      }
      if (tooMuch(amount, owner)) return refused(order, owner, 'Insufficient balance')
      return { trxRef: keep(order, owner).trx_ref, address }
    },
    'GET /transactions': (_body, query, owner) => {
      const [page, limit] = [Number(query.get('page') ?? 1), Math.min(Number(query.get('limit') ?? 10), 100)]
      const all = world.empty ? [] : ownedBy(owner).toReversed()
      const pages = Math.max(1, Math.ceil(all.length / limit))
      return {
        data: lying(world.distort(all.slice((page - 1) * limit, page * limit).map(shown))),
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

  /** How often a list has shown each movement. */
  const times = new Map<string, number>()
  const shown = (one: Listed): Listed => {
    const before = times.get(one.id) ?? 0
    times.set(one.id, before + 1)
    return before < world.lateReferences ? { ...one, trx_ref: null as never } : { ...one }
  }

  /** api-reference/get-transaction reads all of them; api-reference/verify-withdrawal withdrawals only. */
  const one = (owner: string, path: string, reference: string) => {
    const found = ownedBy(owner).filter(
      ({ trx_ref, trx_type }) => trx_ref === reference && (path === 'transactions' || trx_type === 'withdrawal'),
    )
    return lying(world.distort(found.map((each) => ({ ...each }))))[0] ?? new Refusal('Transaction not found')
  }

  /** Millionths, so that sums are exact. */
  const millionths = (amount: unknown): bigint => BigInt(Math.round(Number(amount) * 1e6))
  const balance = (owner: string): string => {
    const units = ownedBy(owner).reduce((sum, { trx_ref, trx_type, status, amount }) => {
      const value = trx_type === 'deposit' ? world.netOf(trx_ref) : millionths(amount)
      if (trx_type === 'deposit') return status === 'success' ? sum + value : sum
      return status === 'failed' || status === 'rejected' ? sum : sum - value
    }, 0n)
    return `${units / 1_000_000n}.${String(units % 1_000_000n).padStart(6, '0')}`
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/v1/api`
  let lying = (page: Wire[]): Wire[] => page
  const mint = (one: Listed) => {
    one.status = 'success'
    // guides/webhooks (deposit.completed): the mint settles on the issuing network, so the payload now has its hash.
    one.base_trx_hash = randomBytes(32).toString('hex')
    one.network = 'XBN'
  }
  const find = (reference: string): Listed => {
    const found = world.transactions.find(({ trx_ref }) => trx_ref === reference)
    if (!found) throw new Error(`No transaction ${reference}`)
    return found
  }
  const world: FakeCngn = {
    url,
    key,
    encryptionKey,
    apiKey,
    calls: [],
    transactions: [],
    spoil: () => undefined,
    distort: (page) => page,
    sealed: true,
    short: 0,
    empty: false,
    lateReferences: 0,
    fees: { fee: 0, vat: 0 },
    netOf(reference) {
      const { amount, description } = find(reference)
      const account = [...opened].find(([narration]) => description?.includes(narration))?.[1]
      const paid = millionths(amount)
      return account && paid === account.asked ? account.net : paid
    },
    limit: 1_000_000,
    blocked: 0,
    networks: [
      { id: randomUUID(), name: 'Base', short_name: 'BASE', isDisabled: false, blockchain: null },
      { id: randomUUID(), name: 'Ethereum', short_name: 'ETH', isDisabled: false, blockchain: null },
      { id: randomUUID(), name: 'Polygon', short_name: 'MATIC', isDisabled: true, blockchain: null },
    ],
    fail: (...more) => void faults.push(...more),
    lie(random) {
      lying = lies(random)
    },
    async pay(narration, amount) {
      const deposit = {
        ...{
          trx_type: 'deposit',
          amount: money(Number(amount) / 1e6),
          description: `Transfer from ADA OBI ${narration}/0001`,
        },
        // guides/webhooks (deposit.received): the receiver is the business id, the symbol NGN.
        ...{ receiver: '4f1d0c2a-7b3e-4d5f-8a9b-0c1d2e3f4a5b', asset_symbol: 'NGN' },
      }
      return keep(deposit, opened.get(narration)?.owner).trx_ref
    },
    async settle() {
      for (const one of world.transactions.filter(({ status }) => OPEN.has(status))) {
        if (one.trx_type === 'deposit') {
          mint(one)
          continue
        }
        one.status = String(one.receiver).split(':')[1] === NO_SUCCESS ? 'failed' : 'success'
        if (one.trx_type === 'withdrawal') one.extl_trx_hash = `0x${randomBytes(32).toString('hex')}`
      }
    },
    reject(reference) {
      find(reference).status = 'rejected'
    },
    approve: (reference) => mint(find(reference)),
    byHand: (movement) => keep({ ...movement, description: 'Sent in the dashboard' }).trx_ref,
    callback(body) {
      const bytes = Buffer.from(JSON.stringify(body))
      const signature = `sha256=${createHmac('sha256', 'callback secret').update(bytes).digest('hex')}`
      return { body: bytes, header: (name) => (name.toLowerCase() === 'x-cngn-signature' ? signature : undefined) }
    },
    close: async () => void (await Promise.all([server[Symbol.asyncDispose](), server.closeAllConnections()])),
  }
  return world
}

const newNumber = () => String(randomBytes(5).readUIntBE(0, 5)).padStart(10, '0').slice(-10)
