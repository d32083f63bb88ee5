import { type LedgerEntry, networkOf } from '@payments/kernel'
import type { TransferRow } from '../entity.ts'
import { decimal } from '../kinds/amounts.ts'
import { CNGN, goesOut, type Kind } from '../kinds/kinds.ts'

/** `••••6789`: the list of transactions shows the end of an account number only. */
const masked = (accountNumber: string | null | undefined): string => `••••${(accountNumber ?? '').slice(-4)}`
const networkName = (key: string | null | undefined): string => networkOf(key ?? '')?.name ?? key ?? ''

/** US dollar stablecoins count one to one; for cNGN no rate is known here. */
const dollars = (units: bigint, symbol: string): string => (symbol === CNGN ? '' : decimal(units, symbol))

const money = (symbol: string, units: bigint) => ({ symbol, amount: decimal(units, CNGN) })
const bank = (row: TransferRow) => ({
  holderName: row.accountName ?? null,
  accountNumber: row.accountNumber ?? '',
  bankName: row.bankName ?? null,
  bankCountry: 'NG',
})
const leg = (networkKey: string | null | undefined, symbol: string, units: bigint) => ({
  network: networkKey ?? '',
  symbol,
  amount: decimal(units, symbol),
  amountUsd: dollars(units, symbol),
})

/** Where the money of an object goes, and the part of its receipt that only its kind has. */
function detail(row: TransferRow): { destination: string; receipt: Record<string, unknown> } {
  const amount = row.amount ?? 0n
  // What was delivered: nothing before, and nothing where it failed. The object shows what was asked for.
  const isDelivered = row.status === 'completed'
  const net = isDelivered ? amount - row.fee : 0n
  switch (row.kind) {
    case 'convert': {
      const [from, to] = [row.fromCurrency ?? CNGN, row.toCurrency ?? CNGN]
      const out = from === CNGN
      return {
        destination: out ? `${networkName(row.networkKey)} ${to} ${row.address}` : `${CNGN} balance`,
        receipt: {
          source: leg(out ? null : row.networkKey, from, amount),
          destination: {
            ...leg(out ? row.networkKey : null, to, isDelivered ? (row.convertedAmount ?? 0n) : 0n),
            address: row.address ?? null,
          },
          rate: row.rate ?? '',
          depositTxHash: row.depositTxHash ?? null,
          refundTxHash: row.refundTxHash ?? null,
          txHash: row.txHash ?? null,
        },
      }
    }
    case 'withdrawal':
      return {
        destination: `${networkName(row.networkKey)} ${CNGN} ${row.address}`,
        receipt: {
          source: money(CNGN, amount),
          destination: { ...leg(row.networkKey, CNGN, net), address: row.address ?? null },
          txHash: row.txHash ?? null,
        },
      }
    case 'payout':
      return {
        destination: `${row.bankName} ${masked(row.accountNumber)}`,
        receipt: {
          source: money(CNGN, amount),
          destination: money('NGN', net),
          bankAccount: bank(row),
          reference: row.reference ?? null,
        },
      }
    case 'payin':
      return {
        destination: `${CNGN} balance`,
        receipt: {
          source: money('NGN', amount),
          destination: money(CNGN, net),
          bankAccount: bank(row),
          reference: row.reference ?? null,
        },
      }
    case 'deposit':
      return {
        destination: `${CNGN} balance`,
        receipt: {
          source: { ...leg(row.networkKey, CNGN, amount), address: row.receiveAt ?? null },
          destination: money(CNGN, net),
          txHash: row.txHash ?? null,
        },
      }
  }
}

/** An object as an entry of the unified list, with its receipt. */
export function entryOf(row: TransferRow): LedgerEntry {
  const kind = `cngn_${row.kind satisfies Kind}`
  const { destination, receipt } = detail(row)
  const symbol = row.fromCurrency ?? CNGN
  const stablecoin = goesOut(row.kind, row.fromCurrency) ? row.toCurrency : row.fromCurrency
  const worth = goesOut(row.kind, row.fromCurrency) ? row.convertedAmount : row.amount
  return {
    kind,
    customerId: row.customerId,
    destination,
    amount: decimal(row.amount ?? 0n, symbol),
    currency: symbol,
    amountUsd: stablecoin && stablecoin !== CNGN ? decimal(worth ?? 0n, stablecoin) : null,
    receipt: {
      type: kind,
      transferId: row.id,
      status: row.status,
      fee: decimal(row.fee, symbol),
      failureReason: row.failureReason ?? null,
      ...(row.approvalStatus ? { approvalStatus: row.approvalStatus } : {}),
      ...receipt,
    },
  }
}
