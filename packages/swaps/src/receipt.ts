import { type ObjectBalance, text, toMinor } from '@payments/kernel'
import { Leg, TransactionHash, Wallet } from '@payments/ledger'
import type { ReceiptDeclaration, ReportedAmounts, StatementLine } from '@payments/platform'
import { z } from 'zod'
import { assetIn } from './currencies.ts'

/** The receipt of a swap. Amounts are decimal text. */
export const SwapReceipt = z
  .looseObject({
    type: z.literal('swap').meta({ description: 'Kind of the receipt' }),
    swapId: z.uuid().meta({ description: 'Id of the swap', example: '01936f2a-7c1e-7000-8000-000000000040' }),
    status: text('State of the swap', 'completed'),
    origin: Leg.meta({ description: 'What is swapped' }),
    destination: Wallet.meta({ description: 'What was delivered; "0" before' }),
    depositedAmount: text('What arrived at the deposit address, in the currency of `origin`', '100'),
    returnedAmount: text('What was sent back to the refund address, in the currency of `origin`', '0'),
    fees: text('Deducted from what was delivered, in its currency', '0.054'),
    rate: text('Currency of `destination` for one unit of `origin`', '1.07946'),
    refundAddress: text('Wallet to which a deposit goes back', '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'),
    depositTxHash: TransactionHash,
    swapTxHash: TransactionHash,
    refundTxHash: TransactionHash,
    failureReason: text('Why it was not swapped', 'price_moved').nullable(),
  })
  .meta({ id: 'SwapReceipt', description: 'Receipt of a swap' })

const units = (amount: string, symbol: string): bigint => toMinor(amount, assetIn(symbol))

/**
 * The balances that the journal must show for a swap: what arrived and was neither swapped nor sent back is at its deposit
 * address (`clearing`), what was swapped went through `exchange` to the destination.
 */
function balances({ status, origin, destination, ...receipt }: z.infer<typeof SwapReceipt>): ObjectBalance[] {
  const deposited = units(receipt.depositedAmount, origin.symbol)
  const returned = units(receipt.returnedAmount, origin.symbol)
  const swapped = status === 'completed' ? units(origin.amount, origin.symbol) : 0n
  const delivered = status === 'completed' ? units(destination.amount, destination.symbol) : 0n
  const fees = status === 'completed' ? units(receipt.fees, destination.symbol) : 0n
  const balance = (purpose: string, asset: string, amount: bigint): ObjectBalance => ({ purpose, asset, amount })
  return [
    balance('external', origin.symbol, returned - deposited),
    balance('clearing', origin.symbol, deposited - returned - swapped),
    balance('exchange', origin.symbol, swapped),
    balance('exchange', destination.symbol, -delivered - fees),
    balance('destination', destination.symbol, delivered),
    balance('fees', destination.symbol, fees),
  ].filter(({ amount }) => amount !== 0n)
}

/** The transaction that completed it says what was delivered. */
const evidence = ({ status, destination }: z.infer<typeof SwapReceipt>): ReportedAmounts =>
  status === 'completed'
    ? { delivered: { asset: destination.symbol, amount: units(destination.amount, destination.symbol) } }
    : {}

const line = ({ origin, returnedAmount }: z.infer<typeof SwapReceipt>): StatementLine => ({
  returned: [{ asset: origin.symbol, amount: returnedAmount }],
})

export const swapReceipt: ReceiptDeclaration = {
  schema: SwapReceipt,
  balances,
  line,
  evidence,
  outcomes: { succeeded: ['completed'], failed: ['failed', 'refunded'], ended: ['expired', 'cancelled'] },
}
