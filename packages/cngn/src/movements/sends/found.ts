import { sqlOf, type UnitOfWork } from '@payments/platform'
import { SEND } from '../../provider/schedule.ts'
import { EQUAL_IN_DOUBT } from './equal.ts'
import { logMoves, move, WRITTEN, type WrittenSend, wasIn } from './table.ts'

// Writes of `cngn_sends`: what lists and answers say of an order, up to its end.

/** The first complete list that did not show an order; null: one showed something that could be it. */
export const noteAbsent = (unit: UnitOfWork, id: string, since: Date | null) =>
  sqlOf(unit.em).query(
    'update cngn_sends set absent_since = $2 where id = $1 and absent_since is distinct from $2::timestamptz',
    [id, since],
  )

/** SQL: another order has the reference `$2`. */
const HELD_BY_ANOTHER = `exists (select from cngn_sends other
  where other.environment = s.environment and other.account = s.account and other.reference = $2 and other.id <> $1)`

/**
 * The provider's reference of an order becomes known; false when it was already, or when another order keeps it. `matched`: the order
 * was found by what it looks like. Equal orders need not wait any more.
 *
 * An equal order keeps what it was found by: it was sent first, and one movement pays one of the two, whichever. The other stays unresolved,
 * and is sent again once the lists show no second movement.
 */
export async function resolve(unit: UnitOfWork, id: string, reference: string, matched = false): Promise<boolean> {
  // What the provider says itself is better than what another order was found by.
  if (!matched) {
    const other = `reference = $2 and id <> $1 and matched and status = 'accepted'
      and exists (select from cngn_sends f where f.id = $1 and f.environment = cngn_sends.environment and f.account = cngn_sends.account
                     and cngn_sends.fingerprint is distinct from f.fingerprint)`
    const { rows } = await sqlOf(unit.em).query<WrittenSend>(
      `update cngn_sends s set status = 'unresolved', ${UNMATCHED} from ${wasIn(other)} previous
        where s.id = was_id and status = 'accepted' and matched and reference = $2 returning ${WRITTEN}`,
      [id, reference],
    )
    logMoves(unit, 'release', rows)
  }
  const moved = await move(unit, 'find', id, {
    set: `reference = $2, matched = $3, sent_at = coalesce(sent_at, clock_timestamp()), absent_since = null, error = null,
          refusal = null, next_check_at = now(), check_seconds = 0`,
    where: `not ${HELD_BY_ANOTHER}`,
    values: [reference, matched],
  })
  if (moved) await freeEqual(unit, id)
  return Boolean(moved)
}

/** SQL: what looked like the order is not it. Lists from now on say whether it was sent. */
const UNMATCHED =
  'reference = null, matched = false, absent_since = null, next_check_at = null, failed_at = clock_timestamp(), refusal = null'

/** The movement that was found for an order is not it. False: an equal order is in doubt, and a movement would fit both. */
export async function unmatch(unit: UnitOfWork, id: string, reference: string): Promise<boolean> {
  const moved = await move(unit, 'release', id, {
    set: UNMATCHED,
    where: `reference = $2 and not exists (${EQUAL_IN_DOUBT} and o.sent_at is not null)`,
    values: [reference],
  })
  if (moved)
    await sqlOf(unit.em).query(
      'insert into cngn_listed (environment, account, reference, listed_at) values ($1, $2, $3, now()) on conflict do nothing',
      [moved.environment, moved.account, reference],
    )
  return Boolean(moved)
}

/** The answer names a reference when the order has ended, or a list has shown it before: what the provider lists of it is compared with that. */
export const confirm = (unit: UnitOfWork, id: string, reference: string) =>
  sqlOf(unit.em).query(
    `update cngn_sends s set reference = $2, matched = false, next_check_at = coalesce(next_check_at, now())
      where id = $1 and ((reference is null and status = 'ended' and not ${HELD_BY_ANOTHER}) or (reference = $2 and matched))`,
    [id, reference],
  )

/**
 * Nothing more happens to an order. `watch`: it failed; for a while it is asked whether it was paid after all. `reference`: an operator
 * knows it.
 */
export async function endSend(
  unit: UnitOfWork,
  id: string,
  { watch = false, reference = null }: { readonly watch?: boolean; readonly reference?: string | null } = {},
): Promise<void> {
  const { rows } = await sqlOf(unit.em).query<WrittenSend>(
    `update cngn_sends s set status = 'ended', next_delivery_at = null, reference = coalesce(reference, $3),
            next_check_at = case when $2 and coalesce(reference, $3) is not null then now() end
       from ${wasIn('id = $1')} previous where id = was_id returning ${WRITTEN}`,
    [id, watch, reference],
  )
  logMoves(unit, 'end', rows)
  await freeEqual(unit, id)
}

/** The equal order that waits longest is sent next, at a cost that does not grow with the number of those that wait. */
async function freeEqual(unit: UnitOfWork, id: string): Promise<void> {
  await sqlOf(unit.em).query(
    `with equal as materialized (
       select w.id from cngn_sends s join cngn_sends w on w.environment = s.environment and w.fingerprint = s.fingerprint
        where s.id = $1 and w.status = 'queued'
        order by w.next_send_at limit 1 for update of w skip locked)
     update cngn_sends o set next_send_at = least(o.next_send_at, now()) from equal where o.id = equal.id`,
    [id],
  )
  unit.afterCommit(() => unit.runtime.trigger(SEND))
}
