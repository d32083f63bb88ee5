import { isId, type MemberRole } from '@payments/kernel'
import { type QueryContext, rowsOf, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { InvitationEntity, UserEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import type { ReceivedInvitationList } from '../schemas.ts'
import { accountsSettings } from '../settings.ts'
import { join, type OrganisationSummary, type UserSummary } from './members.ts'
import { reportJoin } from './owner-emails.ts'

type Received = z.input<typeof ReceivedInvitationList>['invitations'][number]

/**
 * SQL: the invitation `i` can be accepted. It ends with its inviter's right to invite: that of an owner, or of an operator whom
 * OPERATOR_EMAILS names now.
 * @param operators the parameter with OPERATOR_EMAILS, such as `$2`
 */
export const pendingSql = (operators: string): string => `(
  i.accepted_at is null and i.declined_at is null and i.revoked_at is null and i.expires_at > now()
  and (i.invited_by is null or exists (
    select from memberships inviter join users u on u.id = inviter.user_id
     where inviter.organisation_id = i.organisation_id and inviter.user_id = i.invited_by
       and (inviter.role = 'owner'
            or (inviter.role = 'operator' and u.email = any (${operators}::text[]))))))`

const operatorEmails = ({ runtime }: QueryContext) => accountsSettings.from(runtime.settings).OPERATOR_EMAILS

/**
 * The invitations to organisations that this email address can accept, newest first; an operator's is only for registering. None to
 * an organisation of which its user is a member, who may have taken an address that was invited.
 */
async function pendingFor(context: QueryContext, email: string): Promise<(Received & { organisationId: string })[]> {
  const rows = await rowsOf<Omit<Received, 'expiresAt'> & { organisationId: string; expiresAt: Date }>(
    context,
    InvitationEntity,
    `select i.id, i.organisation_id, o.name as "organisationName", u.email as "invitedBy", i.role, i.expires_at
       from invitations i join organisations o on o.id = i.organisation_id and not o.operator
       left join users u on u.id = i.invited_by
      where i.email = $1 and ${pendingSql('$2')}
        and not exists (select from memberships m join users own on own.id = m.user_id
                         where m.organisation_id = i.organisation_id and own.email = i.email)
      order by i.updated_at desc, i.id desc`,
    [email, operatorEmails(context)],
  )
  return rows.map((row) => ({ ...row, expiresAt: row.expiresAt.toISOString() }))
}

const shown = ({ id, organisationName, invitedBy, role, expiresAt }: Received): Received => ({
  id,
  organisationName,
  invitedBy,
  role,
  expiresAt,
})

const signedIn = async (context: QueryContext): Promise<UserSummary> => {
  const { id, email, fullName } = await context.em.findOneOrFail(UserEntity, { id: context.actor.userId as string })
  return { id, email, fullName: fullName ?? null }
}

/** What the signed-in user has been invited to and has not answered. */
export async function listReceived(context: QueryContext): Promise<z.input<typeof ReceivedInvitationList>> {
  const invitations = (await pendingFor(context, (await signedIn(context)).email)).map(shown)
  return { invitations, total: invitations.length }
}

async function findReceived(context: QueryContext, user: UserSummary, id: string) {
  const found = isId(id) ? (await pendingFor(context, user.email)).find((each) => each.id === id) : undefined
  if (!found) throw errors.invitation_not_found()
  return found
}

/**
 * Joins the organisation of an invitation, and tells its owners. The inviter's membership is locked: an inviter who is removed at the
 * same time either invited before, or invites nobody.
 * @throws invitation_not_found 404 for one that has ended, was answered, or is another address's
 */
export async function acceptInvitation(unit: UnitOfWork, user: UserSummary, id: string): Promise<OrganisationSummary> {
  const { organisationId, organisationName } = await findReceived(unit, user, id)
  await sqlOf(unit.em).query(
    `select from memberships m join invitations i on i.organisation_id = m.organisation_id and i.invited_by = m.user_id
      where i.id = $1 for share of m`,
    [id],
  )
  // The role is that of the invitation that is accepted: it may have been renewed meanwhile.
  const [accepted] = await rowsOf<{ invitedBy: string | null; role: MemberRole }>(
    unit,
    InvitationEntity,
    `update invitations i set accepted_at = now(), updated_at = now() where i.id = $1 and ${pendingSql('$2')}
     returning i.invited_by, i.role`,
    [id, operatorEmails(unit)],
  )
  if (!accepted) throw errors.invitation_not_found()
  const { role, invitedBy } = accepted
  await join(unit, organisationId, user.id, { role, invitedBy })
  await reportJoin(unit, { organisationId, organisationName, userId: user.id, email: user.email, role })
  return { id: organisationId, name: organisationName, role }
}

/** {@link acceptInvitation} for the signed-in user. */
export const accept = async (unit: UnitOfWork, id: string): Promise<OrganisationSummary> =>
  acceptInvitation(unit, await signedIn(unit), id)

/** The same for the newest invitation of a user without an organisation, for whom to sign in is to accept it. */
export async function acceptNewest(unit: UnitOfWork, user: UserSummary): Promise<OrganisationSummary | undefined> {
  const [newest] = await pendingFor(unit, user.email)
  return newest && acceptInvitation(unit, user, newest.id)
}

/** Declines an invitation: it can be renewed, and not accepted. @throws invitation_not_found 404 */
export async function decline(unit: UnitOfWork, id: string): Promise<Received> {
  const found = await findReceived(unit, await signedIn(unit), id)
  const now = new Date()
  const open = { id, acceptedAt: null, declinedAt: null, revokedAt: null }
  if ((await unit.em.nativeUpdate(InvitationEntity, open, { declinedAt: now, updatedAt: now })) !== 1)
    throw errors.invitation_not_found()
  return shown(found)
}
