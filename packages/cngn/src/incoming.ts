import { type Environment, newId, system } from '@payments/kernel'
import { post } from '@payments/ledger'
import { createResource, queryContext, type Runtime, sqlOf, type UnitOfWork, unitOfWork } from '@payments/platform'
import { blank, type TransferRow } from './entity.ts'
import { heldBy } from './holder.ts'
import { suspended } from './journal.ts'
import { CNGN, type Kind } from './kinds.ts'
import { cngnProvider, type ProviderTransaction } from './provider.ts'
import { transferResources } from './resources.ts'
import { complete, fail, lockedTransfer, process, update } from './transfers.ts'

/** An object or permanent account that money belongs to. */
interface Target {
  readonly type: 'payin' | 'address' | 'account'
  readonly id: string
  readonly kind: Kind
  readonly organisationId: string
  readonly customerId: string
}

interface TargetRow {
  readonly id: string
  readonly kind: Kind
  readonly organisation_id: string
  readonly customer_id: string
}

const REASON = { payin: 'payin_failed', deposit: 'deposit_failed', convert: 'conversion_failed' } as const

/**
 * Applies money that the provider lists as arrived. It counts once by the provider's reference, however often and in whatever order
 * it is reported. What belongs to no object goes to suspense, and is never matched by its amount. Returns whether anything changed.
 */
export async function applyIncoming(
  runtime: Runtime,
  environment: Environment,
  account: string,
  tx: ProviderTransaction,
): Promise<boolean> {
  const provider = runtime.providers.get(cngnProvider, environment)
  // Accounts of the provider are apart, also where two of them have the same account number.
  const found = (await targetsOf(runtime, environment, tx)).filter(
    ({ organisationId }) => provider.account(organisationId) === account,
  )
  const [target] = found
  if (!target || found.length > 1) return suspend(runtime, environment, account, tx, found)
  const context = queryContext(runtime, system(target.organisationId, environment))
  return unitOfWork(context, async (unit) => {
    const original = target.type === 'account' ? null : await lockedTransfer(unit, target.kind, target.id)
    const receipt = await lockReceipt(unit, account, tx, target)
    if (receipt.status !== 'open') return false
    if (receipt.transferId)
      return settle(unit, await lockedTransfer(unit, target.kind, receipt.transferId), receipt, tx)
    if (original?.status === 'pending') {
      // A payment that failed at once: the payer may pay again.
      if (tx.status === 'failed') return endReceipt(unit, receipt.id, 'failed', null)
      return settle(unit, original, receipt, tx)
    }
    if (tx.status === 'failed') return endReceipt(unit, receipt.id, 'failed', null)
    if (original && target.type === 'payin') {
      if (tx.status !== 'completed') return false
      await post(unit, suspended({ ...tx, id: receipt.id }))
      return endReceipt(unit, receipt.id, 'suspense', null)
    }
    const row = original ? again(unit, original) : await throughAccount(unit, target)
    return settle(unit, row, receipt, tx)
  })
}

/** What a movement may belong to: payins by reference, customers by their account, deposits and converts by their address. */
async function targetsOf({ pool }: Runtime, environment: Environment, tx: ProviderTransaction): Promise<Target[]> {
  const values = [environment, tx.targets]
  const as =
    (type: Target['type']) =>
    (row: TargetRow): Target => ({
      type,
      id: row.id,
      kind: row.kind,
      organisationId: row.organisation_id,
      customerId: row.customer_id,
    })
  if (tx.channel === 'crypto_in') {
    const { rows } = await pool.query<TargetRow>(
      `select id, kind, organisation_id, customer_id from cngn_transfers
        where environment = $1 and receive_at = any ($2) and kind in ('convert', 'deposit')
          and from_currency is distinct from '${CNGN}' order by created_at, id limit 1`,
      values,
    )
    return rows.map(as('address'))
  }
  const { rows: payins } = await pool.query<TargetRow>(
    `select id, kind, organisation_id, customer_id from cngn_transfers
      where environment = $1 and kind = 'payin' and (reference = any ($2) or provider_reference = any ($2)) limit 2`,
    values,
  )
  if (payins.length > 0) return payins.map(as('payin'))
  const { rows: accounts } = await pool.query<TargetRow>(
    `select customer_id as id, 'payin' as kind, organisation_id, customer_id from cngn_virtual_accounts
      where environment = $1 and account_number = any ($2) limit 2`,
    values,
  )
  return accounts.map(as('account'))
}

interface Receipt {
  readonly id: string
  readonly status: string
  readonly transferId: string | null
}

