import {
  assetOf,
  dollarsOfPart,
  id,
  type LedgerEntry,
  networkOf,
  type ObjectBalance,
  personal,
  text,
  toDecimal,
  toMinor,
} from '@payments/kernel'
import { Leg, TransactionHash, Wallet } from '@payments/ledger'
import type { ReceiptDeclaration, StatementLine } from '@payments/platform'
import { RefundToSchema } from '@payments/routes'
import { z } from 'zod'
import { decimal, decimalOrZero, invoiceNumberText } from './present.ts'
import { creditedOf, isAccepted, isRefundHeld } from './terms/journal.ts'
import type { SessionColumns, StoredPayment } from './terms/rows.ts'

const Payment = z.looseObject({
  txHash: TransactionHash,
  network: text('Network on which it was sent; empty for a bank transfer', 'ethereum'),
  symbol: text('Currency that was sent', 'USDC'),
  amount: text('What was sent', '25'),
  amountUsd: text('Its value in US dollars; empty if unknown', '25'),
  returned: text('The part of it that was sent back at once', '0'),
  credited: text('What it counts for, in the currency of `origin`', '25').optional(),
  delivered: text('What was delivered of it, in the currency of `destination`; empty if unknown', '24.9'),
  fees: text('Fees of the provider, in the currency of `destination`', '0.1'),
  status: text('State of the payment', 'completed'),
  short: z.boolean().optional().meta({ description: 'True where less was delivered than was promised' }),
  receivedAt: text('When it was received', '2026-01-31T12:00:00.000Z'),
  refundTo: RefundToSchema.nullable().optional(),
  refundHeld: z
    .boolean()
    .optional()
    .meta({ description: 'True while a refund that came back to this service has not been passed on' }),
})

