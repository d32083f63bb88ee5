import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import bs58 from 'bs58'
import bs58check from 'bs58check'
import { dollarsOf, tokens, type WireToken } from './facts.ts'
import { type Outcome, onWire, type Swap, signedText, type Wire } from './swap.ts'

/** How the server fails: an HTTP status with headers, a truncated body, a late response, or none at all. */
export type Fault =
  | { status: number; headers?: Record<string, string>; body?: string }
  | { lateMs: number }
  | 'truncated'
  | 'silent'

/** What the fake really did with the money at one address, whatever its answers say. Smallest units. */
interface Booked {
  readonly from: string
  readonly to: string
  readonly recipient: string
  readonly refundTo: string
  readonly received: bigint
  readonly delivered: bigint
  readonly refunded: bigint
  readonly lost: bigint
}

/** A server on loopback that behaves as 1Click does. It imports nothing of the adapter that it checks. */
export interface FakeNearIntents {
  readonly url: string
  /** Verifies the signatures of quotes. */
  readonly publicKey: KeyObject
  readonly swaps: Swap[]
  /** By address. */
  readonly book: ReadonlyMap<string, Booked>
  /** Every call: method, path, query and body. */
  readonly calls: { line: string; query: URLSearchParams; body: Wire; authorization: string | undefined }[]
  /** The list of tokens. */
  tokens: unknown[]
  /** A payer's transfer of this many units arrives; it stays pending until {@link settle}. */
  pay(depositAddress: string, amount: bigint, outcome: Outcome): Promise<void>
  /** Ends what can be ended, with the `outcome` of each. */
  settle(): Promise<void>
  /** The deadlines of all quotes pass: what was not enough is refunded. */
  expire(): Promise<void>
  /** Failures of the next responses, in this order. */
  fail(...faults: Fault[]): void
  /** Called for each call that `fail` has no failure for. */
  spoil: (line: string) => Fault | undefined
  /** What a quote delivers for an amount. */
  output: (amount: bigint) => bigint
  /** Changes the `quote`, and the request that is repeated, of the next answers. */
  quoteOver: Wire
  requestOver: Wire
  /** What a refund costs. */
  refundFee: bigint
  /** How much less than was quoted is delivered: `minAmountOut` is a promise (Quote.ts), which nothing but a comparison enforces. */
  shortfall: bigint
  /** Changes the answer about a swap before it is sent. */
  distort: (answer: Wire) => Wire
  close(): Promise<void>
}

export interface FakeOptions {
  /** PEM of a key and its certificate: HTTPS. */
  readonly tls?: { key: string; cert: string }
  /** How far its clock is ahead of ours, ms. */
  readonly skewMs?: number
}

/** The server moves the deadline of an address three days past the one that was asked for (recorded answers of June to October 2026). */
const GRACE_MS = 3 * 86_400_000
const ENDED: readonly string[] = ['SUCCESS', 'REFUNDED', 'FAILED']

/** A refusal: 400 with a text and no code (BadRequestResponse.ts; wording as integrators recorded it, cowprotocol/cowswap#8151). */
class Refusal extends Error {}

