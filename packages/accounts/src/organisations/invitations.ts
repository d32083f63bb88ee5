import { LockMode } from '@mikro-orm/core'
import { isId, newId } from '@payments/kernel'
import {
  type CallContext,
  lockName,
  NEWEST,
  type QueryContext,
  rowsAndTotal,
  sqlOf,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { requireConfirmed } from '../confirmation.ts'
import { sendEmail } from '../emails/email.ts'
import { invitationEmail, registrationEmail, serviceOf } from '../emails/email-texts.ts'
import { countEmail } from '../emails/send-limits.ts'
import {
  EmailSendEntity,
  InvitationEntity,
  type InvitationRow,
  MembershipEntity,
  OrganisationEntity,
  UserEntity,
} from '../entity.ts'
import { errors } from '../errors.ts'
import type { NewInvitation } from '../schemas.ts'
import { reportInvitation } from './owner-emails.ts'

const DAYS = 7
/** Invitations go to any address: without a limit, every registered organisation could send unwanted emails. Renewals count. */
const PER_DAY = 20

/**
 * Invites an email address and sends it an email. Inviting again renews the invitation with the new role. The reply is the
 * same whether or not the address has an account in another organisation. An operator's invitation allows to register an
 * organisation: it makes nobody an operator.
 * All owners are told.
 * @throws ServiceError 403 without a confirmed session, 409 for a member, 429 over 20 emails a day or over
 * the limits of the address.
 */
export async function invite(
  unit: UnitOfWork,
  input: z.output<typeof NewInvitation>,
  _prepared: undefined,
  { ip }: CallContext,
): Promise<InvitationRow> {
  // Otherwise the holder of a stolen session could invite an address of his own, and stay when all sessions are ended.
  await requireConfirmed(unit)
  const { organisationId } = unit.actor
  const email = input.email.toLowerCase()
  await lockName(sqlOf(unit.em), `invitations:${organisationId}`)
  // One that is accepted at the same time makes a member, who cannot be invited again.
  const existing = await unit.em.findOne(
    InvitationEntity,
    { organisationId, email },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  const user = await unit.em.findOne(UserEntity, { email })
  if (user && (await unit.em.count(MembershipEntity, { organisationId, userId: user.id })) > 0)
    throw errors.already_member()
  const now = new Date()
  const today = { organisationId, kind: 'invitation' as const, sentAt: { $gt: new Date(now.getTime() - 86_400_000) } }
  if ((await unit.em.count(EmailSendEntity, today)) >= PER_DAY) throw errors.too_many_invitations({ retryAfter: 3600 })
  await countEmail(unit, { kind: 'invitation', email, address: ip })
  const expiresAt = new Date(now.getTime() + DAYS * 86_400_000)
  const values = {
    role: input.role,
    invitedBy: unit.actor.userId ?? null,
    expiresAt,
    acceptedAt: null,
    declinedAt: null,
    revokedAt: null,
    updatedAt: now,
  }
  const row: InvitationRow = {
    id: existing?.id ?? newId(),
    organisationId,
    email,
    createdAt: existing?.createdAt ?? now,
    ...values,
  }
  if (existing) await unit.em.nativeUpdate(InvitationEntity, { id: row.id }, values)
  else await unit.em.insert(InvitationEntity, row)
  const organisation = await unit.em.findOneOrFail(OrganisationEntity, { id: organisationId })
  const inviter = unit.actor.userId ? await unit.em.findOne(UserEntity, { id: unit.actor.userId }) : null
  const service = serviceOf(unit.runtime.settings)
  await sendEmail(unit, {
    ...(organisation.operator
      ? registrationEmail(service, email, DAYS)
      : invitationEmail(service, email, {
          ...{ organisation: organisation.name, role: input.role, days: DAYS },
          invitedBy: inviter?.email,
        })),
    deliver: true,
    until: expiresAt.toISOString(),
  })
  if (!organisation.operator) {
    await reportInvitation(unit, {
      organisationId,
      organisationName: organisation.name,
      invitationId: row.id,
      email,
      role: input.role,
      invitedBy: inviter?.email ?? null,
    })
  }
  return row
}

/** The organisation's invitations, newest first, at most 200; `total` counts all. */
export async function listInvitations(context: QueryContext): Promise<{ rows: InvitationRow[]; total: number }> {
  const { organisationId } = context.actor
  const options = { orderBy: { createdAt: 'desc', id: 'desc' }, limit: NEWEST } as const
  return rowsAndTotal(await context.em.findAndCount(InvitationEntity, { organisationId }, options))
}

/**
 * Revokes an invitation that was not answered: it can be renewed, and not accepted.
 * @throws invitation_not_found 404 for one that was answered, has ended, or is another organisation's
 */
export async function revokeInvitation(unit: UnitOfWork, id: string): Promise<InvitationRow> {
  const { organisationId } = unit.actor
  const open = { id, organisationId, acceptedAt: null, declinedAt: null, revokedAt: null }
  const now = new Date()
  if (!isId(id) || (await unit.em.nativeUpdate(InvitationEntity, open, { revokedAt: now, updatedAt: now })) !== 1)
    throw errors.invitation_not_found()
  return unit.em.findOneOrFail(InvitationEntity, { id }, { refresh: true })
}

/** Ends what a member has invited and nobody has answered: with the right to invite. */
export const endInvitationsOf = (unit: UnitOfWork, userId: string): Promise<void> =>
  endInvitations(unit, { invitedBy: userId })

/** Ends what was sent to the address of a member who goes and may have taken it since: nobody returns by an old invitation. */
export const endInvitationsTo = (unit: UnitOfWork, email: string): Promise<void> => endInvitations(unit, { email })

async function endInvitations(unit: UnitOfWork, which: { invitedBy: string } | { email: string }): Promise<void> {
  const { organisationId } = unit.actor
  const open = { ...which, organisationId, acceptedAt: null, declinedAt: null, revokedAt: null }
  const now = new Date()
  await unit.em.nativeUpdate(InvitationEntity, open, { revokedAt: now, updatedAt: now })
}
