import { errors as commonErrors, type MemberRole } from '@payments/kernel'
import { type QueryContext, rowsOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { requireConfirmed } from '../confirmation.ts'
import { MembershipEntity, SessionEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import type { Member } from '../schemas.ts'
import { endInvitationsOf, endInvitationsTo } from './invitations.ts'
import { isOperatorEmail, refuseInOperators } from './operators.ts'

interface Row {
  userId: string
  email: string
  fullName: string | null
  role: MemberRole | 'operator'
  createdAt: Date
}
type Shown = z.input<typeof Member>

const present = (row: Row): Shown => ({ ...row, createdAt: row.createdAt.toISOString() })

/** The members of an organisation. `rest`: SQL, their order and whether they are locked. */
const membersOf = (context: QueryContext, rest: string): Promise<Row[]> =>
  rowsOf(
    context,
    MembershipEntity,
    `select m.user_id, u.email, u.full_name as "fullName", m.role, m.created_at
       from memberships m join users u on u.id = m.user_id where m.organisation_id = $1 ${rest}`,
    [context.actor.organisationId],
  )

/** The members of the organisation, the oldest membership first. */
export async function listMembers(context: QueryContext): Promise<{ members: Shown[]; total: number }> {
  const rows = await membersOf(context, 'order by m.created_at, m.user_id')
  const members = rows
    .filter(({ role, email }) => role !== 'operator' || isOperatorEmail(context.runtime.settings, email))
    .map(present)
  return { members, total: members.length }
}

/**
 * Changes a member's role. It applies from the member's next request on.
 * @throws ServiceError 403 without a confirmed session, 404 for no member, 409 for the last owner and for operators.
 */
export async function changeRole(unit: UnitOfWork, userId: string, role: MemberRole): Promise<Shown> {
  const row = await lockedMember(unit, userId, role !== 'owner')
  const where = { organisationId: unit.actor.organisationId, userId }
  await unit.em.nativeUpdate(MembershipEntity, where, { role })
  if (role !== 'owner') await endInvitationsOf(unit, userId)
  return present({ ...row, role })
}

/**
 * Removes a member and ends the member's sessions in this organisation. Keys that the member created belong to the organisation
 * and stay. Open invitations of the member, and to the member's address, end.
 * @throws ServiceError as {@link changeRole}.
 */
export async function removeMember(unit: UnitOfWork, userId: string): Promise<Shown> {
  const row = await lockedMember(unit, userId, true)
  await end(unit, row)
  return present(row)
}

/**
 * Ends the membership of the signed-in user, and all sessions of the user in this organisation.
 * @throws ServiceError 403 without a confirmed session, 409 for the last owner and for operators.
 */
export async function leave(unit: UnitOfWork): Promise<Shown> {
  const userId = unit.actor.userId as string
  const { row, owners } = await lockedMembers(unit, userId)
  if (row.role === 'owner' && owners === 1) throw errors.last_owner()
  await end(unit, row)
  return present(row)
}

async function end(unit: UnitOfWork, { userId, email }: Row): Promise<void> {
  const where = { organisationId: unit.actor.organisationId, userId }
  await endInvitationsOf(unit, userId)
  await endInvitationsTo(unit, email)
  await unit.em.nativeDelete(SessionEntity, where)
  await unit.em.nativeDelete(MembershipEntity, where)
}

/** The membership that the caller, who must still be an owner, changes. */
async function lockedMember(unit: UnitOfWork, userId: string, losesOwner: boolean): Promise<Row> {
  const { row, rows, owners } = await lockedMembers(unit, userId)
  // The caller's own role may have changed while this request waited for the lock.
  const own = rows.find((each) => each.userId === unit.actor.userId)
  if (unit.actor.kind === 'session' && own?.role !== 'owner') throw commonErrors.owner_required()
  if (losesOwner && row.role === 'owner' && owners === 1) throw errors.last_owner()
  return row
}

/**
 * The membership, with all memberships of the organisation locked: of two owners who remove each other in parallel, one
 * succeeds.
 */
async function lockedMembers(unit: UnitOfWork, userId: string) {
  const rows = await membersOf(unit, 'order by m.user_id for update of m')
  const row = rows.find((each) => each.userId === userId)
  if (!row) throw errors.member_not_found()
  await refuseInOperators(unit)
  await requireConfirmed(unit)
  return { row, rows, owners: rows.filter((each) => each.role === 'owner').length }
}
