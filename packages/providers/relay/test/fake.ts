import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import bs58 from 'bs58'
import bs58check from 'bs58check'
import { type Coin, kinds, SOLANA, TRON, tokens } from './facts.ts'
import { type Kept, money, onWire, type Wire, worth } from './wire.ts'

/** How the server fails: an HTTP status with headers, a truncated body, a late response, or none at all. */
export type Fault =
  | { status: number; headers?: Record<string, string>; body?: string }
  | { lateMs: number }
  | 'truncated'
  | 'silent'

/** A chain as `GET /chains` returns it. */
interface WireChain {
  id: number
  vmType: string
  disabled: boolean
  depositEnabled: boolean
  solverCurrencies: { address: string; symbol: string; decimals: number }[]
}

type Outcome = 'completed' | 'failed' | 'refunded'

/** What the fake really did with the money of one transaction of a payer, whatever its answers say. Minor units. */
interface Booked {
  readonly address: string
  readonly from: Coin
  readonly to: Coin
  readonly refundTo: string | null
  received: bigint
  delivered: bigint
  refunded: bigint
}

/** A server on loopback that behaves as Relay does. It imports nothing of the adapter that it checks. */
export interface FakeRelay {
  readonly url: string
  readonly requests: Kept[]
  /** By the hash of the payer's transaction. */
  readonly book: ReadonlyMap<string, Booked>
  /** Every call: method, path, query and body. */
  readonly calls: { line: string; query: URLSearchParams; body: Record<string, unknown>; key: string | undefined }[]
  /** A payer's transfer of this many minor units arrives; it stays pending until {@link settle}. */
  pay(depositAddress: string, amount: bigint, outcome: Outcome): Promise<void>
  /** The same on the wrong chain, or in another token: nobody sees it before a reindex of that chain (deposit-addresses.mdx, "Reindexing Stuck Deposits"). */
  payUnseen(depositAddress: string, from: Coin, amount: bigint): void
  /** Settles pending deposits with the `outcome` of each. */
  settle(): Promise<void>
  /** Failures of the next responses, in this order. */
  fail(...faults: Fault[]): void
  /** Replaces a request by a successor; the list no longer contains the first. */
  supersede(request: Kept): void
  /**
   * The deposit's block is removed from the chain: `failure` with DEPOSIT_REORGED (execution-errors.mdx). The transaction is usually mined
   * again, and becomes a request of its own with the same deposit hash.
   */
  reorganise(request: Kept): void
  mineAgain(request: Kept, outcome?: Outcome): Kept
  /** Wallet screening holds the deposit: `failure`, which a person may refund later (execution-errors.mdx: BLOCKED_WALLET, MANUAL_ADMIN_REFUND). */
  block(request: Kept, reason?: string): void
  refundByHand(request: Kept): void
  /** Called for each call that `fail` has no failure for. */
  spoil: (line: string, query: URLSearchParams) => Fault | undefined
  /** What `actual` repeats for more than was asked of a strict address. */
  reading: 'asked' | 'arrived'
  /** Replaces fields of the details of quotes. */
  details: Wire
  /** What a quote delivers for an amount. */
  output: (amount: bigint) => bigint
  /** An open address usually requotes another amount than quoted, as a request of its own; sometimes it keeps its request (deposit-addresses.mdx). */
  requotes: boolean
  /** Orders the elements of a page; the newest first by default. */
  order: (requests: Kept[]) => Kept[]
  /** Changes the elements of a page before they are sent. */
  distort: (page: Wire[]) => Wire[]
  /** Its chains and their tokens. */
  readonly chains: WireChain[]
  readonly tokens: (Coin & { decimals: number; symbol: string; depositAddress: boolean })[]
  close(): Promise<void>
}

const FINAL: Record<string, string> = { completed: 'success', failed: 'failure', refunded: 'refund' }