/** The receipt of a checkout session: one transaction, with every deposit to its address. Amounts are decimal text. */
const CollectionReceipt = z
  .looseObject({
    type: z.literal('collection').meta({ description: 'Kind of the receipt' }),
    sessionId: id('checkout session', 51),
    collectionId: id('link, invoice or checkout', 50),
    collectionType: text('`link`, `invoice` or `checkout`', 'invoice'),
    title: personal(text('What was paid for', 'Consulting in January')),
    number: text('Number of an invoice; empty for others', 'INV-000001'),
    status: text('State of the session', 'paid'),
    pricing: z
      .looseObject({
        currency: text('Money of the price', 'USD'),
        amount: text('The price', '25'),
        rate: text('So much of it for one unit of the currency of `destination`', '1'),
      })
      .nullable()
      .optional()
      .meta({ description: 'The price that was held; null without one' }),
    requestedAmount: text('What the payer was asked to send, in the currency of `origin`', '25'),
    origin: Leg.meta({
      description:
        'What was received in the requested currency on the requested network, and what was counted of another',
    }),
    destination: Wallet.meta({ description: 'What was delivered' }),
    fees: text('Fees of the provider, in the currency of `destination`', '0.1'),
    depositAddress: text('Address to which the payer sent', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'),
    payments: z.array(Payment).meta({ description: 'Every deposit, oldest first' }),
  })
  .meta({ id: 'CollectionReceipt', description: 'Receipt of a checkout session' })

/** The sum of decimal texts; undefined if one of them is unknown. */
function sum(texts: readonly (string | null)[]): string | undefined {
  const dollars = { symbol: 'USD', decimals: 18 }
  let total = 0n
  for (const each of texts) {
    if (each === null || !/^\d{1,30}(\.\d{1,18})?$/.test(each)) return undefined
    total += toMinor(each.replace(/^0+(?=\d)/, ''), dollars)
  }
  return toDecimal(total, dollars)
}

const counted = ({ payments }: SessionColumns) =>
  payments.filter((payment) => payment.status === 'completed' && (payment.requested || isAccepted(payment)))

/** What was received of a payment, in US dollars: without the part of it that was sent back. */
const receivedUsd = ({ amount, returned, amountUsd }: StoredPayment): string | null =>
  dollarsOfPart(amountUsd, BigInt(amount) - BigInt(returned), BigInt(amount))

/** A session as an entry of the unified list; undefined before its first deposit. */
export function sessionEntry(row: SessionColumns): LedgerEntry | undefined {
  if (row.payments.length === 0) return undefined
  const { destinationCurrency: symbol } = row
  const usd = sum(counted(row).map(receivedUsd)) ?? null
  const deliveredUsd = sum(
    row.payments.filter(({ status }) => status === 'completed').map((payment) => payment.deliveredUsd),
  )
  const received = decimal(row.receivedAmount, row.currency)
  const receipt: z.infer<typeof CollectionReceipt> = {
    type: 'collection',
    sessionId: row.id,
    collectionId: row.parentId,
    collectionType: row.collectionType,
    title: row.title,
    number: invoiceNumberText(row.invoiceNumber) ?? '',
    status: row.status,
    pricing: row.pricing ? { ...row.pricing } : null,
    requestedAmount: decimal(row.amount, row.currency),
    origin: { network: row.networkKey, symbol: row.currency, amount: received, amountUsd: usd ?? '' },
    destination: {
      network: row.destinationChainKey,
      symbol,
      address: row.destinationAddress,
      amount: decimal(row.deliveredAmount, symbol),
      amountUsd: row.deliveredAmount === 0n ? '' : (deliveredUsd ?? ''),
    },
    fees: decimal(row.fees, symbol),
    depositAddress: row.depositAddress,
    payments: row.payments.map((payment) => shown(row, payment)),
  }
  const network = networkOf(row.destinationChainKey)?.name ?? row.destinationChainKey
  return {
    kind: 'collection',
    customerId: row.customerId ?? null,
    destination: `${network} ${symbol} ${row.destinationAddress}`,
    amount: received,
    currency: row.currency,
    amountUsd: usd,
    receipt,
    ...(row.firstPaymentAt ? { createdAt: row.firstPaymentAt } : {}),
  }
}

const shown = (
  { currency, destinationCurrency: symbol }: SessionColumns,
  payment: StoredPayment,
): z.infer<typeof Payment> => ({
  txHash: payment.txHash,
  network: payment.networkKey ?? '',
  symbol: payment.currency,
  amount: decimalOrZero(BigInt(payment.amount), payment.currency),
  amountUsd: payment.amountUsd ?? '',
  returned: decimalOrZero(BigInt(payment.returned), payment.currency),
  credited: decimal(creditedOf(payment), currency),
  delivered: payment.delivered === null ? '' : decimal(BigInt(payment.delivered), symbol),
  fees: decimal(BigInt(payment.fees), symbol),
  status: payment.status,
  ...(payment.short ? { short: true } : {}),
  receivedAt: payment.receivedAt,
  refundTo: payment.refundTo ?? null,
  refundHeld: isRefundHeld(payment),
})

const units = (amount: string, symbol: string): bigint => {
  const asset = assetOf(symbol)
  return asset ? toMinor(amount, asset) : 0n
}

/**
 * The balances that the journal must show for a session: what was delivered is at the destination, less the fees; what was
 * neither delivered nor sent back is in suspense, and so is what came back to this service; what is under way, or was sent back, is nowhere.
 */
function balances({ payments, destination }: z.infer<typeof CollectionReceipt>): ObjectBalance[] {
  const total = new Map<string, ObjectBalance>()
  const add = (purpose: string, asset: string, amount: bigint) => {
    const key = `${purpose} ${asset}`
    total.set(key, { purpose, asset, amount: amount + (total.get(key)?.amount ?? 0n) })
  }
  for (const { status, symbol, amount, returned, delivered, fees, refundHeld, short } of payments) {
    const kept = units(amount, symbol) - units(returned, symbol)
    if (refundHeld) {
      const back = units(returned === '0' ? amount : returned, symbol)
      add('external', symbol, -back)
      add('suspense', symbol, back)
    } else if (status === 'failed' || (status === 'completed' && delivered === '')) {
      add('external', symbol, -kept)
      add('suspense', symbol, kept)
    } else if (status === 'completed') {
      const [gross, arrived] = [
        units(delivered, destination.symbol) + units(fees, destination.symbol),
        units(delivered, destination.symbol),
      ]
      add('external', symbol, -kept)
      add('destination', destination.symbol, arrived)
      if (symbol === destination.symbol) add(short ? 'suspense' : 'fees', symbol, kept - arrived)
      else {
        add('exchange', symbol, kept)
        add('exchange', destination.symbol, -gross)
        add('fees', destination.symbol, gross - arrived)
      }
    }
  }
  return [...total.values()].filter(({ amount }) => amount !== 0n)
}

/** A payment that was sent back came back as a whole, or as much of it as the provider says; of one that was delivered, what was too much. */
const line = ({ number, title, payments }: z.infer<typeof CollectionReceipt>): StatementLine => ({
  number,
  title,
  returned: payments.map(({ status, symbol: asset, amount, returned, refundHeld }) => ({
    asset,
    amount: status === 'refunded' && refundHeld ? '0' : status === 'refunded' && returned === '0' ? amount : returned,
  })),
})

export const collectionReceipt: ReceiptDeclaration = {
  schema: CollectionReceipt,
  balances,
  line,
  outcomes: { succeeded: ['paid'], failed: ['returned', 'failed'], ended: ['expired', 'cancelled'] },
}
