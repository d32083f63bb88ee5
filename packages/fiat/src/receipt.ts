import { assetNamed, id, type ObjectBalance, personal, text, toMinor } from '@payments/kernel'
import { Bank, Leg, Money, TransactionHash, Wallet } from '@payments/ledger'
import type { ReceiptDeclaration, ReportedAmounts, StatementLine } from '@payments/platform'
import { z } from 'zod'
import { OFFRAMP } from './schemas.ts'
import { shownRefundStates } from './states.ts'

const RefundReceipt = z
  .looseObject({
    status: z.enum(shownRefundStates).meta({ description: 'State of the refund' }),
    amount: text('What was sent back; "0" until it is known', '25.125'),
    destination: personal(text('The address or account that the money goes back to', '0123456789').nullable()),
    txHash: TransactionHash,
  })
  .nullable()
  .meta({ description: 'The money of a failed order on its way back' })

const common = {
  orderId: id('order', OFFRAMP),
  status: text('State of the order', 'delivered'),
  receivedAmount: text('What arrived, in the source currency; "0" before', '25.125'),
  convertedAmount: text(
    'What it was converted into, on its way or delivered; "0" before, and where it failed',
    '39506.25',
  ).optional(),
  fee: text('Fee in the source currency', '0.125'),
  rate: text('Fiat for one unit of stablecoin', '1580.25'),
  reference: text('Your own reference', 'payroll-17').nullable(),
  failureReason: text('Why it failed', 'returned_by_bank').nullable(),
  refund: RefundReceipt,
  evidence: z
    .record(z.string(), z.string())
    .nullable()
    .optional()
    .meta({ description: 'Figures of the provider whose reading is not certain', example: { amount: '31.64' } }),
}

/** The receipt of an offramp. Amounts are decimal text. */
export const OfframpReceipt = z
  .looseObject({
    type: z.literal('offramp').meta({ description: 'Kind of the receipt' }),
    ...common,
    source: Leg.meta({ description: 'The stablecoin to convert' }),
    destination: Money.meta({ description: 'What was delivered to the account; "0" until then' }),
    bankAccount: Bank.meta({ description: 'The account that receives the money' }),
    depositTxHash: TransactionHash,
    returned: z
      .boolean()
      .meta({ description: 'The bank returned the transfer after it had confirmed it', example: false }),
  })
  .meta({ id: 'OfframpReceipt', description: 'Receipt of an offramp; amounts are decimal text' })

/** The receipt of an onramp. Amounts are decimal text. */
export const OnrampReceipt = z
  .looseObject({
    type: z.literal('onramp').meta({ description: 'Kind of the receipt' }),
    ...common,
    source: Money.meta({ description: 'The payment' }),
    destination: Wallet.meta({ description: 'What was delivered to the wallet; "0" until then' }),
    txHash: TransactionHash,
  })
  .meta({ id: 'OnrampReceipt', description: 'Receipt of an onramp; amounts are decimal text' })

type Receipt = z.infer<typeof OfframpReceipt> | z.infer<typeof OnrampReceipt>

const units = (amount: string, symbol: string): bigint => toMinor(amount, assetNamed(symbol))

/**
 * The balances that the journal must show for an order: what was received is with the provider until it is converted, then
 * on the way to the destination, then there; of a failed order with the provider, in suspense, or back where it came from.
 */
export function balancesOf(receipt: Receipt): ObjectBalance[] {
  const from = receipt.source.symbol
  const to = receipt.destination.symbol
  const received = units(receipt.receivedAmount, from)
  const fee = units(receipt.fee, from)
  const converted = units(receipt.convertedAmount ?? receipt.destination.amount, to)
  const balance = (purpose: string, asset: string, amount: bigint): ObjectBalance => ({ purpose, asset, amount })
  if (received === 0n) return []
  const external = balance('external', from, -received)
  const conversion = (purpose: string) => [
    external,
    balance('fees', from, fee),
    balance('exchange', from, received - fee),
    balance('exchange', to, -converted),
    balance(purpose, to, converted),
  ]
  const refunded = ({ amount }: { amount: string }) => {
    const back = units(amount, from)
    return [balance('external', from, back - received), balance('fees', from, received - back)]
  }
  switch (receipt.status) {
    case 'settled':
      return conversion('clearing')
    case 'delivered':
      // The bank returned it, and it was sent back to the payer.
      if (receipt.refund?.status === 'completed') return refunded(receipt.refund)
      return conversion('returned' in receipt && receipt.returned ? 'suspense' : 'destination')
    case 'failed': {
      const { refund } = receipt
      if (refund?.status === 'completed') return refunded(refund)
      const held = receipt.failureReason === 'compliance_hold' || refund?.status === 'failed'
      return [external, balance(held ? 'suspense' : 'clearing', from, received)]
    }
    default:
      return [external, balance('clearing', from, received)]
  }
}

/** What the last report of the provider must say, where it says anything. */
function evidence(receipt: Receipt): ReportedAmounts {
  const amount = (text: string, symbol: string) => ({ asset: symbol, amount: units(text, symbol) })
  const from = receipt.source.symbol
  const { refund } = receipt
  return {
    ...(receipt.receivedAmount === '0' ? {} : { received: amount(receipt.receivedAmount, from) }),
    ...(receipt.status === 'delivered' && refund?.status !== 'completed'
      ? { delivered: amount(receipt.destination.amount, receipt.destination.symbol) }
      : {}),
    ...(refund?.status === 'completed' ? { refunded: amount(refund.amount, from) } : {}),
  }
}

const line = ({ refund, source }: Receipt): StatementLine => ({
  returned: refund?.status === 'completed' ? [{ asset: source.symbol, amount: refund.amount }] : [],
})

const declared = {
  balances: balancesOf,
  evidence,
  line,
  outcomes: { succeeded: ['delivered'], failed: ['failed'], ended: ['expired'] },
}
export const offrampReceipt: ReceiptDeclaration = { schema: OfframpReceipt, ...declared }
export const onrampReceipt: ReceiptDeclaration = { schema: OnrampReceipt, ...declared }
