import { environments } from '@payments/kernel'
import { notify } from '@payments/notifications'
import { sqlOf, type UnitOfWork } from '@payments/platform'
import { sendEmail } from '../emails/email.ts'
import { type OwnersNotice, ownersEmail, serviceOf, titleOf } from '../emails/email-texts.ts'
import type { OrganisationRow } from '../entity.ts'

const EMAIL_HOURS = 24
const UNEXPECTED =
  'end all sessions of the member who invited, remove members whom you do not know, and revoke open invitations and API keys'

interface Change {
  readonly organisationId: string
  readonly organisationName: string
  readonly email: string
  readonly role: string
}

/** Tells all owners that an address was invited, in the app and by email, with the commit. A thief cannot switch these emails off. */
export const reportInvitation = (
  unit: UnitOfWork,
  change: Change & { readonly invitationId: string; readonly invitedBy: string | null },
): Promise<void> =>
  report(unit, change, {
    type: 'member.invited',
    title: 'Member invited',
    body: `${change.invitedBy ?? 'The service'} invited ${change.email} to join as ${titleOf(change.role)}.`,
    resource: { type: 'invitation', id: change.invitationId },
  })

/** Tells all owners that a user joined. */
export const reportJoin = (unit: UnitOfWork, change: Change & { readonly userId: string }): Promise<void> =>
  report(unit, change, {
    type: 'member.joined',
    title: 'Member joined',
    body: `${change.email} joined as ${titleOf(change.role)}.`,
    resource: { type: 'user', id: change.userId },
  })

async function report(
  unit: UnitOfWork,
  { organisationId, organisationName }: Change,
  notification: Omit<OwnersNotice, 'unexpected'> & {
    readonly type: string
    readonly resource: { readonly type: string; readonly id: string }
  },
): Promise<void> {
  // A member works in both environments.
  for (const environment of environments) notify(unit, { organisationId, environment, ...notification })
  await emailOwners(unit, { organisationId, organisationName }, { ...notification, unexpected: UNEXPECTED })
}

/** Emails all owners of an organisation with the commit, whatever their preferences: a thief cannot switch these emails off. */
export async function emailOwners(
  unit: UnitOfWork,
  { organisationId, organisationName }: Pick<Change, 'organisationId' | 'organisationName'>,
  notice: OwnersNotice,
): Promise<void> {
  const { rows } = await sqlOf(unit.em).query<{ email: string }>(
    `select u.email from memberships m join users u on u.id = m.user_id
      where m.organisation_id = $1 and m.role = 'owner' order by m.created_at, u.id`,
    [organisationId],
  )
  const until = new Date(Date.now() + EMAIL_HOURS * 3_600_000).toISOString()
  const service = serviceOf(unit.runtime.settings)
  for (const { email } of rows)
    await sendEmail(unit, { ...ownersEmail(service, email, organisationName, notice), deliver: true, until })
}

/**
 * Tells all owners with the commit, in the app and by email, that operators suspended their organisation or lifted its suspension.
 * @param message what operators write to the merchant; the reason in the audit log is not shown to merchants
 */
export async function reportSuspension(
  unit: UnitOfWork,
  { id, name, suspendedAt }: Pick<OrganisationRow, 'id' | 'name' | 'suspendedAt'>,
  message: string | undefined,
): Promise<void> {
  const { type, title, body } = suspensionNotice(suspendedAt != null, message)
  for (const environment of environments)
    notify(unit, { organisationId: id, environment, type, title, body, resource: { type: 'organisation', id } })
  await emailOwners(
    unit,
    { organisationId: id, organisationName: name },
    { title, body, unexpected: 'contact support' },
  )
}

/** What merchants read about a suspension. */
function suspensionNotice(isSuspended: boolean, message: string | undefined) {
  const written = message === undefined ? '' : ` The operators write: ${message}`
  return isSuspended
    ? {
        type: 'organisation.suspended',
        title: 'Your organisation is suspended',
        body: `You can sign in, read everything, and revoke API keys and sessions; nothing new can be created. Payments that were sent finish, swaps and cNGN transfers that were not sent wait, and webhook events are still delivered.${written}`,
      }
    : {
        type: 'organisation.reactivated',
        title: 'Your organisation is active again',
        body: `The suspension was lifted. Your API keys and sessions work as before.${written}`,
      }
}
