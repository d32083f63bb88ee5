import { randomBytes } from 'node:crypto'
import { type NetworkType, networkOf } from '@payments/kernel'
import { grouped, type SqlExecutor } from '@payments/platform'
import bs58 from 'bs58'
import bs58check from 'bs58check'
import { checksum } from 'ox/Address'
import { bought, cost, sold } from '../currencies/amounts.ts'
import { errors } from '../errors.ts'
import type { NewOfframpOrder, NewOnrampOrder, SandboxFiat } from './provider.ts'
import { marketOf, offers, WINDOW_SECONDS } from './sandbox-data.ts'
import { feeOf, grossOf } from './sandbox-fees.ts'
import { reportOf, type SandboxOrder, timesOut } from './sandbox-report.ts'

const QUOTE_SECONDS = 300

/** This account does not exist; an order to it is accepted and then fails. */
const NO_ACCOUNT = '0000000000'
/** The holder of every Nigerian account, as a bank writes it. */
const HOLDER = 'OBI ADA'

/** Addresses without an owner. */
const REFUNDS: Record<NetworkType, string> = {
  evm: '0x000000000000000000000000000000000000dEaD',
  svm: bs58.encode(new Uint8Array(32)),
  tvm: bs58check.encode(Buffer.concat([Buffer.from([0x41]), Buffer.alloc(20)])),
}

const newAddress: Record<NetworkType, () => string> = {
  evm: () => checksum(`0x${randomBytes(20).toString('hex')}`),
  svm: () => bs58.encode(randomBytes(32)),
  tvm: () => bs58check.encode(Buffer.concat([Buffer.from([0x41]), randomBytes(20)])),
}

const NEW_ORDERS = `insert into sandbox_fiat_orders (reference, direction, asset, currency, rate, amount, fee, account_number, expires_at)
  select o.*, now() + make_interval(secs => $2)
    from json_to_recordset($1) as o (reference uuid, direction text, asset text, currency text, rate text, amount numeric, fee numeric, account_number text),
         set_config('synchronous_commit', 'off', true)
  returning expires_at`

type KeptOrder = { readonly reference: string } & Omit<
  SandboxOrder,
  'received_amount' | 'outcome' | 'expired' | 'age' | 'late'
>

const ORDER = `select direction, asset, currency, rate, amount::text, fee::text, account_number, received_amount::text, outcome,
    expires_at <= now() as expired, extract(epoch from now() - received_at)::float8 as age,
    extract(epoch from received_at - expires_at)::float8 as late
  from sandbox_fiat_orders where reference = $1`

/** What the payer of an onramp is asked for. No delivery leads to an amount by chance with which the provider times out. */
function amountOf({ amount, asset, currency }: NewOnrampOrder): bigint {
  if ('input' in amount) return amount.input
  const least = grossOf(cost(amount.output, asset, currency, marketOf(currency).rate))
  return timesOut(least, currency) ? least + 1n : least
}

/** The sandbox provider of local fiat: its orders are rows, and their state follows from their times. */
export function sandboxFiat(db: SqlExecutor): SandboxFiat {
  // Committed without waiting for the disk: the commit of the order that uses it waits, and includes it.
  const keepOrder = grouped(async (orders: readonly KeptOrder[]): Promise<Date[]> => {
    const { rows } = await db.query<{ expires_at: string | Date }>(NEW_ORDERS, [JSON.stringify(orders), WINDOW_SECONDS])
    return rows.map((row) => new Date(row.expires_at))
  })
  async function keep(direction: 'offramp' | 'onramp', order: NewOfframpOrder | NewOnrampOrder, amount: bigint) {
    const { rate } = marketOf(order.currency)
    const fee = feeOf(amount)
    const account = 'account' in order ? order.account.accountNumber : null
    const { reference, asset, currency } = order
    const expiresAt = await keepOrder({
      ...{ reference, direction, asset, currency, rate, account_number: account },
      ...{ amount: amount.toString(), fee: fee.toString() },
    })
    return { providerOrderId: reference, rate, fee, expiresAt }
  }

  return {
    name: 'sandbox',
    callsPerMinute: 12_000,
    refundAddresses: REFUNDS,
    offers: async () => offers,
    institutions: async (currency) => marketOf(currency).institutions,
    async accountName({ currency, accountNumber }, purpose) {
      if (currency !== 'NGN') return { status: 'unresolved' }
      if (accountNumber === NO_ACCOUNT && purpose === 'verification') return { status: 'not_found' }
      return { status: 'verified', accountName: HOLDER }
    },
    async sellQuote({ amount, asset, currency }) {
      const { rate } = marketOf(currency)
      return {
        rate,
        fee: feeOf(amount),
        convertedAmount: sold(amount, asset, currency, rate),
        expiresAt: new Date(Date.now() + QUOTE_SECONDS * 1000),
        terms: null,
      }
    },
    async createOfframp(order) {
      const { expiresAt, ...accepted } = await keep('offramp', order, order.amount)
      const address = newAddress[networkOf(order.networkKey)?.type ?? 'evm']()
      return {
        ...accepted,
        convertedAmount: sold(order.amount, order.asset, order.currency, accepted.rate),
        deposit: { address, amount: order.amount + accepted.fee, expiresAt },
      }
    },
    async createOnramp(order) {
      const amount = amountOf(order)
      const { expiresAt, ...accepted } = await keep('onramp', order, amount)
      const { currency, asset } = order
      return {
        ...accepted,
        convertedAmount: bought(amount - accepted.fee, currency, asset, accepted.rate),
        paymentAccount: {
          accountNumber: randomBytes(5).readUIntBE(0, 5).toString().padStart(10, '0').slice(-10),
          accountName: 'Sandbox Payments',
          bankName: marketOf(currency).institutions[0]?.name ?? 'Sandbox Bank',
          reference: `SBX-${order.reference.slice(-12).toUpperCase()}`,
          amount,
          expiresAt,
        },
      }
    },
    async report({ reference }) {
      const { rows } = await db.query<SandboxOrder>(ORDER, [reference])
      const [order] = rows
      if (!order) throw errors.fiat_provider_failed({ cause: new Error(`No sandbox order ${reference}`) })
      return { report: reportOf(reference, order), calls: 1 }
    },
    async simulatePayment(own, { reference, amount, outcome = 'completed' }) {
      const { rows } = await own.query(
        `update sandbox_fiat_orders set received_amount = $2, received_at = now(), outcome = $3
          where reference = $1 and received_at is null returning reference`,
        [reference, amount.toString(), outcome],
      )
      return rows.length === 1
    },
  }
}
