import { createHash, randomBytes } from 'node:crypto'
import { toDecimal } from '@payments/kernel'
import { arrayOf, grouped, type SqlExecutor } from '@payments/platform'
import bs58 from 'bs58'
import { z } from 'zod'
import { assetIn, type Currency } from '../currencies.ts'
import { errors } from '../errors.ts'
import { sandboxOutcomes } from '../schemas.ts'
import type { QuoteRequest, SandboxSwaps } from './provider.ts'
import { less } from './rate.ts'

const SETTLES_AFTER_SECONDS = 2
/** A swap of an amount that ends in .13: sending it times out, and it is final after this time. */
const TIMEOUT_SECONDS = 30
const TIMEOUT_AMOUNT = /\.13$/
/** A transaction that was not sent by then can no longer be sent, as with a blockhash. */
const LIFETIME_MS = 60_000
/** How far the newest finalized block is behind. */
const FINALITY_MS = 2000
const FEE_BASIS_POINTS = 5
/** One EURC in USDC, ten-thousandths. */
const PRICE = 10_800n
const PRICE_UNIT = 10_000n

/** A wallet whose key nobody has: derived from a text. */
const REFUND_ADDRESS = bs58.encode(createHash('sha256').update('refund address of sandbox swaps').digest())

const newSignature = (): string => bs58.encode(randomBytes(64))

/** What the sandbox writes into a prepared transaction. */
const Payload = z.object({
  address: z.string(),
  amount: z.string(),
  receivedAmount: z.string(),
  fees: z.string(),
  fails: z.boolean(),
  simulatesTimeout: z.boolean(),
  validUntil: z.number(),
})

/** The sandbox's market: fees are deducted from what the price gives. */
function converted({ from, amount }: QuoteRequest): { amountOut: bigint; fees: bigint } {
  const gross = from === 'EURC' ? (amount * PRICE) / PRICE_UNIT : (amount * PRICE_UNIT) / PRICE
  const amountOut = less(gross, FEE_BASIS_POINTS)
  return { amountOut, fees: gross - amountOut }
}

/**
 * The sandbox provider: a chain whose addresses, transfers and transactions are rows. As on a real chain, a transaction is
 * accepted once, and never spends more than its address holds.
 */
export function sandboxSwaps(db: SqlExecutor): SandboxSwaps {
  const prepared = (payload: Omit<z.infer<typeof Payload>, 'validUntil'>) => ({
    signature: newSignature(),
    payload: JSON.stringify({ ...payload, validUntil: Date.now() + LIFETIME_MS }),
    createsAccount: false,
    costLamports: 0n,
  })
  // Committed without waiting for the disk: the commit of the swap that uses it waits, and includes it.
  const keepAddress = grouped(async (addresses: readonly string[]) => {
    await db.query(
      `insert into sandbox_swap_addresses (address)
       select a from unnest(${arrayOf('text', '$1')}) as a, set_config('synchronous_commit', 'off', true) on conflict do nothing`,
      [addresses],
    )
    return addresses
  })
  const outcomeOf = async (address: string) => {
    const { rows } = await db.query<{ outcome: (typeof sandboxOutcomes)[number] }>(
      'select outcome from sandbox_swap_addresses where address = $1',
      [address],
    )
    return rows[0]?.outcome ?? sandboxOutcomes[0]
  }
  return {
    name: 'sandbox',
    refundAddress: REFUND_ADDRESS,
    async prepareAddress({ depositAddress }) {
      await keepAddress(depositAddress)
    },
    async quote(request) {
      return { amountOut: converted(request).amountOut, priceImpactPercent: 0.01, source: 'sandbox' }
    },
    async deposits(addresses) {
      // Before the rows are read: a transfer that is being written now may be older than it is visible.
      const finalizedAt = new Date(Date.now() - FINALITY_MS)
      const { rows } = await db.query<{ address: string; tx_hash: string; amount: string; received_at: string }>(
        `select address, tx_hash, amount::text, received_at::text from sandbox_swap_deposits
          where address = any ($1) order by received_at, tx_hash`,
        [addresses.map(({ depositAddress }) => depositAddress)],
      )
      return addresses.map(({ depositAddress }) => ({
        finalizedAt,
        readTo: null,
        complete: true,
        deposits: rows
          .filter(({ address }) => address === depositAddress)
          .map((row) => ({ txHash: row.tx_hash, amount: BigInt(row.amount), at: new Date(row.received_at) })),
      }))
    },
    async prepareSwap(request) {
      const outcome = await outcomeOf(request.depositAddress)
      const { amountOut, fees } = converted(request)
      if (outcome === 'price_moved' || amountOut < request.minimumAmount) return { refused: 'price_moved' }
      return prepared({
        address: request.depositAddress,
        amount: request.amount.toString(),
        receivedAmount: amountOut.toString(),
        fees: fees.toString(),
        fails: outcome === 'failed',
        simulatesTimeout: endsInTimeout(request.amount, request.from),
      })
    },
    async prepareRefund({ depositAddress, amount }) {
      return prepared({
        address: depositAddress,
        amount: amount.toString(),
        receivedAmount: amount.toString(),
        fees: '0',
        fails: false,
        simulatesTimeout: false,
      })
    },
    async send({ signature, payload }) {
      const { address, amount, fails, simulatesTimeout, validUntil } = Payload.parse(JSON.parse(payload))
      if (Date.now() > validUntil) return
      await db.query(
        `insert into sandbox_swap_transactions (signature, address, amount, fails, settles_at)
         select $1, $2, $3::numeric, $4 or
                $3::numeric > (select coalesce(sum(amount), 0) from sandbox_swap_deposits where address = $2)
                            - (select coalesce(sum(amount), 0) from sandbox_swap_transactions where address = $2 and not fails),
                now() + make_interval(secs => $5)
         on conflict (signature) do nothing`,
        [signature, address, amount, fails, simulatesTimeout ? TIMEOUT_SECONDS : SETTLES_AFTER_SECONDS],
      )
      if (simulatesTimeout)
        throw errors.swap_provider_unavailable({ retryAfter: 5, cause: new Error('The sandbox simulates a timeout') })
    },
    async outcome({ signature, payload }) {
      const { receivedAmount, fees, validUntil } = Payload.parse(JSON.parse(payload))
      const { rows } = await db.query<{ fails: boolean; settled: boolean }>(
        'select fails, settles_at <= now() as settled from sandbox_swap_transactions where signature = $1',
        [signature],
      )
      const [transaction] = rows
      if (!transaction) return { status: Date.now() > validUntil ? 'dropped' : 'unknown' }
      if (!transaction.settled) return { status: 'pending' }
      if (transaction.fails) return { status: 'failed' }
      return { status: 'finalized', receivedAmount: BigInt(receivedAmount), fees: BigInt(fees) }
    },
    async simulateDeposit(own, { depositAddress, amount, outcome }) {
      const txHash = newSignature()
      await own.query('update sandbox_swap_addresses set outcome = $2 where address = $1', [depositAddress, outcome])
      await own.query('insert into sandbox_swap_deposits (tx_hash, address, amount) values ($1, $2, $3)', [
        txHash,
        depositAddress,
        amount.toString(),
      ])
      return { txHash }
    },
  }
}

const endsInTimeout = (amount: bigint, currency: Currency): boolean =>
  TIMEOUT_AMOUNT.test(toDecimal(amount, assetIn(currency)))
