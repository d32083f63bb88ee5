import { type Environment, newId, system } from '@payments/kernel'
import { postWithCommit } from '@payments/ledger'
import { notify } from '@payments/notifications'
import { createResource, queryContext, type Runtime, sqlOf, type UnitOfWork, unitOfWork } from '@payments/platform'
import { blank, type TransferRow } from '../../entity.ts'
import { decimal } from '../../money/amounts.ts'
import { heldBy, treasuryProvider } from '../../money/holder.ts'
import { suspended } from '../../money/journal.ts'
import { type ProviderTransaction, referencesOf } from '../../provider/provider.ts'
import { transferResources } from '../../states/resources.ts'
import { CNGN, type Kind } from '../../transfers/kinds.ts'
import { complete, fail, lockedTransfer, process, recover, update } from '../../transfers/transfers.ts'
import { contradict, keepReport, sameAmount } from '../contradictions.ts'
import { keepRecord } from '../records.ts'
import {
  lockHash,
  lockReceipt,
  moveReceipt,
  noteContradiction,
  noteFailed,
  OF_MOVEMENT,
  type Receipt,
} from './table.ts'

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
  const provider = treasuryProvider(runtime, environment)
  // What a movement belongs to does not change, whatever a later report leaves out. Accounts of the provider are apart, also where
  // two of them have the same account number.
  const known = await knownTarget(runtime, environment, account, tx)
  const found = known
    ? [known]
    : (await targetsOf(runtime, environment, tx)).filter(
        ({ organisationId }) => provider.account(organisationId) === account,
      )
  const [target] = found
  if (!target || found.length > 1) return suspend(runtime, environment, account, tx, found)
  const context = queryContext(runtime, system(target.organisationId, environment))
  const applied = await unitOfWork(context, async (unit) => {
    const original = target.type === 'account' ? null : await lockedTransfer(unit, target.kind, target.id)
    const receipt = await lockReceipt(unit, account, tx, target)
    if (!receipt || receipt.amount === null) return false
    // Another poll has applied it to an object of its own, after this one had looked for what it belongs to. Objects are locked before
    // their receipts, so that object is not locked here.
    if (receipt.transferId && receipt.transferId !== target.id) return 'to another object'
    const of = { ...tx, amount: tx.amount ?? receipt.amount }
    if (receipt.status === 'failed' && tx.status === 'completed') return recovered(unit, receipt, of, original, target)
    if (receipt.status !== 'open') return contradicted(unit, receipt, of, original)
    if (receipt.transferId && original) return settle(unit, original, receipt, of)
    if (original?.status === 'pending') {
      // A payment that failed at once: the payer may pay again.
      if (tx.status === 'failed') return moveReceipt(unit, receipt.id, 'failed')
      return settle(unit, original, receipt, of)
    }
    if (tx.status === 'failed') return moveReceipt(unit, receipt.id, 'failed')
    return credit(unit, receipt, of, original, target)
  })
  return applied === 'to another object' ? applyIncoming(runtime, environment, account, tx) : applied
}

/** Money that no object waits for is an object of its own, unless an operator has settled the object that it was for by other money. */
async function credit(
  unit: UnitOfWork,
  receipt: Receipt,
  tx: Known,
  original: TransferRow | null,
  target: Target,
): Promise<boolean> {
  if (receipt.detached && original) {
    if (tx.status !== 'completed') return false
    await holdInSuspense(unit, receipt.id, tx, 'Its payin was settled by other money')
    return moveReceipt(unit, receipt.id, 'suspense')
  }
  const row = !original
    ? await throughAccount(unit, target)
    : original.kind === 'payin'
      ? furtherPayin(unit, original, tx)
      : again(unit, original)
  return settle(unit, row, receipt, tx)
}

/** A deposit that was declined and is approved after all. Its object is completed, or it is credited as if it had not failed. */
async function recovered(
  unit: UnitOfWork,
  receipt: Receipt,
  tx: Known,
  original: TransferRow | null,
  target: Target,
): Promise<boolean> {
  if (!receipt.transferId || !original)
    return original?.status === 'pending'
      ? settle(unit, original, receipt, tx)
      : credit(unit, receipt, tx, original, target)
  if (original.status !== 'failed') return moveReceipt(unit, receipt.id, 'credited')
  const row = await recover(unit, original, fieldsOf(original, tx))
  keepReport(unit, row, tx)
  return moveReceipt(unit, receipt.id, 'credited')
}

/** Money that was counted, and is then reported as failed, or as another amount: kept, and told to operators. */
async function contradicted(
  unit: UnitOfWork,
  receipt: Receipt,
  tx: Known,
  original: TransferRow | null,
): Promise<boolean> {
  const own = original && receipt.transferId === original.id ? original : null
  const counted = own?.amount ?? receipt.amount ?? tx.amount
  const said =
    tx.status === 'failed'
      ? 'Reported as failed'
      : tx.status === 'completed' && !sameAmount(tx.amount, counted)
        ? 'Reported as another amount'
        : undefined
  if (!said || receipt.status === 'failed' || receipt.lastStatus === tx.status) return false
  await noteContradiction(unit, receipt.id, tx.status)
  if (own) await contradict(unit, own, tx, `${said} after it was credited`)
  else await keepReceipt(unit, tx, `${said} after it was ${receipt.status}`)
  return true
}

/** What a movement belongs to that was applied to an object before. */
async function knownTarget(
  { pool }: Runtime,
  environment: Environment,
  account: string,
  tx: ProviderTransaction,
): Promise<Target | undefined> {
  const { rows } = await pool.query<TargetRow>(
    `select t.id, t.kind, t.organisation_id, t.customer_id from (select transfer_id from cngn_receipts where ${OF_MOVEMENT}) r
       join cngn_transfers t on t.id = r.transfer_id`,
    [environment, account, referencesOf(tx)],
  )
  const [row] = rows
  return row && { ...targetOf(row), type: row.kind === 'payin' ? 'payin' : 'address' }
}

