import { newId } from '@payments/kernel'
import type { CallContext, UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { markCodeUsed, type VerifiedChallenge } from './challenges.ts'
import { errors } from './errors.ts'
import { acceptInvitations } from './invitations.ts'
import { createOrganisation, joinOperators, type OrganisationSummary, organisationsOf, userOf } from './members.ts'
import { isNewDevice, reportNewDevice } from './new-device.ts'
import { isOperatorEmail } from './operators.ts'
import { mayRegister } from './registration.ts'
import type { Tokens, Verify } from './schemas.ts'
import { rememberAddress } from './send-limits.ts'
import { startSession } from './sessions.ts'

/**
 * Marks a verified code as used and signs in. The user accepts all pending invitations, joins the operators if
 * OPERATOR_EMAILS contains the address, and gets a new organisation if a new user registered one and may register. A sign-in
 * from a new device is reported.
 * @throws ServiceError 401 when the user has no organisation, 404 when the user is not a member of `organisationId`.
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
  // Asked before the invitations are accepted, because one of them may be the permission.
  const mayFound = verified.organisationName !== null && (await mayRegister(unit, user.email))
  await acceptInvitations(unit, user)
  const registered =
    created && verified.organisationName && mayFound
      ? await createOrganisation(unit, user.id, verified.organisationName)
      : undefined
  const organisations = await organisationsOf(unit, user)
  if (organisations.length === 0) throw errors.invalid_code()
  const chosen = choose(organisations, input.organisationId, isOperator, registered)
  if (!chosen) throw errors.organisation_not_found()
  const sessionId = newId()
  if (await isNewDevice(unit, user.id, call)) await reportNewDevice(unit, chosen, user, { sessionId, call })
  await rememberAddress(unit, user.id, call.ip)
  return startSession(unit, user, chosen, { sessionId, call, confirmedAt: new Date() })
}

/** The requested organisation; else the operators' for an operator, the one just registered, or the oldest membership. */
function choose(
  organisations: readonly OrganisationSummary[],
  requestedId: string | undefined,
  isOperator: boolean,
  registered: OrganisationSummary | undefined,
): OrganisationSummary | undefined {
  if (requestedId) return organisations.find((each) => each.id === requestedId)
  return (isOperator && organisations.find((each) => each.role === 'operator')) || registered || organisations[0]
}
