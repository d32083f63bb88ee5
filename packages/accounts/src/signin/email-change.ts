import { invalid } from '@payments/kernel'
import type { CallContext, QueryContext, UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { countEmail } from '../emails/send-limits.ts'
import { UserEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import type { ChangeEmail, EmailChange } from '../schemas.ts'
import { checkSessionCode, markCodeUsed, newChallenge } from './challenges.ts'

type Input = z.output<typeof ChangeEmail>
interface Checked {
  readonly current: { readonly id: string; readonly email: string }
  readonly next: { readonly id: string; readonly email: string }
}

/** Checks both codes, if they are there. The new code counts only for the address that it was sent to. */
export async function checkEmailCodes(context: QueryContext, input: Input): Promise<Checked | undefined> {
  if (input.currentCode === undefined || input.newCode === undefined) return undefined
  const current = await checkSessionCode(context, 'email-current', input.currentCode)
  const next = await checkSessionCode(context, 'email-new', input.newCode)
  if (next.email !== input.email.toLowerCase()) throw errors.invalid_code()
  return { current, next }
}

/**
 * Without codes: emails one to the user's address and one to the new address. With both: changes the address. The reply
 * does not reveal whether the new address belongs to another user; such an address gets no code.
 * @throws ServiceError 401 for a wrong code, 422 for the present address, 409 when the address was taken meanwhile, 429 over the limits of emails.
 */
export async function changeEmail(
  unit: UnitOfWork,
  input: Input,
  checked: Checked | undefined,
  { ip }: CallContext,
): Promise<z.input<typeof EmailChange>> {
  const user = await unit.em.findOneOrFail(UserEntity, { id: unit.actor.userId as string })
  const email = input.email.toLowerCase()
  if (checked) {
    // Another session may have changed the address since the code was sent.
    if (checked.current.email !== user.email) throw errors.invalid_code()
    await markCodeUsed(unit, checked.current.id)
    await markCodeUsed(unit, checked.next.id)
    await unit.em.nativeUpdate(UserEntity, { id: user.id }, { email })
    unit.afterCommit(() => unit.log.info({ userId: user.id }, 'email address changed'))
    return { email, otpExpiresAt: null }
  }
  if (email === user.email) throw invalid({ email: 'Must differ from the present address' })
  const sessionId = unit.actor.sessionId as string
  // In one order, so that two changes never wait for each other's locks. Anybody can name the new address, so it does not count
  // against the confirmations of its owner.
  for (const address of [user.email, email].sort())
    await countEmail(unit, { kind: address === user.email ? 'confirm' : 'code', email: address, address: ip })
  await newChallenge(unit, { purpose: 'email-current', email: user.email, sessionId, deliver: true })
  const deliver = (await unit.em.count(UserEntity, { email })) === 0
  const { expiresAt } = await newChallenge(unit, { purpose: 'email-new', email, sessionId, deliver })
  return { email: user.email, otpExpiresAt: expiresAt.toISOString() }
}
