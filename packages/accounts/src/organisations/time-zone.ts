import { LockMode } from '@mikro-orm/core'
import { invalid, listedZone, UNKNOWN_ZONE } from '@payments/kernel'
import { type QueryContext, sqlOf, type UnitOfWork, updateRow } from '@payments/platform'
import { OrganisationEntity } from '../entity.ts'
import { errors } from '../errors.ts'

/**
 * The listed name of the zone that is named, where the database knows it; else undefined. An abbreviation such as EAT, which others know,
 * is only a name where the database has it.
 */
export async function knownZone(context: QueryContext, name: string): Promise<string | undefined> {
  const listed = listedZone(name)
  if (listed === undefined || listed === 'UTC') return listed
  const { rows } = await sqlOf(context.em).query<{ name: string }>(
    'select name from pg_timezone_names where name in ($1, $2)',
    [name, listed],
  )
  const names = rows.map((row) => row.name)
  return names.includes(listed) && (name.includes('/') || names.includes(name)) ? listed : undefined
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
  const { name } = row
  const known = timeZone === undefined ? row.timeZone : await knownZone(unit, timeZone)
  if (known === undefined) throw invalid({ timeZone: UNKNOWN_ZONE })
  if (known !== row.timeZone) await updateRow(unit, OrganisationEntity, { ...row }, { timeZone: known })
  return { id, name, timeZone: known }
}
