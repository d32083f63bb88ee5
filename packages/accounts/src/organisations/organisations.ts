import { LockMode } from '@mikro-orm/core'
import { isId, type MemberRole } from '@payments/kernel'
import {
  NEWEST,
  type QueryContext,
  rowsAndTotal,
  showTouched,
  sqlOf,
  type UnitOfWork,
  updateRow,
} from '@payments/platform'
import type { z } from 'zod'
import { OrganisationEntity, type OrganisationRow, presentOrganisation } from '../entity.ts'
import { errors } from '../errors.ts'
import type { OrganisationDetails } from '../schemas.ts'
import { isOperatorEmail } from './operators.ts'
import { reportSuspension } from './owner-emails.ts'

/** All organisations, newest first, at most 200; `total` counts all. */
export async function listOrganisations(context: QueryContext): Promise<{ rows: OrganisationRow[]; total: number }> {
  return rowsAndTotal(
    await context.em.findAndCount(
      OrganisationEntity,
      {},
      { orderBy: { createdAt: 'desc', id: 'desc' }, limit: NEWEST },
    ),
  )
}

/** One organisation with its members. */
export async function organisationDetails(
  context: QueryContext,
  id: string,
): Promise<z.input<typeof OrganisationDetails>> {
  const row = await findOrganisation(context, id)
  const { rows } = await sqlOf(context.em).query<{
    userId: string
    email: string
    role: MemberRole | 'operator'
  }>(
    `select u.id as "userId", u.email, m.role from memberships m join users u on u.id = m.user_id
      where m.organisation_id = $1 order by m.created_at, u.id`,
    [id],
  )
  // A former operator keeps a membership that grants nothing.
  const members = rows.filter(
    ({ role, email }) => role !== 'operator' || isOperatorEmail(context.runtime.settings, email),
  )
  return { ...presentOrganisation(row), members }
}

/** What the customers of an organisation may know of it. @throws organisation_not_found 404 */
export async function merchantProfile(
  context: QueryContext,
  id: string,
): Promise<{ readonly name: string; readonly suspended: boolean }> {
  const { name, suspendedAt } = await findOrganisation(context, id)
  return { name, suspended: suspendedAt !== null && suspendedAt !== undefined }
}

/**
 * Suspends an organisation: from the next request on, its keys and sessions may only read. Suspending it again keeps the
 * first time and reason. The owners are told, with the message of the operators.
 * @throws ServiceError 409 for the operators' organisation: no operator could then lift the suspension.
 */
export async function suspend(
  unit: UnitOfWork,
  id: string,
  reason: string | null,
  message?: string,
): Promise<OrganisationRow> {
  const row = await findOrganisation(unit, id, LockMode.PESSIMISTIC_WRITE)
  if (row.operator) throw errors.operators_stay()
  await showTouched(unit, id)
  return row.suspendedAt ? row : change(unit, row, { suspendedAt: new Date(), suspensionReason: reason }, message)
}

/**
 * Lifts a suspension at once, and tells the owners. An organisation that is not suspended does not change.
 * @throws ServiceError 409 where it has moved to another cell
 */
export async function reactivate(unit: UnitOfWork, id: string, message?: string): Promise<OrganisationRow> {
  const row = await findOrganisation(unit, id, LockMode.PESSIMISTIC_WRITE)
  if (row.movedTo !== null && row.movedTo !== undefined) throw errors.organisation_moved()
  await showTouched(unit, id)
  return row.suspendedAt ? change(unit, row, { suspendedAt: null, suspensionReason: null }, message) : row
}

/** Enables live access, where an operator must do so (LIVE_ACCESS). Enabling it again keeps the first time. */
export async function enableLive(unit: UnitOfWork, id: string): Promise<OrganisationRow> {
  const row = await findOrganisation(unit, id, LockMode.PESSIMISTIC_WRITE)
  if (row.liveEnabledAt) return row
  const enabled = await updateRow(unit, OrganisationEntity, row, { liveEnabledAt: new Date() })
  const by = unit.actor.userId
  unit.afterCommit(() => unit.log.info({ organisationId: row.id, by }, 'live access enabled'))
  return enabled
}

/** One organisation, for operators. @throws organisation_not_found 404 */
export async function findOrganisation(
  context: QueryContext,
  id: string,
  lockMode?: LockMode.PESSIMISTIC_WRITE,
): Promise<OrganisationRow> {
  const row = isId(id) ? await context.em.findOne(OrganisationEntity, { id }, lockMode ? { lockMode } : {}) : null
  if (!row) throw errors.organisation_not_found()
  return { ...row }
}

async function change(
  unit: UnitOfWork,
  row: OrganisationRow,
  suspension: Pick<OrganisationRow, 'suspendedAt' | 'suspensionReason'>,
  message: string | undefined,
): Promise<OrganisationRow> {
  const changed = await updateRow(unit, OrganisationEntity, row, suspension)
  await reportSuspension(unit, changed, message)
  const by = unit.actor.userId
  unit.afterCommit(() =>
    unit.log.info(
      { organisationId: row.id, by },
      changed.suspendedAt ? 'organisation suspended' : 'organisation reactivated',
    ),
  )
  return changed
}
