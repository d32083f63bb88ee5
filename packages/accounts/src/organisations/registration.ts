import type { UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import { accountsSettings } from '../settings.ts'
import { isPending } from './received-invitations.ts'

/**
 * True if this email address may register an organisation: anyone while REGISTRATION is `open`, otherwise only whom an operator
 * has invited who is an operator still. An invitation to another organisation does not allow it.
 */
export async function mayRegister(unit: UnitOfWork, email: string): Promise<boolean> {
  const { rows } = await sql<{ invited: boolean }>`
    select exists (select from invitations i join organisations o on o.id = i.organisation_id and o.operator
                    where i.email = ${email} and ${isPending(unit.runtime.settings)}) as invited`.execute(
    unit.em.getKysely(),
  )
  return rows[0]?.invited === true || accountsSettings.from(unit.runtime.settings).REGISTRATION === 'open'
}

/** The invitation of an operator is used up by the organisation that it allowed to register. */
export async function useRegistration(unit: UnitOfWork, email: string): Promise<void> {
  await sql`update invitations i set accepted_at = now() from organisations o
     where o.id = i.organisation_id and o.operator and i.email = ${email} and i.accepted_at is null`.execute(
    unit.em.getKysely(),
  )
}
