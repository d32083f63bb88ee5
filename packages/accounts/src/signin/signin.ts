import { newId } from '@payments/kernel'
import type { CallContext, UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { rememberAddress } from '../emails/send-limits.ts'
import { errors } from '../errors.ts'
import {
  createOrganisation,
  joinOperators,
  lastUsed,
  type OrganisationSummary,
  userOf,
  userWithMemberships,
} from '../organisations/members.ts'
import { isOperatorEmail } from '../organisations/operators.ts'
import { acceptInvitation, acceptNewest } from '../organisations/received-invitations.ts'
import { mayRegister, useRegistration } from '../organisations/registration.ts'
import type { Tokens, Verify } from '../schemas.ts'
import { startSession } from '../sessions/sessions.ts'
import { markCodeUsed, type VerifiedChallenge } from './challenges.ts'
import { isNewDevice, reportNewDevice } from './new-device.ts'

/**
 * Marks a verified code as used and signs in. The user joins the operators if OPERATOR_EMAILS contains the address, and gets a new
 * organisation if a new user registered one and may register. No invitation is accepted but the one that the request names, or, for a
 * user who would otherwise have no organisation, the newest. A sign-in from a new device is reported.
 * @throws ServiceError 401 when the user has no organisation, 404 when the user is not a member of `organisationId` or when
 * `invitationId` cannot be accepted.
 */
export async function verify(
  unit: UnitOfWork,
  input: z.output<typeof Verify>,
  verified: VerifiedChallenge,
  call: CallContext,
): Promise<z.input<typeof Tokens>> {
  await markCodeUsed(unit, input.challengeId)
  const { user, created } = await userOf(unit, verified.email, verified.fullName)
  const isOperator = isOperatorEmail(unit.runtime.settings, user.email)
  if (isOperator) await joinOperators(unit, user.id)
  const registered =
    created && verified.organisationName && (await mayRegister(unit, user.email))
      ? await createOrganisation(unit, user.id, verified.organisationName, verified.timeZone)
      : undefined
  if (registered) await useRegistration(unit, user.email)
  const joined = input.invitationId ? await acceptInvitation(unit, user, input.invitationId) : undefined
  const { memberships } = await userWithMemberships(unit, user.id)
  const only = !joined && memberships.length === 0 ? await acceptNewest(unit, user) : undefined
  const organisations = only ? [only] : memberships.map(({ organisation }) => organisation)
  if (organisations.length === 0) throw errors.invalid_code()
  const requested = input.organisationId ?? joined?.id
  const chosen = requested
    ? organisations.find((each) => each.id === requested)
    : (isOperator && organisations.find((each) => each.role === 'operator')) ||
      registered ||
      (await usedLast(unit, user.id, organisations))
  if (!chosen) throw errors.organisation_not_found()
  const sessionId = newId()
  if (!created && (await isNewDevice(unit, user.id, call)))
    await reportNewDevice(unit, chosen, user, { sessionId, call })
  await rememberAddress(unit, user.id, call.ip)
  return startSession(unit, user, chosen, { sessionId, call, confirmedAt: new Date() })
}

/** Not the oldest membership: that may be one of a stranger's choosing. */
const usedLast = async (unit: UnitOfWork, userId: string, organisations: readonly OrganisationSummary[]) => {
  const id = await lastUsed(unit, userId)
  return organisations.find((each) => each.id === id) ?? organisations[0]
}
