import { sqlOf, type UnitOfWork, updateResource } from '@payments/platform'
import { cancelWaiting, lockedSession, moveCollection, updateCollection } from '../../collections/changes.ts'
import { type CollectionRow, type SessionRow, sessionResource } from '../../entity.ts'
import { fieldsOf } from '../../payments/outcome.ts'

const grossOf = ({ deliveredAmount, fees }: SessionRow): bigint => deliveredAmount + fees
const isPaid = ({ status }: SessionRow): boolean => status === 'paid'
const isPast = (time: Date | null | undefined): boolean => !!time && time <= new Date()

/** Applies to a locked collection the outcome of one of its sessions: what it received, and whether it is paid, no longer paid, or as before. */
export async function applyToCollection(
  unit: UnitOfWork,
  collection: CollectionRow,
  { before, after }: { readonly before: SessionRow; readonly after: SessionRow },
): Promise<void> {
  const added = grossOf(after) - grossOf(before)
  const paid = Number(isPaid(after)) - Number(isPaid(before))
  if (paid === 0 && added === 0n) return
  const fields = {
    receivedAmount: collection.receivedAmount + added,
    paymentsCount: collection.paymentsCount + paid,
  }
  const event = paid > 0 ? paidEvent(collection, fields) : paid < 0 ? correction(collection, fields) : undefined
  const full =
    event === 'deactivate' ? { filledAt: new Date() } : event === 'correct_to_active' ? { filledAt: null } : {}
  const moved = event && (await moveCollection(unit, collection, event, { ...fields, ...full }))
  if (moved?.outcome === 'moved') {
    if (event === 'pay') await cancelWaiting(unit, moved.row)
  } else await updateCollection(unit, collection, fields)
  if (paid < 0 && collection.type !== 'link') await paidOnce(unit, collection)
}

type Counted = Pick<CollectionRow, 'paymentsCount'>

function paidEvent({ type, maxPayments }: CollectionRow, { paymentsCount }: Counted) {
  if (type !== 'link') return 'pay'
  return maxPayments !== null && paymentsCount >= (maxPayments ?? Infinity) ? 'deactivate' : undefined
}

/** What a collection is again once a correction has taken back one of its payments; undefined where others keep it as it is. */
function correction(
  { type, status, filledAt, maxPayments, endsAt, overdueAt }: CollectionRow,
  { paymentsCount }: Counted,
) {
  if (type === 'link')
    return status === 'inactive' && filledAt && paymentsCount < (maxPayments ?? Infinity)
      ? 'correct_to_active'
      : undefined
  if (status !== 'paid' || paymentsCount > 0) return undefined
  if (isPast(endsAt)) return 'correct_to_expired'
  return type === 'invoice' && isPast(overdueAt) ? 'correct_to_overdue' : 'correct_to_open'
}

/** The earliest session that still pays a locked collection is not the second one any more. */
async function paidOnce(unit: UnitOfWork, { id }: CollectionRow): Promise<void> {
  const { rows } = await sqlOf(unit.em).query<{ id: string; paid_twice: boolean }>(
    "select id, paid_twice from checkout_sessions where parent_id = $1 and status = 'paid' order by paid_at, id limit 1",
    [id],
  )
  const [first] = rows
  if (!first?.paid_twice) return
  const session = await lockedSession(unit, first.id)
  const once = { ...session, paidTwice: false }
  const { paidOver } = fieldsOf(once, session.payments)
  await updateResource(unit, sessionResource, session, { paidTwice: false, paidOver }, 'correction')
}
