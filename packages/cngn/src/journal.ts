import type { AssetSymbol } from '@payments/kernel'
import { type AccountKey, capture, type Draft, type Posting, post, reserve, type Source } from '@payments/ledger'
import type { UnitOfWork } from '@payments/platform'
import type { TransferRow } from './entity.ts'
import { errors } from './errors.ts'
import { CNGN } from './kinds.ts'

const sourceOf = (row: Pick<TransferRow, 'id' | 'kind'>): Source => ({ type: `cngn_${row.kind}`, id: row.id })

const account = (purpose: AccountKey['purpose'], asset: string, customerId?: string): AccountKey => ({
  purpose,
  asset: asset as AssetSymbol,
  ...(customerId ? { customerId } : {}),
})
const posting = (key: AccountKey, amount: bigint): Posting => ({ account: key, amount })
const nonZero = (postings: Posting[]): Posting[] => postings.filter(({ amount }) => amount !== 0n)

/** Reserves what an object sends, in the transaction that creates it. @throws cngn_insufficient_balance 422 */
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

/** Money has arrived in the customer's balance, through the exchange if it was converted. */
export function credited(unit: UnitOfWork, row: TransferRow) {
  const amount = row.amount ?? 0n
  const from = row.fromCurrency
  const available = account('available', CNGN, row.customerId)
  const converted = row.convertedAmount ?? 0n
  return post(unit, {
    source: sourceOf(row),
    step: 'credited',
    postings: nonZero([
      posting(account('external', from ?? CNGN), -amount),
      posting(account('fees', from ?? CNGN), row.fee),
      ...(from
        ? [
            posting(account('exchange', from), amount - row.fee),
            posting(account('exchange', CNGN), -converted),
            posting(available, converted),
          ]
        : [posting(available, amount - row.fee)]),
    ]),
  })
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