export interface FakeOptions {
  /** PEM of a key and its certificate: HTTPS. */
  readonly tls?: { key: string; cert: string }
  /** How far its clock is ahead of ours, ms. */
  readonly skewMs?: number
}

export async function fakeRelay({ tls, skewMs = 0 }: FakeOptions = {}): Promise<FakeRelay> {
  const requests: Kept[] = []
  const book = new Map<string, Booked>()
  const booked = ({ address, from, to, refundTo, txHash }: Kept): Booked => {
    const key = String(txHash)
    const own = book.get(key) ?? { address, from, to, refundTo, received: 0n, delivered: 0n, refunded: 0n }
    book.set(key, own)
    return own
  }
  const unseen: { address: string; from: Coin; amount: bigint }[] = []
  const calls: FakeRelay['calls'] = []
  const faults: Fault[] = []
  const listener: RequestListener = (req, res) => void answer(req, res)
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const url = new URL(req.url ?? '/', 'http://relay')
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : {}
    const line = `${req.method} ${url.pathname}`
    calls.push({ line, query: url.searchParams, body, key: req.headers['x-api-key']?.toString() })
    const fault = faults.shift() ?? fake.spoil(line, url.searchParams)
    if (fault === 'silent') return
    if (typeof fault === 'object' && 'status' in fault)
      return void res.writeHead(fault.status, fault.headers).end(fault.body ?? '{"message":"secret detail"}')
    if (typeof fault === 'object') await new Promise((resolve) => setTimeout(resolve, fault.lateMs))
    const reply = answers[line]?.(url.searchParams, body)
    if (!reply) return void res.writeHead(404).end('{"message":"not found"}')
    const said = JSON.stringify(reply)
    res.setHeader('content-type', 'application/json')
    res.end(fault === 'truncated' ? said.slice(0, said.length - 5) : said)
  }

  const answers: Record<string, (query: URLSearchParams, body: Wire) => unknown> = {
    'POST /quote/v2': (_query, body) => quote(body),
    'GET /requests/v3': (query) => page(query),
    'GET /intents/status/v3': (query) => {
      const one = requests.find(({ id }) => id === query.get('requestId'))
      return one && { status: one.over.status ?? one.status, updatedAt: one.updatedAt, inTxHashes: [], txHashes: [] }
    },
    'POST /transactions/deposit-address/reindex': (_query, body) => reindex(body),
    'GET /chains': () => ({ chains: fake.chains }),
    'POST /currencies/v2': (_query, { tokens, limit, depositAddressOnly }) =>
      fake.tokens
        .filter(({ chainId, address }) =>
          (tokens as string[]).some((asked) => asked.toLowerCase() === `${chainId}:${address}`.toLowerCase()),
        )
        .filter(({ depositAddress }) => depositAddress || depositAddressOnly !== true)
        .slice(0, Number(limit ?? 20)),
  }

  function quote(body: Wire) {
    // Without `useDepositAddress` the steps are transactions for the user to send; nothing waits for a deposit.
    if (body.useDepositAddress !== true) return { steps: [{ id: 'deposit' }], fees: {}, details: detailsOf(body) }
    const address = newAddress(Number(body.originChainId))
    const details = detailsOf(body)
    // The quote is a request too, which waits until a deposit arrives.
    const { id } = keep({
      address,
      from: { chainId: Number(body.originChainId), address: String(body.originCurrency) },
      to: { chainId: Number(body.destinationChainId), address: String(body.destinationCurrency) },
      quoted: BigInt(details.currencyIn.amount),
      refundTo: typeof body.refundTo === 'string' ? body.refundTo : null,
      strict: body.strict === true,
    })
    return {
      steps: [
        {
          id: 'deposit',
          kind: 'transaction',
          requestId: id,
          depositAddress: address,
          items: [{ status: 'incomplete' }],
        },
      ],
      fees: {},
      details,
      protocol: { v2: { orderId: hash() } },
    }
  }

  function detailsOf({ amount, tradeType, recipient, ...body }: Wire) {
    const asked = BigInt(String(amount))
    const from = { chainId: Number(body.originChainId), address: String(body.originCurrency) }
    const to = { chainId: Number(body.destinationChainId), address: String(body.destinationCurrency) }
    const exact = tradeType === 'EXACT_INPUT'
    // One percent more than what is delivered; the given amount where the input is exact.
    const input = exact ? asked : (worth(asked, to, from) * 101n) / 100n
    const output = fake.output(exact ? worth(asked, from, to) : asked)
    const over = (name: 'currencyIn' | 'currencyOut') => (fake.details[name] ?? {}) as object
    return {
      operation: 'swap',
      recipient,
      ...fake.details,
      // `minimumAmount` is the guaranteed floor after slippage, here half a percent: the quoted amount is what is expected.
      currencyOut: { ...money(to, output), ...over('currencyOut') },
      currencyIn: { ...money(from, input), ...over('currencyIn') },
    }
  }

  /** Looks at one chain for money at an address that was quoted. */
  function reindex({ chainId, depositAddress, targetChainId = chainId }: Wire) {
    const known = requests.find((one) => one.address === depositAddress && one.from.chainId === chainId)
    if (!known) return undefined
    const found = unseen.filter((each) => each.address === depositAddress && each.from.chainId === targetChainId)
    for (const each of found) {
      unseen.splice(unseen.indexOf(each), 1)
      arrive(keep({ ...partsOf(known), from: each.from, quoted: each.amount }), each.amount, 'completed')
    }
    return {
      message: 'Reindexing triggered',
      triggeredCurrencies: found.map(({ from, amount }) => ({
        currency: from.address,
        symbol: '',
        balance: String(amount),
      })),
      checkedCurrencies: 4,
      failedCurrencies: 0,
    }
  }

  const partsOf = ({ address, from, to, refundTo, delivers, strict }: Kept) => ({
    ...{ address, from, to, refundTo, delivers, strict },
  })

  function arrive(request: Kept, amount: bigint, outcome: string): void {
    Object.assign(request, { status: 'pending', outcome, amount, txHash: hash(), updatedAt: tick() })
    booked(request).received += amount
  }

  let clock = Date.now() + skewMs
  const tick = (): number => {
    clock = Math.max(clock + 1, Date.now() + skewMs)
    return clock
  }
  function keep(given: Pick<Kept, 'address' | 'from' | 'to' | 'quoted' | 'refundTo'> & Partial<Kept>): Kept {
    const at = tick()
    const kept: Kept = {
      id: hash(),
      status: 'waiting',
      outcome: 'success',
      amount: null,
      delivers: (amount) => amount,
      strict: false,
      reading: () => fake.reading,
      txHash: null,
      failReason: null,
      refundFailReason: null,
      sweptAt: null,
      createdAt: at,
      ...given,
      updatedAt: at,
      over: { ...given.over },
    }
    requests.push(kept)
    return kept
  }

  function page(query: URLSearchParams) {
    const since = Number(query.get('startTimestamp') ?? 0) * 1000
    const limit = Math.min(Number(query.get('limit') ?? 20), 50)
    const from = Number(query.get('continuation') ?? 0)
    // Within a group fields are AND'd and the values of one field OR'd (migrating-to-requests-v3, "Advanced filtering").
    const groups: { depositAddress: string[] }[] = JSON.parse(query.get('filters') ?? '[]')
    const asked = (one: Kept) =>
      (!query.has('id') || one.id === query.get('id')) &&
      (!query.has('depositAddress') || one.address === query.get('depositAddress')) &&
      (groups.length === 0 || groups.some((group) => group.depositAddress.includes(one.address)))
    const all = fake.order(requests.filter((one) => asked(one) && one.updatedAt >= since))
    const more = all.length > from + limit ? { continuation: String(from + limit) } : {}
    return { requests: fake.distort(all.slice(from, from + limit).map(onWire)), ...more }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeRelay = {
    url,
    requests,
    book,
    calls,
    spoil: () => undefined,
    output: (amount) => amount,
    reading: 'arrived',
    details: {},
    requotes: true,
    order: (all) => all.toSorted((a, b) => b.updatedAt - a.updatedAt),
    distort: (page) => page,
    chains: everyChain(),
    tokens: tokens.map((token) => ({ ...token, depositAddress: true })),
    fail: (...more) => void faults.push(...more),
    async pay(address, amount, outcome) {
      const quoted = requests.find((one) => one.address === address)
      if (!quoted) throw new Error(`No quote made ${address}`)
      // A strict address keeps its request (deposit-addresses.mdx).
      const own = quoted.status === 'waiting' && (quoted.strict || !fake.requotes)
      arrive(own ? quoted : keep({ ...partsOf(quoted), quoted: amount }), amount, outcome)
    },
    payUnseen: (address, from, amount) => void unseen.push({ address, from, amount }),
    async settle() {
      for (const one of requests.filter(({ status }) => status === 'pending')) {
        const amount = one.amount ?? 0n
        // Less than a strict address asks for is refunded; of more, the excess is (deposit-addresses.mdx, "amount mismatch").
        const isTooLittle = one.strict && amount < one.quoted && one.outcome === 'completed'
        const filled = one.strict && amount > one.quoted ? one.quoted : amount
        one.status = isTooLittle ? 'refund' : (FINAL[one.outcome] ?? one.outcome)
        one.updatedAt = tick()
        one.sweptAt ??= one.updatedAt
        if (one.status === 'success') {
          booked(one).delivered += one.delivers(filled)
          booked(one).refunded += amount - filled
        }
        if (one.status === 'refund') booked(one).refunded += amount
      }
    },
    supersede(request) {
      const next = keep({ ...request, id: hash() })
      request.over = { ...request.over, supersededByRequestId: next.id }
      request.status = 'failure'
      request.updatedAt = tick()
    },
    reorganise(request) {
      Object.assign(request, { status: 'failure', failReason: 'DEPOSIT_REORGED', updatedAt: tick() })
      booked(request).received -= request.amount ?? 0n
    },
    mineAgain(request, outcome = 'completed') {
      booked(request).received += request.amount ?? 0n
      return keep({
        ...partsOf(request),
        quoted: request.quoted,
        amount: request.amount,
        txHash: request.txHash,
        status: 'pending',
        outcome,
      })
    },
    block: (request, reason = 'BLOCKED_WALLET') =>
      void Object.assign(request, { status: 'failure', failReason: reason, updatedAt: tick() }),
    refundByHand(request) {
      Object.assign(request, { status: 'refund', failReason: 'MANUAL_ADMIN_REFUND', updatedAt: tick() })
      booked(request).refunded += request.amount ?? 0n
    },
    close: async () => void (await Promise.all([server[Symbol.asyncDispose](), server.closeAllConnections()])),
  }
  return fake
}

/** Every chain and token, all enabled. */
const everyChain = (): WireChain[] =>
  Object.entries(kinds).map(([id, vmType]) => ({
    id: Number(id),
    vmType,
    disabled: false,
    depositEnabled: true,
    solverCurrencies: tokens
      .filter(({ chainId }) => chainId === Number(id))
      .map(({ address, symbol, decimals }) => ({ address, symbol, decimals })),
  }))

export const hash = (): string => `0x${randomBytes(32).toString('hex')}`

function newAddress(chainId: number): string {
  if (chainId === SOLANA) return bs58.encode(randomBytes(32))
  if (chainId === TRON) return bs58check.encode(Buffer.concat([Buffer.from([0x41]), randomBytes(20)]))
  return `0x${randomBytes(20).toString('hex')}`
}
