import { randomBytes } from 'node:crypto'
import { bind, system } from '@payments/kernel'
import { checkLedger, trialBalance } from '@payments/ledger'
import { domainsOf, queryContext } from '@payments/platform'
import { type Currency, currencies, type SwapsProvider, signersFrom, swapsProvider } from '@payments/swaps'
import { expect } from 'vitest'
import {
  call,
  type Merchant,
  newMerchant,
  newSwap,
  type SwapData,
  signedIn,
  startService,
  type TestService,
} from '#testing'
import type { Tls } from './listen.ts'
import { startWorld, type World } from './world.ts'

/** The service with the live adapter on a chain of its own. */
export interface Live {
  readonly world: World
  readonly service: TestService
  readonly merchant: Merchant
  /** Runs a task of swaps once, as a worker does. */
  runTask(name: string): Promise<void>
  readFeePayer(): Promise<void>
  /** Creates a live swap to wallets that no other swap uses. */
  create(given?: Record<string, unknown>): Promise<SwapData>
  get(id: string): Promise<SwapData>
  /** A payer's transfer to a swap, finalized. */
  pay(swap: SwapData, amount: bigint, currency?: Currency): Promise<string>
  /** Processes a swap as a worker does. Returns the HTTP status. */
  process(id: string): Promise<number>
  /** Processes a swap while blocks go by, until it has this status and nothing of it is open or on its way. */
  until(id: string, ...statuses: readonly string[]): Promise<SwapData>
  /** The changes of status that events reported, in order: `awaiting_deposit>swapping`. */
  eventsOf(id: string): Promise<string[]>
  /** The swap's time is over: what is paid from now on is late. */
  end(id: string): Promise<void>
  /** Time goes by on the chain. */
  skip(seconds: number): void
  stop(): Promise<void>
}

const newWallet = () => signersFrom(randomBytes(32), 'live').feePayer.address

export async function startLive(
  options: {
    readonly wrap?: (provider: SwapsProvider) => SwapsProvider
    readonly tls?: Tls
    readonly seed?: Uint8Array
    readonly settings?: Record<string, string>
  } = {},
): Promise<Live> {
  const { seed = randomBytes(32), tls } = options
  const world = await startWorld({ seed, ...(tls ? { tls } : {}) })
  const provider = options.wrap?.(world.provider) ?? world.provider
  const service = await startService({
    live: [bind(swapsProvider, 'live', provider)],
    // Each swap pays out to a wallet of its own.
    settings: {
      SWAP_SEED: Buffer.from(seed).toString('base64'),
      SWAP_REFUND_SOL_PER_DAY: '1000',
      ...options.settings,
    },
  })
  const merchant = await newMerchant(service, { environment: 'live' })
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const live: Live = {
    world,
    service,
    merchant,
    async runTask(name) {
      const tasks = domainsOf(service.runtime).flatMap((domain) => domain.work?.tasks ?? [])
      await tasks.find((task) => task.name === name)?.run(service.runtime)
    },
    async readFeePayer() {
      const jobs = domainsOf(service.runtime).flatMap((domain) => domain.work?.jobs ?? [])
      await jobs.find(({ name }) => name === 'swaps.fee-payer')?.run(service.runtime, {}, new AbortController().signal)
    },
    create: (given = {}) =>
      newSwap(merchant, { destinationAddress: newWallet(), refundAddress: newWallet(), ...given }),
    get: async (id) => (await merchant.call(`GET /v1/swaps/${id}`)).body.data,
    async pay({ depositAddress, fromCurrency }, amount, currency = fromCurrency as Currency) {
      const signature = await world.chain.pay(depositAddress, currency, amount)
      world.chain.advance()
      return signature
    },
    process: async (id) =>
      (await call(service, `POST /v1/admin/ops/swaps/${id}/process`, { token, body: { reason: 'Asked for' } })).status,
    async until(id, ...statuses) {
      for (let round = 0; round < 40; round++) {
        await live.process(id)
        const swap = await live.get(id)
        if (statuses.includes(swap.status) && (await isQuiet(service, id))) return swap
        world.chain.advance(2)
      }
      const { rows } = await service.runtime.pool.query(
        'select kind, amount::text, outcome from swap_transactions where swap_id = $1 order by created_at',
        [id],
      )
      throw new Error(
        `${JSON.stringify([await live.get(id), rows])} is not ${statuses.join(' or ')} (${await live.process(id)})`,
      )
    },
    async eventsOf(id) {
      const { rows } = await service.runtime.pool.query<{ data: Record<string, unknown> }>(
        "select payload->'data' as data from events where resource_id = $1 order by id",
        [id],
      )
      return rows.map(({ data }) => `${data.previousStatus ?? ''}>${data.status}`)
    },
    async end(id) {
      const until = new Date(world.chain.timeOf(world.chain.slot) * 1000)
      await service.runtime.pool.query('update swaps set deposits_until = $2 where id = $1', [id, until])
      live.skip(2)
    },
    skip(seconds) {
      world.chain.aheadSeconds += seconds
      world.chain.advance(2)
    },
    stop: async () => {
      await (service as TestService & { stop(): Promise<void> }).stop()
      await world.close()
    },
  }
  await live.readFeePayer()
  return live
}