/** The receipt of a movement, locked; a new one if it was not reported before. */
async function lockReceipt(
  unit: UnitOfWork,
  account: string,
  tx: ProviderTransaction,
  target: Pick<Target, 'organisationId' | 'customerId'> | null,
): Promise<Receipt> {
  const db = sqlOf(unit.em)
  const { environment } = unit.actor
  await db.query(
    `insert into cngn_receipts (id, environment, account, reference, organisation_id, customer_id, status, asset, amount, fee, targets,
       received_at, created_at)
     values ($1, $2, $3, $4, $5, $6, 'open', $7, $8, $9, $10, $11, now())
     on conflict (environment, account, reference) do nothing`,
    [
      newId(),
      environment,
      account,
      tx.reference,
      target?.organisationId ?? null,
      target?.customerId ?? null,
      tx.asset,
      tx.amount.toString(),
      tx.fee.toString(),
      [...tx.targets, ...(tx.txHash ? [tx.txHash] : [])],
      tx.at,
    ],
  )
  const { rows } = await db.query<{ id: string; status: string; transfer_id: string | null }>(
    'select id, status, transfer_id from cngn_receipts where environment = $1 and account = $2 and reference = $3 for update',
    [environment, account, tx.reference],
  )
  const [row] = rows
  if (!row) throw new Error(`No receipt ${tx.reference}`)
  return { id: row.id, status: row.status, transferId: row.transfer_id }
}

async function endReceipt(unit: UnitOfWork, id: string, status: string, transferId: string | null): Promise<true> {
  await sqlOf(unit.em).query(
    'update cngn_receipts set status = $2, transfer_id = coalesce($3, transfer_id) where id = $1',
    [id, status, transferId],
  )
  return true
}

/** Brings an object to the state of its money. */
async function settle(unit: UnitOfWork, row: TransferRow, receipt: Receipt, tx: ProviderTransaction): Promise<boolean> {
  const hash = row.kind === 'convert' ? { depositTxHash: tx.txHash } : { txHash: tx.txHash }
  const fields: Partial<TransferRow> = {
    amount: tx.amount,
    fee: tx.fee,
    ...(tx.convertedAmount === null ? {} : { convertedAmount: tx.convertedAmount }),
    ...(row.kind === 'payin' ? { providerReference: row.providerReference ?? tx.reference } : hash),
  }
  const before = row.status
  let next = before === 'pending' ? await process(unit, row, fields) : row
  if (tx.status === 'completed') next = await complete(unit, next, fields)
  else if (tx.status === 'failed')
    next = await fail(unit, next, tx.failureReason ?? REASON[row.kind as keyof typeof REASON])
  else if ((next.providerOutcome ?? null) !== (tx.outcomeUnknown ? 'unknown' : null))
    next = await update(unit, next, { providerOutcome: tx.outcomeUnknown ? 'unknown' : null })
  const status = tx.status === 'completed' ? 'credited' : tx.status === 'failed' ? 'failed' : 'open'
  if (receipt.transferId !== row.id || status !== 'open') await endReceipt(unit, receipt.id, status, row.id)
  return next.updatedAt.getTime() !== row.updatedAt.getTime()
}

/** A later deposit at the address of an object is an object of its own. */
const again = (unit: UnitOfWork, row: TransferRow): TransferRow =>
  createResource(unit, transferResources[row.kind], {
    ...row,
    ...{ failureReason: null, providerOutcome: null, attention: null, dueAt: null, expiresAt: row.expiresAt ?? null },
    ...{ depositTxHash: null, refundTxHash: null, txHash: null, providerReference: null, metadata: {} },
    amount: row.kind === 'convert' ? (row.receiveAmount ?? null) : null,
    fee: 0n,
    id: newId(),
  })

/** A transfer to a customer's permanent account is a payin. */
async function throughAccount(unit: UnitOfWork, target: Target): Promise<TransferRow> {
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

/** Money of which it is not certain what it belongs to. Without an organisation only the operators' list has it. */
async function suspend(
  runtime: Runtime,
  environment: Environment,
  account: string,
  tx: ProviderTransaction,
  found: readonly Target[],
): Promise<boolean> {
  if (tx.status !== 'completed') return false
  const owners = new Set(found.map(({ organisationId }) => organisationId))
  const [owner] = owners
  const organisationId = owners.size === 1 ? owner : undefined
  const actor = system(organisationId ?? NOBODY, environment)
  return unitOfWork(queryContext(runtime, actor), async (unit) => {
    const receipt = await lockReceipt(unit, account, tx, null)
    if (receipt.status !== 'open') return false
    if (await isRefund(unit, tx)) return endReceipt(unit, receipt.id, 'credited', null)
    if (organisationId) {
      await sqlOf(unit.em).query('update cngn_receipts set organisation_id = $2 where id = $1', [
        receipt.id,
        organisationId,
      ])
      await post(unit, suspended({ ...tx, id: receipt.id }))
    }
    unit.log.warn({ receipt: receipt.id, environment }, 'money in suspense')
    return endReceipt(unit, receipt.id, 'suspense', null)
  })
}

/** No organisation has this id. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** cNGN of a convert that came back to the treasury is given back with the convert, not by its receipt. */
async function isRefund(unit: UnitOfWork, { txHash }: ProviderTransaction): Promise<boolean> {
  if (!txHash) return false
  const { rows } = await sqlOf(unit.em).query(
    "select 1 from cngn_transfers where environment = $1 and kind = 'convert' and refund_tx_hash = $2",
    [unit.actor.environment, txHash],
  )
  return rows.length > 0
}
