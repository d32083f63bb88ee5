import { sqlOf, type UnitOfWork } from '@payments/platform'
import { accountsSettings } from '../settings.ts'
import { pendingSql } from './received-invitations.ts'

/**
 * True if this email address may register an organisation: anyone while REGISTRATION is `open`, otherwise only whom an operator
 * has invited who is an operator still. An invitation to another organisation does not allow it.
 */
export async function mayRegister(unit: UnitOfWork, email: string): Promise<boolean> {
  const { OPERATOR_EMAILS, REGISTRATION } = accountsSettings.from(unit.runtime.settings)
  const { rows } = await sqlOf(unit.em).query<{ invited: boolean }>(
    `select exists (select from invitations i join organisations o on o.id = i.organisation_id and o.operator
                     where i.email = $1 and ${pendingSql('$2')}) as invited`,
    [email, OPERATOR_EMAILS],
  )
  return rows[0]?.invited === true || REGISTRATION === 'open'
}

/** The invitation of an operator is used up by the organisation that it allowed to register. */
export async function useRegistration(unit: UnitOfWork, email: string): Promise<void> {
  await sqlOf(unit.em).query(
    `update invitations i set accepted_at = now() from organisations o
      where o.id = i.organisation_id and o.operator and i.email = $1 and i.accepted_at is null`,
    [email],
  )
}
