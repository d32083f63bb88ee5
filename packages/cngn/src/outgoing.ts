import { type Environment, system } from '@payments/kernel'
import { queryContext, type Runtime, sqlOf, type UnitOfWork, unitOfWork } from '@payments/platform'
import type { TransferRow } from './entity.ts'
import type { Failure } from './failure-reasons.ts'
import type { Kind } from './kinds.ts'
import type { ProviderTransaction } from './provider.ts'
import { DELIVERY } from './schedule.ts'
import { endSend, fingerprintOf, resolve } from './sends.ts'
import { complete, fail, lockedTransfer, update } from './transfers.ts'

/** How far the provider's clock may be behind ours, seconds. */
export const SKEW_SECONDS = 120

interface Sent {
  readonly id: string
  readonly kind: Kind
  readonly organisation_id: string
}

const FAILED: Readonly<Record<Kind, Failure>> = {
  convert: 'conversion_failed',
  withdrawal: 'withdrawal_failed',
  payout: 'payout_failed',
  payin: 'payin_failed',
  deposit: 'deposit_failed',
}

/**
 * Applies what the provider lists of money that left: to the order with its reference or, of an order whose answer was lost, to the
 * one unresolved order with its amount and destination that was claimed before it. Returns whether anything changed.
 */
export async function applyOutgoing(
  runtime: Runtime,
  environment: Environment,
  account: string,
  tx: ProviderTransaction,
): Promise<boolean> {
  const channel = tx.channel === 'payout' ? 'payout' : 'withdrawal'
  const { rows } = await runtime.pool.query<Sent>(
    `select id, kind, organisation_id from cngn_sends where environment = $1 and account = $2 and reference = $3
     union all
     select id, kind, organisation_id from cngn_sends
      where environment = $1 and fingerprint = any ($4) and sent_at is not null and reference is null and not ended
        and sent_at <= $5::timestamptz + make_interval(secs => $6)
        and not exists (select from cngn_sends where environment = $1 and account = $2 and reference = $3)
      limit 1`,
    [
      environment,
      account,
      tx.reference,
      tx.targets.map((target) => fingerprintOf(account, channel, tx.amount, target)),
      tx.at,
      SKEW_SECONDS,
    ],
  )
  const [sent] = rows
  if (!sent) return false
  const context = queryContext(runtime, system(sent.organisation_id, environment))
  return unitOfWork(context, (unit) => applyOrder(unit, sent, tx))
}

async function applyOrder(unit: UnitOfWork, { id, kind }: Sent, tx: ProviderTransaction): Promise<boolean> {
  let row = await lockedTransfer(unit, kind, id)
  const before = row.updatedAt.getTime()
  if (await resolve(unit, id, tx.reference)) row = await update(unit, row, { providerReference: tx.reference })
  const { rows } = await sqlOf(unit.em).query('select 1 from cngn_sends where id = $1 and reference = $2', [
    id,
    tx.reference,
  ])
  // Another movement was found for the order meanwhile.
  if (rows.length === 0) return false
  const next = await applyStatus(unit, row, tx)
  return next.updatedAt.getTime() !== before
}

async function applyStatus(unit: UnitOfWork, row: TransferRow, tx: ProviderTransaction): Promise<TransferRow> {
  if (row.status === 'completed' && tx.status === 'failed')
    return row.attention ? row : update(unit, row, { attention: 'contradicting_report' })
  if (row.status !== 'processing') return row
  switch (tx.status) {
    case 'pending': {
      const outcome = tx.outcomeUnknown ? 'unknown' : null
      return (row.providerOutcome ?? null) === outcome ? row : update(unit, row, { providerOutcome: outcome })
    }
    case 'failed': {
      await endSend(unit, row.id)
      return fail(unit, row, tx.failureReason ?? FAILED[row.kind])
    }
    case 'completed': {
      if (row.kind === 'convert') return startDelivery(unit, row, tx)
      await endSend(unit, row.id)
      return complete(unit, row, { fee: tx.fee, ...(tx.txHash ? { txHash: tx.txHash } : {}) })
    }
  }
}

/** The cNGN of a convert has been sent: from now on its delivery is polled. */
async function startDelivery(unit: UnitOfWork, row: TransferRow, tx: ProviderTransaction): Promise<TransferRow> {
  const { rows } = await sqlOf(unit.em).query(
    'update cngn_sends set next_delivery_at = now() where id = $1 and next_delivery_at is null and not ended returning id',
    [row.id],
  )
  if (rows.length === 0) return row
  unit.afterCommit(() => unit.runtime.trigger(DELIVERY))
  return update(unit, row, { depositTxHash: tx.txHash, providerOutcome: null })
}
