import { type Environment, isId, system } from '@payments/kernel'
import {
  isForgotten,
  queryContext,
  type Runtime,
  type SqlExecutor,
  sqlOf,
  type UnitOfWork,
  unitOfWork,
  withSameCredentials,
} from '@payments/platform'
import type { TransferRow } from '../../entity.ts'
import type { Failure } from '../../failure-reasons.ts'
import type { Kind } from '../../kinds/kinds.ts'
import { credentialsNow, treasuryProvider } from '../../provider/holder.ts'
import { type ProviderTransaction, referencesOf } from '../../provider/provider.ts'
import { DELIVERY, LATE_SECONDS, SKEW_SECONDS } from '../../provider/schedule.ts'
import { begun, complete, fail, lockedTransfer, update } from '../../resources/transfers.ts'
import { contradict, keepReport, sameAmount } from '../contradictions.ts'
import { destinationKey } from './fingerprint.ts'
import { endSend, resolve } from './found.ts'
import { release } from './send.ts'
import { startDelivery } from './table.ts'

interface Sent {
  readonly id: string
  readonly kind: Kind
  readonly organisation_id: string
}

/** Why an object failed of which the provider says no more. */
export const FAILED: Readonly<Record<Kind, Failure>> = {
  convert: 'conversion_failed',
  withdrawal: 'withdrawal_failed',
  payout: 'payout_failed',
  payin: 'payin_failed',
  deposit: 'deposit_failed',
}

/**
 * Applies what the provider lists of money that left, to the order with its reference. `unresolved.ts` finds the reference of an order
 * whose answer was lost. Returns whether anything changed.
 */
export async function applyOutgoing(
  runtime: Runtime,
  environment: Environment,
  account: string,
  tx: ProviderTransaction,
): Promise<boolean> {
  const { knowsOrders } = treasuryProvider(runtime, environment)
  const { rows } = await runtime.pool.query<Sent>(
    `select id, kind, organisation_id from cngn_sends where environment = $1 and account = $2 and ${withSameCredentials('$5')}
        and (reference = any ($3) or (id = $4::uuid and status in ('claimed', 'unresolved', 'held'))) limit 1`,
    [
      ...[environment, account, referencesOf(tx), knowsOrders && isId(tx.reference) ? tx.reference : null],
      credentialsNow(runtime, environment),
    ],
  )
  const [sent] = rows
  if (!sent) {
    // What the provider lists only after operators have compared its lists with a restored database must hold an equal request, too.
    const late = { skewSeconds: SKEW_SECONDS, lateSeconds: LATE_SECONDS }
    if (tx.status !== 'failed' && !tx.provisional && (await isForgotten(runtime.pool, tx.at, late)))
      await keepForgotten(runtime.pool, environment, account, tx)
    return false
  }
  const context = queryContext(runtime, system(sent.organisation_id, environment))
  return unitOfWork(context, (unit) => applyOrder(unit, sent, tx))
}

/**
 * Keeps a movement of no order, so that the first later order that looks the same is held; false where one has it, or one that looks the same may have been sent:
 * the lists give it that.
 */
export async function keepForgotten(
  db: SqlExecutor,
  environment: Environment,
  account: string,
  tx: ProviderTransaction,
): Promise<boolean> {
  const { channel, amount, targets, at } = tx
  const { rows } = await db.query<{ expected: boolean }>(
    `with kept as (
       insert into cngn_forgotten (environment, account, reference, channel, amount, targets, at, found_at)
       select $1, $2, coalesce((select f.reference from cngn_forgotten f where f.environment = $1 and f.account = $2 and f.reference = any ($3)), ($3::text[])[1]),
              $4, $5, $6, $7, now()
        where not exists (select from cngn_sends where environment = $1 and account = $2 and (reference = any ($3) or id::text = any ($3)))
       on conflict (environment, account, reference) do update set found_at = cngn_forgotten.found_at returning amount)
     select exists (select from cngn_sends where environment = $1 and account = $2 and maybe_sent_until is not null
                       and status in ('queued', 'claimed', 'unresolved', 'held')
                       and fingerprint = any (select concat_ws('/', $2::text, $4::text, $5::numeric, t) from unnest($6::text[]) t)) as expected
       from kept`,
    [environment, account, referencesOf(tx), channel, amount, targets.map(destinationKey), at],
  )
  return rows[0]?.expected === false
}

async function applyOrder(unit: UnitOfWork, { id, kind }: Sent, tx: ProviderTransaction): Promise<boolean> {
  let row = await lockedTransfer(unit, kind, id)
  const before = row.updatedAt.getTime()
  const { rows } = await sqlOf(unit.em).query<{ reference: string | null; matched: boolean; status: string }>(
    'select reference, matched, status from cngn_sends where id = $1 for update',
    [id],
  )
  const [send] = rows
  if (send?.reference === null && (await resolve(unit, id, tx.reference)))
    row = await update(unit, await begun(unit, row), { providerReference: tx.reference })
  // Another movement was found for the order meanwhile.
  else if (!send?.reference || !referencesOf(tx).includes(send.reference)) return false
  const next = await applyStatus(unit, row, tx, send)
  return next.updatedAt.getTime() !== before
}

async function applyStatus(
  unit: UnitOfWork,
  row: TransferRow,
  tx: ProviderTransaction,
  send: { readonly matched: boolean; readonly status: string } | undefined,
): Promise<TransferRow> {
  if (row.status === 'completed' && tx.status === 'failed')
    return contradict(unit, row, tx, 'Reported as failed after it was completed')
  // What left for a convert and was sent back later did leave.
  if (row.status === 'failed' && tx.status === 'completed' && hasLeft(row)) return row
  if (row.status === 'failed' && tx.status === 'completed')
    return contradict(unit, row, tx, 'Reported as completed after it had failed')
  if (row.status !== 'processing') return row
  if (tx.amount !== null && !sameAmount(tx.amount, row.amount ?? 0n))
    return contradict(unit, row, tx, 'Reported with another amount than was ordered')
  switch (tx.status) {
    case 'pending': {
      const outcome = tx.outcomeUnknown ? 'unknown' : null
      return (row.providerOutcome ?? null) === outcome ? row : update(unit, row, { providerOutcome: outcome })
    }
    case 'failed': {
      // What only looks like the order may be another attempt: it ends nothing.
      if (send?.matched) return release(unit, row, tx)
      if (send?.status === 'delivering') return contradict(unit, row, tx, 'Reported as failed after it was sent')
      keepReport(unit, row, tx)
      await endSend(unit, row.id, { watch: true })
      return fail(unit, row, tx.failureReason ?? FAILED[row.kind])
    }
    case 'completed': {
      if (row.kind === 'convert') return delivering(unit, row, tx)
      keepReport(unit, row, tx)
      await endSend(unit, row.id)
      return complete(unit, row, { fee: tx.fee, ...(tx.txHash ? { txHash: tx.txHash } : {}) })
    }
  }
}

/** Is it known of a convert that failed that its cNGN had left? */
const hasLeft = ({ kind, failureReason, depositTxHash, refundTxHash }: TransferRow): boolean =>
  kind === 'convert' && (failureReason === 'conversion_refunded' || depositTxHash != null || refundTxHash != null)

/** The cNGN of a convert has been sent: from now on its delivery is polled. */
async function delivering(unit: UnitOfWork, row: TransferRow, tx: ProviderTransaction): Promise<TransferRow> {
  if (!(await startDelivery(unit, row.id))) return row
  unit.afterCommit(() => unit.runtime.trigger(DELIVERY))
  return update(unit, row, { depositTxHash: tx.txHash, providerOutcome: null })
}
