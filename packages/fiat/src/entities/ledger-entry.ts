import { type LedgerEntry, networkOf } from '@payments/kernel'
import type { z } from 'zod'
import { decimal } from '../currencies/amounts.ts'
import type { OfframpReceipt, OnrampReceipt } from '../receipt.ts'
import type { OfframpRow } from './offramp.ts'
import type { OnrampRow } from './onramp.ts'

/** `••••6789`: the list of transactions shows the end of an account number only. */
const masked = (accountNumber: string): string => `••••${accountNumber.slice(-4)}`

/** US dollar stablecoins count one to one. */
const dollars = (units: bigint, symbol: string): string | null =>
  symbol === 'USDC' || symbol === 'USDT' ? decimal(units, symbol) : null

/** What was delivered: nothing before, and nothing where it failed. The order shows what was asked for. */
const deliveredOf = ({ status, convertedAmount }: OfframpRow | OnrampRow): bigint =>
  status === 'delivered' ? convertedAmount : 0n

const common = (row: OfframpRow | OnrampRow) => ({
  orderId: row.id,
  status: row.status,
  receivedAmount: decimal(row.receivedAmount ?? 0n, row.sourceCurrency),
  convertedAmount: decimal(
    ['settled', 'delivered'].includes(row.status) ? row.convertedAmount : 0n,
    row.destinationCurrency,
  ),
  fee: decimal(row.fee, row.sourceCurrency),
  rate: row.rate,
  reference: row.reference ?? null,
  failureReason: row.failureReason ?? null,
  ...(row.evidence ? { evidence: row.evidence } : {}),
  refund: row.refund
    ? {
        status: row.refund.status,
        amount: decimal(BigInt(row.refund.amount ?? 0), row.sourceCurrency),
        destination: row.refund.destination,
        txHash: row.refund.txHash,
      }
    : null,
})

/** What the list says of an order: what moved, once something has, and until then what was ordered. Without fees on top, unless it is no more than they are. */
function movedOf(row: OfframpRow | OnrampRow): bigint {
  const { amount, receivedAmount, fee } = row
  if (receivedAmount == null) return amount
  if (!('depositAmount' in row)) return receivedAmount
  if (receivedAmount === row.depositAmount) return amount
  return receivedAmount > fee ? receivedAmount - fee : receivedAmount
}

/** An offramp as an entry of the unified list, with its receipt. */
export function offrampEntry(row: OfframpRow): LedgerEntry {
  const moved = movedOf(row)
  const amount = decimal(row.amount, row.sourceCurrency)
  const amountUsd = dollars(row.amount, row.sourceCurrency)
  const receipt: z.input<typeof OfframpReceipt> = {
    type: 'offramp',
    ...common(row),
    source: { network: row.networkKey, symbol: row.sourceCurrency, amount, amountUsd: amountUsd ?? '' },
    destination: {
      symbol: row.destinationCurrency,
      amount: decimal(deliveredOf(row), row.destinationCurrency),
    },
    bankAccount: {
      holderName: row.accountName,
      accountNumber: row.accountNumber,
      bankName: row.bankName,
      bankCountry: row.bankCountry,
    },
    depositTxHash: row.txHash ?? null,
    returned: row.returnedAt != null,
  }
  return {
    kind: 'offramp',
    customerId: row.customerId ?? null,
    destination: `${row.bankName} ${masked(row.accountNumber)}`,
    amount: decimal(moved, row.sourceCurrency),
    currency: row.sourceCurrency,
    amountUsd: dollars(moved, row.sourceCurrency),
    receipt,
  }
}

/** An onramp as an entry of the unified list, with its receipt. */
export function onrampEntry(row: OnrampRow): LedgerEntry {
  const delivered = deliveredOf(row)
  const amount = decimal(row.amount, row.sourceCurrency)
  const receipt: z.input<typeof OnrampReceipt> = {
    type: 'onramp',
    ...common(row),
    source: { symbol: row.sourceCurrency, amount },
    destination: {
      network: row.networkKey,
      symbol: row.destinationCurrency,
      address: row.destinationAddress,
      amount: decimal(delivered, row.destinationCurrency),
      amountUsd: dollars(delivered, row.destinationCurrency) ?? '',
    },
    txHash: row.txHash ?? null,
  }
  const network = networkOf(row.networkKey)?.name ?? row.networkKey
  return {
    kind: 'onramp',
    customerId: row.customerId ?? null,
    destination: `${network} ${row.destinationCurrency} ${row.destinationAddress}`,
    amount: decimal(movedOf(row), row.sourceCurrency),
    currency: row.sourceCurrency,
    amountUsd: dollars(row.convertedAmount, row.destinationCurrency),
    receipt,
  }
}
