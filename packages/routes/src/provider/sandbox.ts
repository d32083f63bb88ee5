import { createHash, randomBytes } from 'node:crypto'
import { assetOf, type NetworkType, networkOf, networks, toDecimal } from '@payments/kernel'
import { arrayOf, grouped, type SqlExecutor } from '@payments/platform'
import bs58 from 'bs58'
import bs58check from 'bs58check'
import { checksum } from 'ox/Address'
import { errors } from '../errors.ts'
import type { sandboxOutcomes } from '../schemas.ts'
import type { DepositReport, Offer, SandboxRoutes } from './provider.ts'

const SETTLES_AFTER_SECONDS = 2
/** For this long, a deposit whose amount ends in .13 makes every poll of its address time out; afterwards it has settled. */
const TIMEOUT_SECONDS = 30
const TIMEOUT_AMOUNT = /\.13$/

/** Addresses of the sandbox, whose keys nobody has: derived from a text. */
const digest = createHash('sha256').update('refund addresses of the sandbox').digest()
const REFUNDS: Record<NetworkType, string> = {
  evm: checksum(`0x${digest.toString('hex', 0, 20)}`),
  svm: bs58.encode(digest),
  tvm: bs58check.encode(Buffer.concat([Buffer.from([0x41]), digest.subarray(0, 20)])),
}

/** Every currency on every network. */
const OFFERS: readonly Offer[] = networks.map(({ key, currencies }) => ({
  networkKey: key,
  origins: currencies,
  destinations: currencies,
}))

const REASONS = {
  completed: null,
  failed: 'delivery_failed',
  refunded: 'price_moved',
  blocked: 'provider_blocked',
  too_little: 'amount_too_low',
} as const

/** How a settled deposit ended. `too_little`: less than a strict address takes. */
const STATUSES = {
  completed: 'completed',
  failed: 'failed',
  refunded: 'refunded',
  blocked: 'failed',
  too_little: 'refunded',
} as const

/** A random transaction hash in the form of each kind of chain. */
const newHash: Record<NetworkType, () => string> = {
  evm: () => `0x${randomBytes(32).toString('hex')}`,
  svm: () => bs58.encode(randomBytes(64)),
  tvm: () => randomBytes(32).toString('hex'),
}

const newAddress: Record<NetworkType, () => string> = {
  evm: () => checksum(`0x${randomBytes(20).toString('hex')}`),
  svm: () => bs58.encode(randomBytes(32)),
  tvm: () => bs58check.encode(Buffer.concat([Buffer.from([0x41]), randomBytes(20)])),
}

/** A deposit in the sandbox's book, with what its address was quoted. */
interface RequestRow {
  readonly address: string
  readonly id: string
  readonly amount: string
  readonly outcome: (typeof sandboxOutcomes)[number]
  readonly tx_hash: string
  readonly settled: boolean
  readonly simulates_timeout: boolean
  readonly created_at: string
  readonly settles_at: string
  readonly origin_chain_key: string | null
  readonly origin_currency: string | null
  readonly strict_amount: string | null
}

