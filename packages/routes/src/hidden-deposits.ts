import { port } from '@payments/kernel'
import type { UnitOfWork } from '@payments/platform'
import type { DepositRow } from './entity.ts'
import type { DepositReport, Leg } from './provider.ts'

/** A deposit to a hidden route, as its owner is told. Amounts are minor units of the leg's currency. */
export interface HiddenDeposit {
  readonly id: string
  readonly status: DepositReport['status']
  readonly origin: Leg
  readonly originAmount: bigint
  readonly originAmountUsd: string | null
  /** Null: not delivered, or the provider did not report the amount. */
  readonly destinationAmount: bigint | null
  readonly destinationAmountUsd: string | null
  readonly txHash: string | null
  readonly failureReason: DepositReport['failureReason']
  /** When the provider received it, else when it was first reported. */
  readonly receivedAt: Date
}

/** The domain that owns the hidden routes. */
export interface HiddenDepositReceiver {
  /**
   * Applies deposits that are new or changed, in the transaction that records them. Each state of a deposit is reported once;
   * the first report may already be final. The route is locked.
   */
  apply(unit: UnitOfWork, routeId: string, deposits: readonly HiddenDeposit[]): Promise<void>
}

/** Bound by the domain that uses hidden routes. */
export const hiddenDeposits = port<HiddenDepositReceiver>(null, 'Hidden payment routes are not available')

export const toHiddenDeposit = (row: DepositRow, report: DepositReport): HiddenDeposit => ({
  id: row.id,
  status: row.status as HiddenDeposit['status'],
  origin: { networkKey: row.originChainKey, currency: row.originCurrency },
  originAmount: row.originAmount,
  originAmountUsd: row.originAmountUsd ?? null,
  destinationAmount: row.destinationAmount ?? null,
  destinationAmountUsd: row.destinationAmountUsd ?? null,
  txHash: row.depositTxHash ?? null,
  failureReason: (row.failureReason ?? null) as HiddenDeposit['failureReason'],
  receivedAt: report.receivedAt ?? row.createdAt,
})