/** Nothing is open, and nothing is left at the address that has to be sent. */
async function isQuiet({ runtime }: TestService, id: string): Promise<boolean> {
  const { rows } = await runtime.pool.query<{ quiet: boolean }>(
    `select not exists (select from swap_transactions where swap_id = s.id and outcome is null)
            and (s.status in ('awaiting_deposit', 'swapping')
                 or s.deposited_amount - s.returned_amount - case s.status when 'completed' then s.amount else 0 end < 100000) as quiet
       from swaps s where id = $1`,
    [id],
  )
  return rows[0]?.quiet === true
}

interface Row {
  id: string
  status: string
  from_currency: Currency
  to_currency: Currency
  deposit_address: string
  destination_address: string
  refund_address: string
  amount: string
  deposited: string
  returned: string
  received: string | null
}

/**
 * The journal equals the chain, swap by swap and in sum: what is at each address, what each destination and each refund
 * address received. Every transaction of the fee payer is one that was stored. Wallets must be of one swap each.
 */
export async function expectJournalEqualsChain(
  service: TestService,
  { chain, signers }: Pick<World, 'chain' | 'signers'>,
): Promise<void> {
  const { pool } = service.runtime
  const { rows } = await pool.query<Row>(
    `select id, status, from_currency, to_currency, deposit_address, destination_address, refund_address, amount::text,
            deposited_amount::text as deposited, returned_amount::text as returned, received_amount::text as received
       from swaps where environment = 'live'`,
  )
  const held = new Map<Currency, bigint>(currencies.map((each) => [each, 0n]))
  for (const row of rows) {
    const swapped = row.status === 'completed' ? BigInt(row.amount) : 0n
    const expected = BigInt(row.deposited) - BigInt(row.returned) - swapped
    const from = row.from_currency
    expect(
      {
        held: await chain.tokens(row.deposit_address, from),
        received: await chain.tokens(row.destination_address, row.to_currency),
        returned: await chain.tokens(row.refund_address, from),
      },
      `swap ${row.id} is ${row.status}`,
    ).toEqual({ held: expected, received: BigInt(row.received ?? 0), returned: BigInt(row.returned) })
    held.set(from, (held.get(from) ?? 0n) + expected)
  }
  const lines = await trialBalance(queryContext(service.runtime, system('', 'live')))
  const clearing = new Map<string, bigint>(
    lines
      .filter(({ environment, purpose }) => environment === 'live' && purpose === 'clearing')
      .map(({ asset, balance }) => [asset, BigInt(balance)]),
  )
  for (const [currency, amount] of held) expect(clearing.get(currency) ?? 0n, currency).toBe(amount)
  const { rows: stored } = await pool.query<{ signature: string }>(
    'select signature from swap_transactions union all select signature from swap_upkeep',
  )
  const known = new Set(stored.map(({ signature }) => signature))
  const ours = [...chain.executed.values()].filter(({ keys }) => keys[0] === signers.feePayer.address)
  expect(ours.map(({ signature }) => signature).filter((signature) => !known.has(signature))).toEqual([])
  expect((await checkLedger(service.runtime)).findings).toEqual([])
}
