import { type Environment, system } from '@payments/kernel'
import { queryContext, type Runtime, type UnitOfWork, unitOfWork } from '@payments/platform'
import type { TransferRow } from '../../entity.ts'
import { goesOut } from '../../kinds/kinds.ts'
import { treasuryProvider } from '../../provider/holder.ts'
import type { ProviderTransaction } from '../../provider/provider.ts'
import { lockedTransfer, recover } from '../../resources/transfers.ts'
import { contradict, keepReport, sameAmount } from '../contradictions.ts'
import { again, fieldsOf, furtherPayin, type Known, settle, throughAccount } from './objects.ts'
import { holdInSuspense, keepReceipt, suspend, TO_ANOTHER } from './suspense.ts'
import { lockReceipt, moveReceipt, noteContradiction, type Receipt } from './table.ts'
import { knownTarget, type Target, targetsOf } from './targets.ts'

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
  const applied =
    !target || found.length > 1
      ? await suspend(runtime, environment, account, tx, found)
      : await applyTo(runtime, environment, account, tx, target)
  return applied === TO_ANOTHER ? applyIncoming(runtime, environment, account, tx) : applied
}

/** Applies it to what it belongs to, as far as that was known before its receipt was locked. */
async function applyTo(
  runtime: Runtime,
  environment: Environment,
  account: string,
  tx: ProviderTransaction,
  target: Target,
): Promise<boolean | typeof TO_ANOTHER> {
  const context = queryContext(runtime, system(target.organisationId, environment))
  return unitOfWork(context, async (unit) => {
    const original = target.type === 'account' ? null : await lockedTransfer(unit, target.kind, target.id)
    const receipt = await lockReceipt(unit, account, tx, target)
    if (!receipt || receipt.amount === null) return false
    // Another poll has applied it to an object of its own, after this one had looked for what it belongs to. Objects are locked before
    // their receipts, so that object is not locked here.
    if (receipt.transferId && receipt.transferId !== target.id) return TO_ANOTHER
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
  // What came back of a convert is a part of what it sent.
  const whole = own && !goesOut(own.kind, own.fromCurrency) ? own.amount : null
  const counted = whole ?? receipt.amount ?? tx.amount
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
