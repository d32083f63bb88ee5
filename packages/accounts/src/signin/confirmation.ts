import { errors as commonErrors } from '@payments/kernel'
import type { CallContext, QueryContext, UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import type { Confirm, Confirmation } from '../api/schemas.ts'
import { countEmail } from '../emails/send-limits.ts'
import { SessionEntity, UserEntity } from '../entity.ts'
import { checkSessionCode, markCodeUsed, newChallenge } from './challenges.ts'

const CONFIRMED_MS = 600_000

/**
 * Requires that the user proved the email address for this session within the last 10 minutes: by signing in, or by a fresh
 * code. Keys and the service itself are not concerned: what needs a session says so in its access.
 * @throws ServiceError 403 when the session must be confirmed first, or for an internal token, which nobody can confirm.
 */
export async function requireConfirmed({ em, actor }: QueryContext): Promise<void> {
  if (actor.kind === 'token') throw commonErrors.session_required()
  if (actor.kind !== 'session') return
  const session = await em.findOne(SessionEntity, { id: actor.sessionId as string }, { fields: ['confirmedAt'] })
  const at = session?.confirmedAt?.getTime() ?? 0
  if (Date.now() - at >= CONFIRMED_MS) throw commonErrors.confirmation_required()
}

/**
 * Requires an owner with a confirmed session, for what a stolen key or an old session must not do. The service itself passes.
 * @throws ServiceError 403 that names what is missing.
 */
export async function requireConfirmedOwner(context: QueryContext): Promise<void> {
  const { actor } = context
  if (actor.kind === 'system') return
  if (actor.kind !== 'session') throw commonErrors.session_required()
  if (actor.role === 'member') throw commonErrors.owner_required()
  await requireConfirmed(context)
}

/** Checks the code of a confirmation, if there is one. */
export const checkConfirmation = async (context: QueryContext, { code }: z.output<typeof Confirm>) =>
  code === undefined ? undefined : checkSessionCode(context, 'confirm', code)

/**
 * Without a code: emails a fresh one to the user. With it: confirms the session for 10 minutes. These emails are counted apart
 * from sign-in codes, so that a stranger who requests those cannot prevent a confirmation.
 * @throws ServiceError 401 for a wrong code, 429 over the limits of emails.
 */
export async function confirm(
  unit: UnitOfWork,
  _input: z.output<typeof Confirm>,
  checked: { id: string } | undefined,
  { ip }: CallContext,
): Promise<z.input<typeof Confirmation>> {
  const sessionId = unit.actor.sessionId as string
  if (checked) {
    await markCodeUsed(unit, checked.id)
    const confirmedAt = new Date()
    await unit.em.nativeUpdate(SessionEntity, { id: sessionId }, { confirmedAt })
    return { confirmedUntil: new Date(confirmedAt.getTime() + CONFIRMED_MS).toISOString(), otpExpiresAt: null }
  }
  const { email } = await unit.em.findOneOrFail(UserEntity, { id: unit.actor.userId as string })
  await countEmail(unit, { kind: 'confirm', email, address: ip })
  const { expiresAt } = await newChallenge(unit, { purpose: 'confirm', email, sessionId, deliver: true })
  return { confirmedUntil: null, otpExpiresAt: expiresAt.toISOString() }
}
