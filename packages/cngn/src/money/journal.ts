import {
  type AccountKey,
  accountsOf,
  capture,
  type Draft,
  difference,
  nonZero,
  type Posting,
  postWithCommit,
  reserve,
  type Source,
} from '@payments/ledger'
import type { UnitOfWork } from '@payments/platform'
import type { TransferRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { CNGN, goesOut } from '../kinds/kinds.ts'

const sourceOf = (row: Pick<TransferRow, 'id' | 'kind'>): Source => ({ type: `cngn_${row.kind}`, id: row.id })

const account = accountsOf()
const posting = (key: AccountKey, amount: bigint): Posting => ({ account: key, amount })

/** Reserves what an object sends, with the commit of the transaction that creates it. @throws cngn_insufficient_balance 422 when it is sent */
export const hold = (unit: UnitOfWork, row: Pick<TransferRow, 'id' | 'kind' | 'customerId'>, amount: bigint) =>
  reserve(unit, { source: sourceOf(row), holder: { asset: CNGN, customerId: row.customerId }, amount }, [
    errors.cngn_insufficient_balance,
  ])

/** Money has left: what was reserved goes outside or, of a convert, through the exchange. */
export function paid(unit: UnitOfWork, row: TransferRow) {
  const net = (row.amount ?? 0n) - row.fee
  const converted = row.convertedAmount ?? 0n
  const to = row.toCurrency
  return capture(unit, {
    source: sourceOf(row),
    to: nonZero([
      posting(account('fees', CNGN), row.fee),
      posting(account(to ? 'exchange' : 'external', CNGN), net),
      ...(to ? [posting(account('exchange', to), -converted), posting(account('external', to), converted)] : []),
    ]),
  })
}

/** Money came back: it is free again, less what the provider kept of it. */
export const givenBack = (unit: UnitOfWork, row: TransferRow, kept: bigint) =>
  capture(unit, { source: sourceOf(row), to: nonZero([posting(account('fees', CNGN), kept)]) })

/** What money that has arrived in the customer's balance is in the journal: through the exchange if it was converted. */
function arrived(row: TransferRow): Posting[] {
  const amount = row.amount ?? 0n
  const from = row.fromCurrency
  const available = account('available', CNGN, row.customerId)
  const converted = row.convertedAmount ?? 0n
  return [
    posting(account('external', from ?? CNGN), -amount),
    posting(account('fees', from ?? CNGN), row.fee),
    ...(from
      ? [
          posting(account('exchange', from), amount - row.fee),
          posting(account('exchange', CNGN), -converted),
          posting(available, converted),
        ]
      : [posting(available, amount - row.fee)]),
  ]
}

/** Money has arrived in the customer's balance. */
export const credited = (unit: UnitOfWork, row: TransferRow) =>
  postWithCommit(unit, { source: sourceOf(row), step: 'credited', postings: nonZero(arrived(row)) })

/** What the journal holds for an object in its state, by account. */
function positionOf(row: TransferRow): Posting[] {
  const amount = row.amount ?? 0n
  const available = account('available', CNGN, row.customerId)
  const converted = row.convertedAmount ?? 0n
  if (!goesOut(row.kind, row.fromCurrency)) return row.status === 'completed' ? arrived(row) : []
  if (row.status === 'failed') return [posting(available, -row.fee), posting(account('fees', CNGN), row.fee)]
  if (row.status !== 'completed')
    return [posting(available, -amount), posting(account('reserved', CNGN, row.customerId), amount)]
  const net = amount - row.fee
  return [
    posting(available, -amount),
    posting(account('fees', CNGN), row.fee),
    posting(account(row.toCurrency ? 'exchange' : 'external', CNGN), net),
    ...(row.toCurrency
      ? [
          posting(account('exchange', row.toCurrency), -converted),
          posting(account('external', row.toCurrency), converted),
        ]
      : []),
  ]
}

/**
 * An object that had ended turned out otherwise: the difference between what the journal held for it and what it must hold now.
 * @throws cngn_insufficient_balance 422 when the customer has spent what must be taken back
 */
export async function corrected(unit: UnitOfWork, before: TransferRow, after: TransferRow): Promise<void> {
  const postings = difference(positionOf(after), positionOf(before))
  if (postings.length === 0) return
  await postWithCommit(unit, { source: sourceOf(after), step: `corrected.${after.corrections}`, postings }, [
    errors.cngn_insufficient_balance,
  ])
}

/** Money that arrived for an organisation and belongs to no object: held in suspense until an operator assigns it. */
export function suspended(receipt: {
  readonly id: string
  readonly asset: string
  readonly amount: bigint
  readonly fee: bigint
}): Draft {
  const { id, asset, amount, fee } = receipt
  return {
    source: { type: 'cngn_receipt', id },
    step: 'suspense',
    postings: nonZero([
      posting(account('external', asset), -amount),
      posting(account('fees', asset), fee),
      posting(account('suspense', asset), amount - fee),
    ]),
  }
}
