import { newId, type Read, type Work } from '@payments/kernel'
import { sql } from 'kysely'
import type { z } from 'zod'
import { InvitationEntity, type InvitationRow, MembershipEntity, OrganisationEntity, UserEntity } from './entity.ts'
import { invitationLetter } from './letters.ts'
import { post } from './mail.ts'
import { join, type UserFacts } from './members.ts'
import { no } from './refusals.ts'
import type { NewInvitation } from './schemas.ts'

const DAYS = 7
/** An organisation's letters go to strangers: without a limit, a free registration could write to anybody. */
const PER_DAY = 20

/**
 * Invites an e-mail and writes to it. Inviting again renews the invitation with the new role. Whether the e-mail has an
 * account elsewhere makes no difference.
 * @throws Refusal 409 for a member, 429 over 20 letters a day.
 */
export async function invite(work: Work, input: z.output<typeof NewInvitation>): Promise<InvitationRow> {
  const { organisationId } = work.actor
  const email = input.email.toLowerCase()
  await sql`select pg_advisory_xact_lock(hashtext(${`invitations:${organisationId}`}))`.execute(work.em.getKysely())
  const user = await work.em.findOne(UserEntity, { email })
  if (user && (await work.em.count(MembershipEntity, { organisationId, userId: user.id })) > 0)
    throw no.already_member()
  const now = new Date()
  const today = { organisationId, updatedAt: { $gt: new Date(now.getTime() - 86_400_000) } }
  if ((await work.em.count(InvitationEntity, today)) >= PER_DAY) throw no.too_many_invitations({ retryAfter: 3600 })
  const expiresAt = new Date(now.getTime() + DAYS * 86_400_000)
  const terms = { role: input.role, invitedBy: work.actor.userId ?? null, expiresAt, acceptedAt: null, updatedAt: now }
  const known = await work.em.findOne(InvitationEntity, { organisationId, email })
  const row: InvitationRow = {
    id: known?.id ?? newId(),
    organisationId,
    email,
    createdAt: known?.createdAt ?? now,
    ...terms,
  }
  if (known) await work.em.nativeUpdate(InvitationEntity, { id: row.id }, terms)
  else await work.em.insert(InvitationEntity, row)
  const organisation = await work.em.findOneOrFail(OrganisationEntity, { id: organisationId })
  await post(work, {
    ...invitationLetter(email, organisation.name, DAYS),
    deliver: true,
    until: expiresAt.toISOString(),
  })
  return row
}

/** The organisation's invitations, newest first, at most 200; `total` counts all. */
export async function listInvitations(read: Read): Promise<{ rows: InvitationRow[]; total: number }> {
  const { organisationId } = read.actor
  const options = { orderBy: { createdAt: 'desc', id: 'desc' }, limit: 200 } as const
  const [rows, total] = await read.em.findAndCount(InvitationEntity, { organisationId }, options)
  return { rows, total }
}

/** Joins everything that this e-mail is invited to. In the operators' organisation everybody is an operator. */
export async function acceptInvitations(work: Work, user: UserFacts): Promise<void> {
  const { rows } = await sql<{ organisation_id: string; role: 'owner' | 'member'; operator: boolean }>`
    update invitations i set accepted_at = now() from organisations o
     where i.email = ${user.email} and i.accepted_at is null and i.expires_at > now() and o.id = i.organisation_id
    returning i.organisation_id, i.role, o.operator`.execute(work.em.getKysely())
  for (const row of rows) await join(work, row.organisation_id, user.id, row.operator ? 'operator' : row.role)
}
