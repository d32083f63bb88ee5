import { LockMode } from '@mikro-orm/core'
import { invalid, isTimeZone, UNKNOWN_ZONE } from '@payments/kernel'
import { type QueryContext, sqlOf, type UnitOfWork, updateRow } from '@payments/platform'
import { OrganisationEntity } from '../entity.ts'
import { errors } from '../errors.ts'

/** True for a name that documents and the database know, written as the database writes it. */
export async function knowsZone(context: QueryContext, name: string): Promise<boolean> {
  if (!isTimeZone(name)) return false
  const { rows } = await sqlOf(context.em).query<{ known: boolean }>(
    'select exists (select from pg_timezone_names where name = $1) as known',
    [name],
  )
  return rows[0]?.known === true
}

/**
 * Changes what the organisation's members can change of it. Days that are reported, and documents that are issued, from now on are of
 * the new time zone; invoices that exist keep that of their creation.
 * @throws validation_failed 422 for a time zone that is unknown
 */
export async function changeOrganisation(
  unit: UnitOfWork,
  { timeZone }: { readonly timeZone?: string },
): Promise<{ id: string; name: string; timeZone: string }> {
  const id = unit.actor.organisationId
  const row = await unit.em.findOne(OrganisationEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!row) throw errors.organisation_not_found()
  if (timeZone === undefined || timeZone === row.timeZone) return { id, name: row.name, timeZone: row.timeZone }
  if (!(await knowsZone(unit, timeZone))) throw invalid({ timeZone: UNKNOWN_ZONE })
  const { name } = await updateRow(unit, OrganisationEntity, { ...row }, { timeZone })
  return { id, name, timeZone }
}
