import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { assetOf, networkOf } from '@payments/kernel'
import bs58 from 'bs58'
import bs58check from 'bs58check'
import type { RoutesWorld } from '#testing'
import { chains, legOf } from '../src/assets.ts'
import type { RelayOptions } from '../src/client.ts'
import { relay } from '../src/relay.ts'

interface Coin {
  readonly chainId: number
  readonly address: string
}

/** A request as the server keeps it; `over` replaces fields of its response. */
interface Kept {
  readonly id: string
  readonly address: string
  status: string
  readonly outcome: string
  from: Coin
  readonly to: Coin
  readonly amount: bigint | null
  readonly txHash: string | null
  updatedAt: number
  over: Record<string, unknown>
}

/** How the server fails: an HTTP status with headers, a truncated body, a late response, or none at all. */
export type Fault =
  | { status: number; headers?: Record<string, string>; body?: string }
  | { lateMs: number }
  | 'truncated'
  | 'silent'

type Wire = Record<string, unknown>

/** A chain as `GET /chains` returns it. */
interface WireChain {
  id: number
  vmType: string
  disabled: boolean
  depositEnabled: boolean
  solverCurrencies: { address: string; symbol: string; decimals: number }[]
}

export interface RelayServer extends RoutesWorld {
  readonly url: string
  readonly requests: Kept[]
  /** Every call: method, path, query and body. */
  readonly calls: { line: string; query: URLSearchParams; body: Record<string, unknown>; key: string | undefined }[]
  /** Failures of the next responses, in this order. */
  fail(...faults: Fault[]): void
  /** Replaces a request by a successor; the list no longer contains the first. */
  supersede(request: Kept): void
  /** Called for each call that `fail` has no failure for. */
  spoil: (line: string) => Fault | undefined
  /** What a quote delivers for an amount. */
  output: (amount: bigint) => bigint
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

/** A server on loopback that speaks Relay's documented wire format, with the adapter talking to it. */
export async function startRelay(
  options: Partial<RelayOptions> & {
    /** PEM of a key and its certificate: HTTPS. */
    tls?: { key: string; cert: string }
    /** How far its clock is ahead of ours, ms. */
    skewMs?: number
  } = {},
): Promise<RelayServer> {
  const { tls, skewMs = 0, ...given } = options
  const requests: Kept[] = []
  const calls: RelayServer['calls'] = []
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
    const fault = faults.shift() ?? world.spoil(line)
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
    'GET /chains': () => ({ chains: world.chains }),
    'POST /currencies/v2': (_query, { tokens, limit, depositAddressOnly }) =>
      world.tokens
        .filter(({ chainId, address }) => (tokens as string[]).includes(`${chainId}:${address}`))
        .filter(({ depositAddress }) => depositAddress || depositAddressOnly !== true)
        .slice(0, Number(limit ?? 20)),
  }