export async function fakeNearIntents({ tls, skewMs = 0 }: FakeOptions = {}): Promise<FakeNearIntents> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const swaps: Swap[] = []
  const calls: FakeNearIntents['calls'] = []
  const faults: Fault[] = []
  const listener: RequestListener = (req, res) => void answer(req, res)
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  let clock = Date.now() + skewMs
  const tick = (): number => {
    clock = Math.max(clock + 1, Date.now() + skewMs)
    return clock
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const url = new URL(req.url ?? '/', 'http://near-intents')
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : {}
    const line = `${req.method} ${url.pathname}`
    calls.push({ line, query: url.searchParams, body, authorization: req.headers.authorization })
    const fault = faults.shift() ?? fake.spoil(line)
    if (fault === 'silent') return
    if (typeof fault === 'object' && 'status' in fault)
      return void res.writeHead(fault.status, fault.headers).end(fault.body ?? '{"message":"secret detail"}')
    if (typeof fault === 'object') await new Promise((resolve) => setTimeout(resolve, fault.lateMs))
    const { status, value } = replyTo(line, url.searchParams, body)
    const text = JSON.stringify(value)
    res.writeHead(status, { 'content-type': 'application/json' })
    res.end(fault === 'truncated' ? text.slice(0, text.length - 5) : text)
  }

  /** A quote is answered 201; an address that was never quoted 404 (OneClickService.ts, `getExecutionStatus`). */
  function replyTo(line: string, query: URLSearchParams, body: Wire): { status: number; value: unknown } {
    try {
      if (line === 'GET /v0/tokens') return { status: 200, value: fake.tokens }
      if (line === 'POST /v0/quote') return { status: 201, value: quote(body) }
      const swap = swaps.find(({ address }) => address === query.get('depositAddress'))
      if (line !== 'GET /v0/status' || !swap) return { status: 404, value: { message: 'Deposit address not found' } }
      const value = fake.distort(onWire(swap))
      swap.tellsRefund = swap.status === 'SUCCESS'
      return { status: 200, value }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { status: 400, value: { message: error.message, correlationId: 'c', path: '/v0/quote' } }
    }
  }

  /** QuoteRequest.ts and Quote.ts: what each field means, and which are required. */
  function quote(body: Wire) {
    const listed = (id: unknown) => (fake.tokens as WireToken[]).find((token) => token?.assetId === id)
    const from = listed(body.originAsset)
    if (!from) throw new Refusal('tokenIn is not valid')
    if (!listed(body.destinationAsset)) throw new Refusal('tokenOut is not valid')
    for (const name of ['refundTo', 'recipient', 'deadline', 'slippageTolerance'])
      if (!body[name]) throw new Refusal(`${name} is not valid`)
    if (body.depositType !== 'ORIGIN_CHAIN' || body.refundType !== 'ORIGIN_CHAIN') throw new Refusal('Bad type')
    if (typeof body.dry !== 'boolean' || body.recipientType !== 'DESTINATION_CHAIN') throw new Refusal('Bad type')
    if (Date.parse(String(body.deadline)) <= Date.now()) throw new Refusal('deadline is not valid')
    const amount = BigInt(String(body.amount))
    if (amount < 2n) throw new Refusal('Amount is too low for bridge, try at least 2')
    const slippage = BigInt(Number(body.slippageTolerance))
    const exactOutput = body.swapType === 'EXACT_OUTPUT'
    if (!exactOutput && body.swapType !== 'EXACT_INPUT') throw new Refusal('Bad swapType')
    // Of an exact output the buffer is on the input, and what is not needed of it comes back.
    const needed = amount
    const amountIn = exactOutput ? amount + (amount * slippage) / 10_000n : amount
    const delivers = exactOutput ? amount : fake.output(amount)
    // QuoteRequest.ts, `dry`: an estimate without an address.
    if (body.dry)
      return { quote: { amountIn: amountIn.toString(), amountOut: delivers.toString() }, quoteRequest: body }
    const address = newAddress(from.blockchain)
    const end = new Date(Date.parse(String(body.deadline)) + GRACE_MS).toISOString()
    const given: Wire = {
      depositAddress: address,
      amountIn: amountIn.toString(),
      amountInFormatted: 'not used',
      amountInUsd: dollarsOf(body.originAsset, amountIn),
      minAmountIn: needed.toString(),
      amountOut: delivers.toString(),
      amountOutFormatted: 'not used',
      amountOutUsd: dollarsOf(body.destinationAsset, delivers),
      minAmountOut: (exactOutput ? delivers : delivers - (delivers * slippage) / 10_000n).toString(),
      timeEstimate: 37,
      deadline: end,
      timeWhenInactive: end,
      refundFee: fake.refundFee.toString(),
      withdrawFee: '0',
      ...fake.quoteOver,
    }
    const timestamp = new Date(tick()).toISOString()
    const signature = `ed25519:${bs58.encode(sign(null, Buffer.from(signedText(body, given, timestamp)), privateKey))}`
    swaps.push({
      ...{ address, request: body, quote: given, timestamp, signature, needed, used: needed, delivers },
      ...{
        status: 'PENDING_DEPOSIT',
        outcome: 'completed',
        refundReason: null,
        tellsHashes: true,
        tellsRefund: false,
        hashes: [],
        over: {},
      },
      ...{ received: 0n, delivered: 0n, refunded: 0n, lost: 0n, updatedAt: tick() },
    })
    return {
      quote: given,
      quoteRequest: { ...body, ...fake.requestOver },
      signature,
      timestamp,
      correlationId: randomBytes(16).toString('hex'),
    }
  }

  const change = (swap: Swap, to: Partial<Swap>): void => void Object.assign(swap, to, { updatedAt: tick() })

  /** The refund costs its fee (Quote.ts, `refundFee`); less than that does not come back. */
  function refund(swap: Swap, amount: bigint): bigint {
    const back = amount > fake.refundFee ? amount - fake.refundFee : 0n
    if (back > 0n) swap.hashes.push(newHash())
    return back
  }

  function sendBack(swap: Swap, refundReason: string): void {
    const refunded = refund(swap, swap.received)
    change(swap, { status: 'REFUNDED', refunded, refundReason })
  }

  function complete(swap: Swap): void {
    const refunded = refund(swap, swap.received - swap.used)
    change(swap, { status: 'SUCCESS', delivered: swap.delivers - fake.shortfall, refunded })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const fake: FakeNearIntents = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicKey,
    swaps,
    get book() {
      return new Map(
        swaps.map(({ address, request, received, delivered, refunded, lost }) => [
          address,
          {
            ...{ from: String(request.originAsset), to: String(request.destinationAsset) },
            ...{ recipient: String(request.recipient), refundTo: String(request.refundTo) },
            ...{ received, delivered, refunded, lost },
          },
        ]),
      )
    },
    calls,
    tokens: [...tokens],
    spoil: () => undefined,
    output: (amount) => amount,
    quoteOver: {},
    requestOver: {},
    refundFee: 0n,
    shortfall: 0n,
    distort: (answer) => answer,
    fail: (...more) => void faults.push(...more),
    async pay(address, amount, outcome) {
      const swap = swaps.find((one) => one.address === address)
      if (!swap) throw new Error(`No quote made ${address}`)
      // One swap for an address: what arrives afterwards may be lost (Quote.ts, `deadline`).
      if (ENDED.includes(swap.status)) return void change(swap, { lost: swap.lost + amount })
      swap.hashes.push(newHash())
      const received = swap.received + amount
      change(swap, { received, outcome, status: received < swap.needed ? 'INCOMPLETE_DEPOSIT' : 'PROCESSING' })
    },
    async settle() {
      for (const swap of swaps.filter(({ status }) => ['KNOWN_DEPOSIT_TX', 'PROCESSING'].includes(status))) {
        if (swap.outcome === 'completed') complete(swap)
        else if (swap.outcome === 'refunded') sendBack(swap, 'SLIPPAGE')
        // Funds stay with 1Click: nothing is refunded.
        else change(swap, { status: 'FAILED' })
      }
    },
    async expire() {
      for (const swap of swaps)
        if (swap.status === 'INCOMPLETE_DEPOSIT') sendBack(swap, 'PARTIAL_DEPOSIT')
        else if (swap.status === 'PENDING_DEPOSIT') change(swap, { status: 'FAILED' })
    },
    close: async () => void (await Promise.all([server[Symbol.asyncDispose](), server.closeAllConnections()])),
  }
  return fake
}

const newHash = (): string => `0x${randomBytes(32).toString('hex')}`

function newAddress(blockchain: string): string {
  if (blockchain === 'sol') return bs58.encode(randomBytes(32))
  if (blockchain === 'tron') return bs58check.encode(Buffer.concat([Buffer.from([0x41]), randomBytes(20)]))
  return `0x${randomBytes(20).toString('hex')}`
}