const targetOf = (row: TargetRow) => ({
  id: row.id,
  kind: row.kind,
  organisationId: row.organisation_id,
  customerId: row.customer_id,
})

/** What a movement may belong to: payins by reference, customers by their account, deposits and converts by their address. */
async function targetsOf({ pool }: Runtime, environment: Environment, tx: ProviderTransaction): Promise<Target[]> {
  const values = [environment, tx.targets]
  const as =
    (type: Target['type']) =>
    (row: TargetRow): Target => ({ type, ...targetOf(row) })
  const { rows: payins } = await pool.query<TargetRow>(
    `select id, kind, organisation_id, customer_id from cngn_transfers
      where environment = $1 and kind = 'payin' and (reference = any ($2) or provider_reference = any ($2)) limit 2`,
    values,
  )
  // A deposit from a bank that the provider lists with the hash of its mint has its references, too.
  if (payins.length > 0) return payins.map(as('payin'))
  if (tx.channel === 'crypto_in') {
    const { rows } = await pool.query<TargetRow>(
      `select id, kind, organisation_id, customer_id from cngn_transfers
        where environment = $1 and receive_at = any ($2) and kind in ('convert', 'deposit')
          and from_currency is distinct from '${CNGN}' order by created_at, id limit 1`,
      values,
    )
    return rows.map(as('address'))
  }
  const { rows: accounts } = await pool.query<TargetRow>(
    `select customer_id as id, 'payin' as kind, organisation_id, customer_id from cngn_virtual_accounts
      where environment = $1 and account_number = any ($2) limit 2`,
    values,
  )
  return accounts.map(as('account'))
}

/** A movement whose amount is known. */
type Known = ProviderTransaction & { readonly amount: bigint }

/** How long a movement may stay without the fields that say what it belongs to, ms. */
const PARTIAL_MS = 900_000

/**
 * The fee of money in. A payer who pays what the account of a payin asks for, which is more than its amount, pays the provider's fees,
 * too: the customer is credited with the amount.
 */
function feeOf(row: Pick<TransferRow, 'receiveAmount' | 'receiveFee'>, tx: Known): bigint {
  const asked = row.receiveAmount === tx.amount ? (row.receiveFee ?? 0n) : 0n
  return asked > tx.fee ? asked : tx.fee
}

/** What an object shows of its money. */
const fieldsOf = (row: TransferRow, tx: Known): Partial<TransferRow> => ({
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
async function settle(unit: UnitOfWork, row: TransferRow, receipt: Receipt, tx: Known): Promise<boolean> {
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
const furtherPayin = (unit: UnitOfWork, of: TransferRow, tx: Known): TransferRow =>
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
  })

/** A later deposit at the address of an object is an object of its own. */
const again = (unit: UnitOfWork, row: TransferRow): TransferRow =>
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
  const owners = new Set(found.map(({ organisationId }) => organisationId))
  const [owner] = owners
  const organisationId = owners.size === 1 ? owner : undefined
  const actor = system(organisationId ?? NOBODY, environment)
  return unitOfWork(queryContext(runtime, actor), async (unit) => {
    if (tx.txHash) await lockHash(unit, tx.txHash)
    if (tx.status !== 'completed') return failedWithout(unit, account, tx)
    const receipt = await lockReceipt(unit, account, tx, null)
    if (!receipt || receipt.amount === null || !['open', 'failed'].includes(receipt.status)) return false
    // Another report may have what this one leaves out.
    if (tx.partial && found.length === 0 && Date.now() - receipt.createdAt.getTime() < PARTIAL_MS) return false
    if (await isRefund(unit, tx)) return moveReceipt(unit, receipt.id, 'credited')
    if (organisationId)
      await holdInSuspense(unit, receipt.id, { ...tx, amount: receipt.amount }, 'It names more than one payin')
    unit.log.warn({ receipt: receipt.id, environment }, 'money in suspense')
    return moveReceipt(unit, receipt.id, 'suspense', { owner: { organisationId } })
  })
}

/** The journal's suspense owns money that arrived for an organisation and is no object's; its merchant is told. */
async function holdInSuspense(unit: UnitOfWork, id: string, tx: Known, why: string): Promise<void> {
  const amount = `${decimal(tx.amount, tx.asset)} ${tx.asset}`
  const { organisationId, environment } = unit.actor
  notify(unit, {
    ...{ organisationId, environment, type: 'money.stranded' },
    title: `A bank transfer of ${amount} needs to be matched`,
    body: `${amount} arrived by bank transfer and is not in any balance yet. ${why}. We hold the money and credit it once it is clear which customer paid; if you know, send us the payer’s receipt.`,
    resource: { type: 'organisation', id: organisationId },
  })
  await postWithCommit(unit, suspended({ ...tx, id }))
}

/** Money without an object that is reported as failed after it was counted. */
async function failedWithout(unit: UnitOfWork, account: string, tx: ProviderTransaction): Promise<boolean> {
  if (tx.status !== 'failed') return false
  const was = await noteFailed(unit, account, tx)
  if (was) await keepReceipt(unit, tx, `Reported as failed after it was ${was}`, account)
  return was !== undefined
}

/** A report about money without an object, for operators. */
async function keepReceipt(unit: UnitOfWork, tx: ProviderTransaction, reason: string, account = ''): Promise<void> {
  const { reference, channel, status, amount } = tx
  await keepRecord(sqlOf(unit.em), {
    ...{ environment: unit.actor.environment, account, reference, reason },
    report: JSON.stringify({ reference, channel, status, amount: amount === null ? null : String(amount) }),
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