  function quote(body: Record<string, unknown>) {
    const address = newAddress(Number(body.originChainId))
    const id = hash()
    // The quote is a request too, pending until a deposit of exactly its amount.
    keep({
      id,
      address,
      status: 'waiting',
      outcome: 'success',
      from: { chainId: Number(body.originChainId), address: String(body.originCurrency) },
      to: { chainId: Number(body.destinationChainId), address: String(body.destinationCurrency) },
      amount: null,
      txHash: null,
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
      // One percent more than what is delivered; the given amount where the input is exact.
      details: {
        operation: 'swap',
        currencyOut: { amount: world.output(BigInt(String(body.amount))).toString() },
        currencyIn: {
          amount: String(body.tradeType === 'EXACT_INPUT' ? body.amount : (BigInt(String(body.amount)) * 101n) / 100n),
        },
      },
      protocol: { v2: { orderId: hash() } },
    }
  }

  let clock = Date.now() + skewMs
  const tick = (): number => {
    clock = Math.max(clock + 1, Date.now() + skewMs)
    return clock
  }
  function keep(given: Omit<Kept, 'updatedAt' | 'over'>): Kept {
    const kept = { ...given, updatedAt: tick(), over: {} }
    requests.push(kept)
    return kept
  }

  function page(query: URLSearchParams) {
    const since = Number(query.get('startTimestamp') ?? 0) * 1000
    const limit = Math.min(Number(query.get('limit') ?? 20), 50)
    const from = Number(query.get('continuation') ?? 0)
    const asked = (one: Kept) =>
      query.has('id') ? one.id === query.get('id') : one.address === query.get('depositAddress')
    const all = world.order(requests.filter((one) => asked(one) && one.updatedAt >= since))
    const more = all.length > from + limit ? { continuation: String(from + limit) } : {}
    return { requests: world.distort(all.slice(from, from + limit).map(onWire)), ...more }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
  const world: RelayServer = {
    url,
    requests,
    calls,
    spoil: () => undefined,
    output: (amount) => amount,
    order: (all) => all.toSorted((a, b) => b.updatedAt - a.updatedAt),
    distort: (page) => page,
    chains: everyChain(),
    tokens: everyChain().flatMap(({ id, solverCurrencies }) =>
      solverCurrencies.map((token) => ({ ...token, chainId: id, depositAddress: true })),
    ),
    provider: relay({
      baseUrl: url,
      apiKey: 'relay-key',
      requestsPerMinute: 150,
      timeoutMs: 10_000,
      retryMs: 1,
      restMs: 50,
      ...given,
    }),
    fail: (...more) => void faults.push(...more),
    async pay(address, amount, outcome) {
      const quoted = requests.find((one) => one.address === address)
      if (!quoted) throw new Error(`No quote made ${address}`)
      // Another amount than quoted: a request of its own.
      keep({
        id: hash(),
        address,
        status: 'pending',
        outcome,
        from: quoted.from,
        to: quoted.to,
        amount,
        txHash: hash(),
      })
    },
    async settle() {
      for (const one of requests.filter(({ status }) => status === 'pending')) {
        one.status = FINAL[one.outcome] ?? one.outcome
        one.updatedAt = tick()
      }
    },
    supersede(request) {
      const next = keep({ ...request, id: hash() })
      request.over = { ...request.over, supersededByRequestId: next.id }
      request.status = 'failure'
      request.updatedAt = tick()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return world
}

/** Every chain and token that the adapter knows, all enabled. */
const everyChain = (): WireChain[] =>
  Object.entries(chains).map(([key, { id, tokens }]) => ({
    id,
    vmType: networkOf(key)?.type ?? 'evm',
    disabled: false,
    depositEnabled: true,
    solverCurrencies: Object.entries(tokens).map(([symbol, address]) => ({
      address,
      symbol,
      decimals: assetOf(symbol)?.decimals ?? 0,
    })),
  }))

function onWire(one: Kept): Wire {
  const money = (coin: Coin, amount: bigint) => ({
    currency: { ...coin, symbol: legOf(coin)?.currency ?? 'TOKEN', decimals: 6 },
    amount: amount.toString(),
    amountFormatted: 'not used',
    amountUsd: '12.5',
    minimumAmount: '1',
  })
  const success = one.status === 'success'
  return {
    id: one.id,
    status: one.status,
    user: 'unknown',
    supersededByRequestId: null,
    createdAt: new Date(one.updatedAt).toISOString(),
    updatedAt: new Date(one.updatedAt).toISOString(),
    depositAddress: { address: one.address, type: 'open', depositor: null, depositTxHash: one.txHash },
    data: {
      failReason: ['failure', 'refund'].includes(one.status) ? 'SLIPPAGE' : null,
      refundFailReason: null,
      inTxs: one.txHash ? [{ txHash: one.txHash, chainId: one.from.chainId, status: 'success' }] : [],
      outTxs: [],
      route:
        one.amount === null
          ? null
          : {
              quoted: { origin: { inputCurrency: money(one.from, one.amount) } },
              actual: success
                ? {
                    origin: { inputCurrency: money(one.from, one.amount) },
                    destination: { outputCurrency: money(one.to, one.amount) },
                  }
                : null,
            },
    },
    protocol: null,
    ...one.over,
  }
}

export const hash = (): string => `0x${randomBytes(32).toString('hex')}`

function newAddress(chainId: number): string {
  if (chainId === chains.solana?.id) return bs58.encode(randomBytes(32))
  if (chainId === chains.tron?.id) return bs58check.encode(Buffer.concat([Buffer.from([0x41]), randomBytes(20)]))
  return `0x${randomBytes(20).toString('hex')}`
}
