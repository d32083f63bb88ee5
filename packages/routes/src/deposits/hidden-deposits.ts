import { extension } from '@payments/kernel'
import type { UnitOfWork } from '@payments/platform'
import type { DepositRow } from '../entity.ts'
import type { DepositReport, Leg } from '../provider/provider.ts'
import type { RefundTo } from '../refund-owners.ts'
import { goesBack } from './existing.ts'

/** A deposit to a hidden route, as its owner is told. Amounts are minor units of the leg's currency. */
export interface HiddenDeposit {
  readonly id: string
  readonly status: DepositReport['status']
  readonly origin: Leg
  /** Null while it is not known; zero for a token that this service does not know. */
  readonly originAmount: bigint | null
  readonly originAmountUsd: string | null
  /** Null: not delivered, or the provider did not report the amount. */
  readonly destinationAmount: bigint | null
  readonly destinationAmountUsd: string | null
  /** Of a completed deposit: the part of it that went back, or is expected to; null where no report tells. */
  readonly returnedAmount: bigint | null
  /** That part could not be sent back, as the provider says. */
  readonly returnFailed: boolean
  readonly txHash: string | null
  readonly failureReason: DepositReport['failureReason']
  readonly refundTo: RefundTo | null
  /** An operator has recorded its outcome. */
  readonly settled: boolean
  /** When it was received: at the latest when it was first reported. */
  readonly receivedAt: Date
}

/** The domain that owns the hidden routes. */
export interface HiddenDepositReceiver {
  /**
   * Applies deposits that are new or changed, in the transaction that records them. Each state of a deposit is reported once;
   * the first report may already be final, and a final one may be followed by another. The route is locked.
   * @returns until when a payer is expected at the route
   */
  apply(unit: UnitOfWork, routeId: string, deposits: readonly HiddenDeposit[]): Promise<Date>
}

/** Bound by the domain that uses hidden routes. */
export const hiddenDeposits = extension<HiddenDepositReceiver>('Hidden payment routes are not available')

export const toHiddenDeposit = (row: DepositRow, report: Partial<DepositReport>): HiddenDeposit => ({
  id: row.id,
  status: row.status as HiddenDeposit['status'],
  origin: { networkKey: row.originChainKey, currency: row.originCurrency },
  originAmount: row.originAmount ?? null,
  originAmountUsd: row.originAmountUsd ?? null,
  destinationAmount: row.destinationAmount ?? null,
  destinationAmountUsd: row.destinationAmountUsd ?? null,
  returnedAmount: row.returnedAmount ?? goesBack(report),
  returnFailed: report.returnFailed ?? false,
  txHash: row.depositTxHash ?? null,
  failureReason: (row.failureReason ?? null) as HiddenDeposit['failureReason'],
  refundTo: { address: row.refundAddress, owner: row.refundOwner },
  settled: !!row.settledAt,
  receivedAt: report.receivedAt && report.receivedAt < row.createdAt ? report.receivedAt : row.createdAt,
})
