import type { UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import { accountsSettings } from './settings.ts'

/**
 * True if this email address may register an organisation: anyone while REGISTRATION is `open`, otherwise only whom an operator
 * has invited. An invitation to another organisation does not allow it.
 */
export async function mayRegister(unit: UnitOfWork, email: string): Promise<boolean> {
  const { rows } = await sql<{ invited: boolean }>`
    select exists (select from invitations i join organisations o on o.id = i.organisation_id and o.operator
                    where i.email = ${email} and i.accepted_at is null and i.expires_at > now()) as invited`.execute(
    unit.em.getKysely(),
  )
  return rows[0]?.invited === true || accountsSettings.from(unit.runtime.settings).REGISTRATION === 'open'
}
