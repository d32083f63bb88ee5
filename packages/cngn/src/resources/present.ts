import { isoTime } from '@payments/kernel'
import type { z } from 'zod'
import type { TransferRow } from '../entity.ts'
import { decimal } from '../kinds/amounts.ts'
import { CNGN, type Kind } from '../kinds/kinds.ts'
import type { CngnDeposit, Convert, Payin, Payout, PayoutApproval, Withdrawal } from '../schemas.ts'
import { entryOf } from './ledger-entry.ts'

const cngn = (units: bigint | null | undefined): string | null => (units == null ? null : decimal(units, CNGN))

const common = (row: TransferRow) => ({
  id: row.id,
  provider: row.provider,
  customerId: row.customerId,
  status: row.status as 'pending',
  failureReason: (row.failureReason ?? null) as never,
  providerOutcome: row.providerOutcome ?? null,
  metadata: row.metadata,
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
})
/** Of money out: whether a second person must approve it. */
const approval = ({ id, approvalStatus, approvalRequestedBy, approvalDecidedBy, approvalExpiresAt }: TransferRow) =>
  approvalStatus && approvalExpiresAt
    ? {
        id,
        status: approvalStatus,
        requestedBy: approvalRequestedBy ?? null,
        decidedBy: approvalDecidedBy ?? null,
        expiresAt: isoTime(approvalExpiresAt),
      }
    : null
/** Amount and fee in cNGN, of an object whose amount is known. */
const money = (row: TransferRow) => ({ amount: cngn(row.amount) ?? '0', fee: decimal(row.fee, CNGN) })
const bankAccount = (row: TransferRow) => ({
  accountNumber: row.accountNumber ?? '',
  accountName: row.accountName ?? '',
  bankName: row.bankName ?? '',
  bankCode: row.bankCode ?? '',
})

/** A convert as its GET shows it. */
export function presentConvert(row: TransferRow): z.input<typeof Convert> {
  const from = row.fromCurrency ?? CNGN
  const to = row.toCurrency ?? CNGN
  return {
    ...common(row),
    amount: decimal(row.amount ?? 0n, from),
    fee: decimal(row.fee, from),
    fromCurrency: from,
    toCurrency: to,
    convertedAmount: decimal(row.convertedAmount ?? 0n, to),
    rate: row.rate ?? '0',
    deposit:
      from === CNGN
        ? null
        : {
            networkKey: row.networkKey ?? '',
            address: row.receiveAt ?? '',
            amount: decimal(row.receiveAmount ?? 0n, from),
            expiresAt: row.expiresAt ? isoTime(row.expiresAt) : '',
          },
    depositTxHash: row.depositTxHash ?? null,
    networkKey: row.networkKey ?? '',
    destinationAddress: row.address ?? null,
    refundAddress: row.refundAddress ?? null,
    refundTxHash: row.refundTxHash ?? null,
    txHash: row.txHash ?? null,
    approval: approval(row),
  }
}

/** A withdrawal as its GET shows it. */
export const presentWithdrawal = (row: TransferRow): z.input<typeof Withdrawal> => ({
  ...common(row),
  ...money(row),
  networkKey: row.networkKey ?? '',
  address: row.address ?? '',
  txHash: row.txHash ?? null,
  approval: approval(row),
})

/** A payout as its GET shows it. */
export const presentPayout = (row: TransferRow): z.input<typeof Payout> => ({
  ...common(row),
  ...money(row),
  bankAccount: bankAccount(row),
  accountCheck: {
    status: row.checkStatus ?? 'unresolved',
    accountName: row.checkAccountName ?? null,
    provider: row.provider,
    checkedAt: isoTime(row.checkedAt ?? row.createdAt),
  },
  reference: row.reference ?? null,
  approval: approval(row),
})

/** A payin as its GET shows it. */
export const presentPayin = (row: TransferRow): z.input<typeof Payin> => ({
  ...common(row),
  ...money(row),
  account: {
    ...bankAccount(row),
    amount: cngn(row.receiveAmount),
    expiresAt: row.expiresAt ? isoTime(row.expiresAt) : null,
  },
  reference: row.reference ?? null,
  relatedPayinId: row.relatedPayinId ?? null,
})

/** A deposit as its GET shows it. */
export const presentDeposit = (row: TransferRow): z.input<typeof CngnDeposit> => ({
  ...common(row),
  amount: cngn(row.amount),
  fee: decimal(row.fee, CNGN),
  networkKey: row.networkKey ?? '',
  address: row.receiveAt ?? '',
  txHash: row.txHash ?? null,
})

/** Money out that a second person answers, or has answered. @throws Error for an object that needs nobody */
export function presentApproval(row: TransferRow): z.input<typeof PayoutApproval> {
  const shown = approval(row)
  if (!shown) throw new Error('Nobody has to approve it')
  return {
    ...shown,
    kind: row.kind as 'payout',
    objectId: row.id,
    customerId: row.customerId,
    amount: cngn(row.amount) ?? '0',
    currency: CNGN,
    destination: entryOf(row).destination,
    providerOutcome: row.providerOutcome ?? null,
    createdAt: isoTime(row.createdAt),
  }
}

/** Each kind as its GET shows it. */
export const presenters = {
  convert: presentConvert,
  withdrawal: presentWithdrawal,
  payout: presentPayout,
  payin: presentPayin,
  deposit: presentDeposit,
} satisfies Record<Kind, (row: TransferRow) => unknown>
