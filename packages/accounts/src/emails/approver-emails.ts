import { rolesAllowed, zoneOf } from '@payments/kernel'
import { sqlOf, type UnitOfWork } from '@payments/platform'
import { sendEmail } from './email.ts'
import { payoutApprovalEmail, serviceOf } from './email-texts.ts'

/**
 * Emails everybody who may approve a payout of the organisation, once the transaction commits: its owners and finance members, but not
 * who asked for it.
 * @param about `requestedBy`: the user who asked; null for an API key. `path`: the payout's screen, below the environment
 */
export async function emailApprovers(
  unit: UnitOfWork,
  about: Omit<Parameters<typeof payoutApprovalEmail>[2], 'organisation' | 'environment' | 'timeZone'> & {
    readonly requestedBy: string | null
  },
): Promise<void> {
  const { organisationId, environment } = unit.actor
  const { rows } = await sqlOf(unit.em).query<{ email: string; organisation: string }>(
    `select u.email, o.name as organisation from memberships m
       join users u on u.id = m.user_id join organisations o on o.id = m.organisation_id
      where m.organisation_id = $1 and m.role = any ($2::text[]) and m.user_id is distinct from $3::uuid
      order by m.created_at, m.user_id`,
    [organisationId, rolesAllowed.finance, about.requestedBy],
  )
  const service = serviceOf(unit.runtime.settings)
  for (const { email, organisation } of rows)
    await sendEmail(unit, {
      ...payoutApprovalEmail(service, email, { ...about, organisation, environment, timeZone: zoneOf(unit.actor) }),
      deliver: true,
      until: about.until.toISOString(),
    })
}
