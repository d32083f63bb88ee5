import { type Environment, NIL_ID, spellingsOf, system } from '@payments/kernel'
import { postWithCommit } from '@payments/ledger'
import { notify } from '@payments/notifications'
import { queryContext, type Runtime, sqlOf, type UnitOfWork, unitOfWork } from '@payments/platform'
import { decimal } from '../../kinds/amounts.ts'
import { suspended } from '../../money/journal.ts'
import type { ProviderTransaction } from '../../provider/provider.ts'
import { keepRecord } from '../records.ts'
import type { Known } from './objects.ts'
import { lockHash, lockReceipt, moveReceipt } from './table.ts'
import type { Target } from './targets.ts'
import { noteFailed } from './unassigned.ts'

/** How long a movement may stay without the fields that say what it belongs to, ms. */
const PARTIAL_MS = 900_000

/** Another poll has applied it to an object, after this one had looked for what it belongs to. */
export const TO_ANOTHER = 'to another object'

/** Money of which it is not certain what it belongs to. Without an organisation only the operators' list has it. */
export async function suspend(
  runtime: Runtime,
  environment: Environment,
  account: string,
  tx: ProviderTransaction,
  found: readonly Target[],
): Promise<boolean | typeof TO_ANOTHER> {
  const owners = new Set(found.map(({ organisationId }) => organisationId))
  const [owner] = owners
  const organisationId = owners.size === 1 ? owner : undefined
  const actor = system(organisationId ?? NIL_ID, environment)
  return unitOfWork(queryContext(runtime, actor), async (unit) => {
    if (tx.txHash) await lockHash(unit, tx.txHash)
    if (tx.status !== 'completed') return failedWithout(unit, account, tx)
    const receipt = await lockReceipt(unit, account, tx, null)
    if (receipt?.transferId) return TO_ANOTHER
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
export async function holdInSuspense(unit: UnitOfWork, id: string, tx: Known, why: string): Promise<void> {
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
export async function keepReceipt(
  unit: UnitOfWork,
  tx: ProviderTransaction,
  reason: string,
  account = '',
): Promise<void> {
  const { reference, channel, status, amount } = tx
  await keepRecord(sqlOf(unit.em), {
    ...{ environment: unit.actor.environment, account, reference, reason },
    report: JSON.stringify({ reference, channel, status, amount: amount === null ? null : String(amount) }),
  })
}

/** cNGN of a convert that came back to the treasury is given back with the convert, not by its receipt. */
async function isRefund(unit: UnitOfWork, { txHash }: ProviderTransaction): Promise<boolean> {
  if (!txHash) return false
  const { rows } = await sqlOf(unit.em).query(
    "select 1 from cngn_transfers where environment = $1 and kind = 'convert' and refund_tx_hash = any ($2)",
    [unit.actor.environment, spellingsOf(txHash)],
  )
  return rows.length > 0
}
