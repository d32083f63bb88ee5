import type { CallContext, QueryContext, UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { CONFIRMED_MS } from '../confirmation.ts'
import { countEmail } from '../emails/send-limits.ts'
import { SessionEntity, UserEntity } from '../entity.ts'
import type { Confirm, Confirmation } from '../schemas.ts'
import { checkSessionCode, markCodeUsed, newChallenge } from './challenges.ts'

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