/** Makes the sandbox provider, whose book is in the database. */
export function sandboxRoutes(db: SqlExecutor): SandboxRoutes {
  // Committed without waiting for the disk: the commit of the route that uses it waits, and includes it.
  const keepAddress = grouped(async (addresses: readonly object[]) => {
    await db.query(
      `insert into sandbox_relay_addresses (address, route_id, strict_amount)
       select a.* from json_to_recordset($1) as a (address text, route_id uuid, strict_amount numeric), set_config('synchronous_commit', 'off', true)`,
      [JSON.stringify(addresses)],
    )
    return addresses
  })
  const requestsTo = grouped(async (addresses: readonly string[]) => {
    const { rows } = await db.query<RequestRow>(
      `select r.address, r.id, r.amount::text, r.outcome, r.tx_hash, r.settles_at <= now() as settled, r.simulates_timeout, r.created_at::text,
              r.settles_at::text, r.origin_chain_key, r.origin_currency, a.strict_amount::text
         from sandbox_relay_requests r join sandbox_relay_addresses a using (address) where r.address = any (${arrayOf('text', '$1')}) order by r.created_at`,
      [addresses],
    )
    return addresses.map((address) => rows.filter((row) => row.address === address))
  })
  return {
    name: 'sandbox',
    capabilities: { reusableAddresses: true },
    callsPerMinute: 12_000,
    refundAddresses: REFUNDS,
    offers: async () => OFFERS,
    async createDepositAddress({ routeId, origin, destination, quote, strict }) {
      const depositAddress = newAddress[networkOf(origin.networkKey)?.type ?? 'evm']()
      const inputAmount =
        quote && ('input' in quote ? quote.input : converted(quote.output, destination.currency, origin.currency, true))
      await keepAddress({
        address: depositAddress,
        route_id: routeId,
        strict_amount: strict ? (inputAmount?.toString() ?? null) : null,
      })
      if (!quote || inputAmount === undefined) return { depositAddress }
      const outputAmount =
        'output' in quote ? quote.output : converted(quote.input, origin.currency, destination.currency)
      return {
        depositAddress,
        inputAmount,
        outputAmount,
        inputUsd: dollars(inputAmount, origin.currency),
        expectedUsd: dollars(outputAmount, destination.currency),
      }
    },
    async deposits({ depositAddress, origin, destination }) {
      const rows = await requestsTo(depositAddress)
      if (rows.some((row) => row.simulates_timeout && !row.settled)) {
        throw errors.provider_unavailable({ retryAfter: 5, cause: new Error('The sandbox plays a timeout') })
      }
      const reports = rows.map((row): DepositReport => {
        const amount = BigInt(row.amount)
        const strictAmount = row.strict_amount === null ? amount : BigInt(row.strict_amount)
        const sent =
          row.origin_chain_key && row.origin_currency
            ? { networkKey: row.origin_chain_key, currency: row.origin_currency }
            : origin
        const outcome = row.outcome === 'completed' && amount < strictAmount ? 'too_little' : row.outcome
        const filled = amount > strictAmount ? strictAmount : amount
        const status = row.settled ? STATUSES[outcome] : 'pending'
        return {
          requestId: row.id,
          status,
          origin: sent,
          originAmount: amount,
          originAmountUsd: dollars(amount, sent.currency),
          destinationAmount: status === 'completed' ? converted(filled, sent.currency, destination.currency) : null,
          destinationAmountUsd: status === 'completed' ? dollars(filled, sent.currency) : null,
          depositTxHash: row.tx_hash,
          failureReason: row.settled ? REASONS[outcome] : null,
          providerReason: null,
          updatedAt: new Date(row.settled ? row.settles_at : row.created_at),
          receivedAt: new Date(row.created_at),
        }
      })
      return { reports, calls: 1 }
    },
    async simulateDeposit(db, { depositAddress, amount, networkKey, currency, outcome }) {
      const asset = assetOf(currency)
      const simulatesTimeout = asset !== undefined && TIMEOUT_AMOUNT.test(toDecimal(amount, asset))
      const requestId = `0x${randomBytes(32).toString('hex')}`
      await db.query(
        `insert into sandbox_relay_requests (id, address, amount, outcome, tx_hash, settles_at, simulates_timeout, origin_chain_key, origin_currency)
         values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6), $7, $8, $9)`,
        [
          requestId,
          depositAddress,
          amount.toString(),
          outcome,
          newHash[networkOf(networkKey)?.type ?? 'evm'](),
          simulatesTimeout ? TIMEOUT_SECONDS : SETTLES_AFTER_SECONDS,
          simulatesTimeout,
          networkKey,
          currency,
        ],
      )
      return { requestId }
    },
  }
}

/** What one of each is worth in the sandbox, in US cents. Prices never move, so that tests can be repeated. */
const CENTS: Readonly<Record<string, bigint>> = { USDC: 100n, USDT: 100n, EURC: 108n, ETH: 250_000n, SOL: 15_000n }

/** Worth in US dollars; null for a token without a price. */
function dollars(amount: bigint, symbol: string): string | null {
  const [asset, cents] = [assetOf(symbol), CENTS[symbol]]
  return asset && cents ? toDecimal(amount * cents, { symbol: 'USD', decimals: asset.decimals + 2 }) : null
}

/**
 * At the prices of the sandbox. The provider keeps what the precision of the destination cannot hold.
 * @param up for what has to be sent: it is worth at least the amount
 */
function converted(amount: bigint, from: string, to: string, up = false): bigint {
  const scale = (symbol: string) => 10n ** BigInt(assetOf(symbol)?.decimals ?? 0)
  const worth = amount * (CENTS[from] ?? 100n) * scale(to)
  const unit = (CENTS[to] ?? 100n) * scale(from)
  return (worth + (up ? unit - 1n : 0n)) / unit
}
