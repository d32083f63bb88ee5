import { isoTime, type LedgerEntry, networkOf, toDecimal } from '@payments/kernel'
import type { z } from 'zod'
import { assetIn, NETWORK } from './currencies.ts'
import { rateOf } from './provider/rate.ts'
import type { SwapReceipt } from './receipt.ts'
import type { Swap } from './schemas.ts'

/** The columns that a swap is shown from. */
interface SwapColumns {
  readonly id: string
  readonly provider: string
  readonly status: string
  readonly customerId?: string | null
  readonly fromCurrency: string
  readonly toCurrency: string
  readonly amount: bigint
  readonly expectedAmount: bigint
  readonly minimumAmount: bigint
  readonly slippageBasisPoints: number
  readonly depositedAmount: bigint
  readonly returnedAmount: bigint
  readonly receivedAmount?: bigint | null
  readonly fees?: bigint | null
  readonly depositAddress: string
  readonly destinationAddress: string
  readonly refundAddress: string
  readonly depositTxHash?: string | null
  readonly swapTxHash?: string | null
  readonly refundTxHash?: string | null
  readonly failureReason?: string | null
  readonly metadata: Record<string, string>
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

const amounts = (row: SwapColumns) => ({
  given: (units: bigint) => toDecimal(units, assetIn(row.fromCurrency)),
  got: (units: bigint) => toDecimal(units, assetIn(row.toCurrency)),
})

/** A swap as its GET shows it. */
export function present(row: SwapColumns): z.infer<typeof Swap> {
  const { given, got } = amounts(row)
  return {
    id: row.id,
    provider: row.provider,
    status: row.status as z.infer<typeof Swap>['status'],
    fromCurrency: row.fromCurrency,
    toCurrency: row.toCurrency,
    amount: given(row.amount),
    expectedAmount: got(row.expectedAmount),
    minimumAmount: got(row.minimumAmount),
    maxSlippagePercent: row.slippageBasisPoints / 100,
    depositedAmount: given(row.depositedAmount),
    receivedAmount: row.receivedAmount == null ? null : got(row.receivedAmount),
    rate: rateOf(row.amount, row.receivedAmount ?? row.expectedAmount),
    fees: row.fees == null ? null : got(row.fees),
    depositAddress: row.depositAddress,
    destinationAddress: row.destinationAddress,
    refundAddress: row.refundAddress,
    depositTxHash: row.depositTxHash ?? null,
    swapTxHash: row.swapTxHash ?? null,
    refundTxHash: row.refundTxHash ?? null,
    failureReason: (row.failureReason ?? null) as z.infer<typeof Swap>['failureReason'],
    customerId: row.customerId ?? null,
    metadata: row.metadata,
    expiresAt: isoTime(row.expiresAt),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

/** US dollar stablecoins count one to one; EURC has the value of the dollars that it is swapped into. */
function dollars(row: SwapColumns): string {
  const { given, got } = amounts(row)
  return row.fromCurrency === 'USDC' ? given(row.amount) : got(row.receivedAmount ?? row.expectedAmount)
}

/** A swap as an entry of the unified list, with its receipt. */
export function swapEntry(row: SwapColumns): LedgerEntry {
  const { given, got } = amounts(row)
  const received = row.receivedAmount ?? 0n
  const deliveredUsd = row.toCurrency === 'USDC' ? got(received) : given(row.amount)
  const receipt: z.infer<typeof SwapReceipt> = {
    type: 'swap',
    swapId: row.id,
    status: row.status,
    origin: { network: NETWORK, symbol: row.fromCurrency, amount: given(row.amount), amountUsd: dollars(row) },
    destination: {
      network: NETWORK,
      symbol: row.toCurrency,
      address: row.destinationAddress,
      amount: got(received),
      amountUsd: received === 0n ? '' : deliveredUsd,
    },
    depositedAmount: given(row.depositedAmount),
    returnedAmount: given(row.returnedAmount),
    fees: got(row.fees ?? 0n),
    rate: rateOf(row.amount, row.receivedAmount ?? row.expectedAmount),
    refundAddress: row.refundAddress,
    depositTxHash: row.depositTxHash ?? null,
    swapTxHash: row.swapTxHash ?? null,
    refundTxHash: row.refundTxHash ?? null,
    failureReason: row.failureReason ?? null,
  }
  return {
    kind: 'swap',
    customerId: row.customerId ?? null,
    destination: `${networkOf(NETWORK)?.name} ${row.toCurrency} ${row.destinationAddress}`,
    amount: given(row.amount),
    currency: row.fromCurrency,
    amountUsd: dollars(row),
    receipt,
  }
}
