import { newId } from '@payments/kernel'
import { createResource, sqlOf, type UnitOfWork } from '@payments/platform'
import { blank, type TransferRow } from '../../entity.ts'
import { heldBy } from '../../provider/holder.ts'
import type { ProviderTransaction } from '../../provider/provider.ts'
import { transferResources } from '../../resources/resources.ts'
import { complete, fail, process, update } from '../../resources/transfers.ts'
import { keepReport } from '../contradictions.ts'
import { moveReceipt, type Receipt } from './table.ts'
import type { Target } from './targets.ts'

const REASON = { payin: 'payin_failed', deposit: 'deposit_failed', convert: 'conversion_failed' } as const

/** A movement whose amount is known. */
export type Known = ProviderTransaction & { readonly amount: bigint }

/**
 * The fee of money in. A payer who pays what the account of a payin asks for, which is more than its amount, pays the provider's fees,
 * too: the customer is credited with the amount.
 */
function feeOf(row: Pick<TransferRow, 'receiveAmount' | 'receiveFee'>, tx: Known): bigint {
  const asked = row.receiveAmount === tx.amount ? (row.receiveFee ?? 0n) : 0n
  return asked > tx.fee ? asked : tx.fee
}

/** What an object shows of its money. */
export const fieldsOf = (row: TransferRow, tx: Known): Partial<TransferRow> => ({
  amount: tx.amount,
  fee: row.relatedPayinId && row.fee > tx.fee ? row.fee : feeOf(row, tx),
  ...(tx.convertedAmount === null ? {} : { convertedAmount: tx.convertedAmount }),
  ...(row.kind === 'payin'
    ? { providerReference: row.providerReference ?? tx.reference }
    : tx.txHash === null
      ? {}
      : row.kind === 'convert'
        ? { depositTxHash: tx.txHash }
        : { txHash: tx.txHash }),
})

/** Brings an object to the state of its money. */
export async function settle(unit: UnitOfWork, row: TransferRow, receipt: Receipt, tx: Known): Promise<boolean> {
  const fields = fieldsOf(row, tx)
  const before = row.status
  let next = before === 'pending' ? await process(unit, row, fields) : row
  if (tx.status === 'completed') next = await complete(unit, next, fields)
  else if (tx.status === 'failed')
    next = await fail(unit, next, tx.failureReason ?? REASON[row.kind as keyof typeof REASON])
  else if ((next.providerOutcome ?? null) !== (tx.outcomeUnknown ? 'unknown' : null))
    next = await update(unit, next, { providerOutcome: tx.outcomeUnknown ? 'unknown' : null })
  if (tx.status !== 'pending') keepReport(unit, next, tx)
  const status = tx.status === 'completed' ? 'credited' : tx.status === 'failed' ? 'failed' : 'open'
  if (receipt.transferId !== row.id || status !== 'open')
    await moveReceipt(unit, receipt.id, status, { transferId: row.id })
  return next.updatedAt.getTime() !== row.updatedAt.getTime()
}

/**
 * A further transfer to the one-time account of a payin, or one after its end. Its reference stays the original's, so that the next one is
 * told from it.
 */
export const furtherPayin = (unit: UnitOfWork, of: TransferRow, tx: Known): TransferRow =>
  createResource(unit, transferResources.payin, {
    ...blank,
    id: newId(),
    ...{ organisationId: of.organisationId, environment: of.environment, kind: 'payin' },
    ...{ customerId: of.customerId, provider: of.provider, account: of.account, amount: tx.amount, metadata: {} },
    fee: feeOf(of, tx),
    accountNumber: of.accountNumber ?? null,
    accountName: of.accountName ?? null,
    bankName: of.bankName ?? null,
    bankCode: of.bankCode ?? null,
    relatedPayinId: of.relatedPayinId ?? of.id,
    credentials: of.credentials ?? null,
  })

/** A later deposit at the address of an object is an object of its own. */
export const again = (unit: UnitOfWork, row: TransferRow): TransferRow =>
  createResource(unit, transferResources[row.kind], {
    ...row,
    ...{
      failureReason: null,
      providerOutcome: null,
      attention: null,
      contradiction: null,
      corrections: 0,
      dueAt: null,
      expiresAt: row.expiresAt ?? null,
    },
    ...{ depositTxHash: null, refundTxHash: null, txHash: null, providerReference: null, metadata: {} },
    amount: row.kind === 'convert' ? (row.receiveAmount ?? null) : null,
    fee: 0n,
    id: newId(),
  })

/** A transfer to a customer's permanent account is a payin. */
export async function throughAccount(unit: UnitOfWork, target: Target): Promise<TransferRow> {
  const { rows } = await sqlOf(unit.em).query<
    Record<'account_number' | 'account_name' | 'bank_name' | 'bank_code', string>
  >(
    `select account_number, account_name, bank_name, bank_code from cngn_virtual_accounts
      where organisation_id = $1 and environment = $2 and customer_id = $3`,
    [unit.actor.organisationId, unit.actor.environment, target.customerId],
  )
  const [account] = rows
  return createResource(unit, transferResources.payin, {
    ...blank,
    id: newId(),
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    kind: 'payin',
    customerId: target.customerId,
    ...heldBy(unit),
    metadata: {},
    accountNumber: account?.account_number ?? null,
    accountName: account?.account_name ?? null,
    bankName: account?.bank_name ?? null,
    bankCode: account?.bank_code ?? null,
  })
}
