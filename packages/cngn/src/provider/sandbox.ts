import { createHash, randomBytes } from 'node:crypto'
import { fiatConversions, sandboxFiat } from '@payments/fiat'
import { type NetworkType, networkOf } from '@payments/kernel'
import type { SqlExecutor } from '@payments/platform'
import bs58 from 'bs58'
import { checksum } from 'ox/Address'
import { decimal } from '../kinds/amounts.ts'
import { CNGN } from '../kinds/kinds.ts'
import type { ConvertTerms, PaymentAccount, ProviderTransaction, SandboxCngn } from './provider.ts'
import { SANDBOX_STATUS, statusOf } from './sandbox-status.ts'

const { sold, bought } = fiatConversions
const WINDOW_MS = 1_800_000
const BANK = { bankName: 'Sandbox Bank', bankCode: '044' }

const newAddress = (type: NetworkType): string =>
  type === 'evm' ? checksum(`0x${randomBytes(20).toString('hex')}`) : bs58.encode(randomBytes(32))
const newHash = () => `0x${randomBytes(32).toString('hex')}`
const expiry = () => new Date(Date.now() + WINDOW_MS)

/** Ten digits of a hash. */
const digitsOf = (text: string): string =>
  BigInt(`0x${createHash('sha256').update(text).digest('hex').slice(0, 16)}`)
    .toString()
    .padStart(10, '0')
    .slice(-8)
    .padStart(10, '90')

interface Row {
  readonly reference: string
  readonly channel: ProviderTransaction['channel']
  readonly asset: string
  readonly amount: string
  readonly fee: string
  readonly converted_amount: string | null
  readonly targets: string[]
  readonly tx_hash: string | null
  readonly times_out: boolean
  readonly status: 'pending' | 'completed' | 'failed'
  readonly at: Date | string
}

const COLUMNS = `reference, channel, asset, amount::text, fee::text, converted_amount::text, targets, tx_hash, times_out, at,
  ${SANDBOX_STATUS} as status`
const INSERT = `insert into sandbox_cngn_transactions
    (reference, account, channel, asset, amount, fee, converted_amount, targets, tx_hash, times_out, at, settles_from)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp(), clock_timestamp()) on conflict (reference) do nothing`

/** Half a percent. */
const feeOf = (amount: bigint): bigint => (amount * 5n) / 1000n
/** An amount whose canonical form ends in `.13` times out for half a minute. */
export const timesOut = (amount: bigint, asset: string): boolean => decimal(amount, asset).endsWith('.13')

/** What a deposit of this amount becomes at a rate. */
export function convertedAt(rate: string, from: string, amount: bigint): { fee: bigint; convertedAmount: bigint } {
  const fee = feeOf(amount)
  return { fee, convertedAmount: sold(amount - fee, from, CNGN, rate) }
}

/**
 * The sandbox provider: its movements are rows, and their state follows from their times. Each organisation has an account of its
 * own. Unlike the live provider it knows our reference of an order, so that a repeated order cannot be sent twice.
 */
export function sandboxCngn(db: SqlExecutor): SandboxCngn {
  const fiat = sandboxFiat(db)
  const market = async (amount: bigint, asset: string) =>
    fiat.sellQuote({ amount, asset, networkKey: 'base', currency: 'NGN' })
  const account = (accountNumber: string, accountName: string): PaymentAccount => ({
    accountNumber,
    accountName,
    ...BANK,
  })
  const select = async (where: string, values: unknown[]): Promise<Row[]> =>
    (await db.query<Row>(`select ${COLUMNS} from sandbox_cngn_transactions where ${where} order by at`, values)).rows

  return {
    name: 'sandbox',
    callsPerMinute: null,
    pollSeconds: { soonest: 2, longest: 60 },
    certainAfterSeconds: 5,
    knowsOrders: true,
    graceSeconds: 0,
    account: (organisationId) => organisationId,
    banks: () => fiat.institutions('NGN'),
    async accountName(of) {
      const answer = await fiat.accountName({ currency: 'NGN', ...of }, 'order')
      return answer.status === 'verified' ? answer.accountName : null
    },
    async openPayin({ id, amount, name }) {
      return { account: account(digitsOf(id), name), payable: amount, providerReference: null, expiresAt: expiry() }
    },
    async send({ id, account: from, amount, destination }) {
      const bank = destination.type === 'bank'
      await db.query(INSERT, [
        id,
        from,
        bank ? 'payout' : 'withdrawal',
        CNGN,
        amount.toString(),
        '0',
        null,
        [bank ? destination.accountNumber : destination.address],
        bank ? null : newHash(),
        timesOut(amount, CNGN),
      ])
      return { status: 'accepted', reference: id }
    },
    async transactions(of, since) {
      const rows = await select('account = $1 and at >= $2', [of, since])
      return { movements: rows.map(statusOf), complete: true }
    },
    async movement(of, reference) {
      const [row] = await select('account = $1 and reference = $2', [of, reference])
      return row ? statusOf(row) : null
    },
    async treasury() {
      const { rows } = await db.query<{ balance: string }>(
        `select coalesce(sum(case
             when channel in ('payout', 'withdrawal') then case when status = 'failed' then 0 else -amount end
             when status <> 'completed' then 0 else coalesce(converted_amount, amount - fee) end), 0)::text as balance
           from (select *, ${SANDBOX_STATUS} as status from sandbox_cngn_transactions) t`,
      )
      return BigInt(rows[0]?.balance ?? 0)
    },
    async virtualAccount({ customerId, name }) {
      return account(digitsOf(customerId), name)
    },
    async depositAddress({ networkKey }) {
      return { address: newAddress(networkOf(networkKey)?.type ?? 'evm'), expiresAt: expiry() }
    },
    async convertAddress({ fromCurrency, amount, networkKey }) {
      const { rate } = await market(amount, fromCurrency)
      const address = newAddress(networkOf(networkKey)?.type === 'svm' ? 'svm' : 'evm')
      return { rate, ...convertedAt(rate, fromCurrency, amount), address, expiresAt: expiry() }
    },
    async quote({ amount, toCurrency }) {
      const { rate } = await market(amount, toCurrency)
      const fee = feeOf(amount)
      const terms: ConvertTerms = { rate, fee, convertedAmount: bought(amount - fee, CNGN, toCurrency, rate) }
      return { ...terms, networkKey: 'base', address: newAddress('evm') }
    },
    async report({ address }) {
      const [sent] = await select('targets = $1', [[address]])
      const none = { convertedAmount: null, refundedAmount: null, refundTxHash: null }
      return sent?.status === 'completed'
        ? { ...none, status: 'completed', txHash: newHashOf(sent.reference) }
        : { ...none, status: 'pending', txHash: null }
    },
    async simulateReceipt(own, receipt) {
      const reference = `SBX-${randomBytes(9).toString('hex').toUpperCase()}`
      const txHash = receipt.channel === 'crypto_in' ? newHash() : null
      await own.query(INSERT, [
        reference,
        receipt.organisationId,
        receipt.channel,
        receipt.asset,
        receipt.amount.toString(),
        receipt.fee.toString(),
        receipt.convertedAmount?.toString() ?? null,
        receipt.targets,
        txHash,
        receipt.timesOut,
      ])
      return { reference, txHash }
    },
  }
}

/** The hash of a delivery: the same in every report. */
const newHashOf = (reference: string): string =>
  `0x${createHash('sha256').update(`delivery ${reference}`).digest('hex')}`
