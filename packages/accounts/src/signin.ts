import type { UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { type Proven, spendCode } from './challenges.ts'
import { errors } from './errors.ts'
import { acceptInvitations } from './invitations.ts'
import { foundOrganisation, joinOperators, type OrganisationSummary, organisationsOf, userOf } from './members.ts'
import type { Tokens, Verify } from './schemas.ts'
import { startSession } from './sessions.ts'
import { accountsSettings } from './settings.ts'

/**
 * Spends a proven code and signs in. Whoever holds the mailbox joins what it was invited to, and the operators if the
 * settings name it; a registration of a new user founds the organisation.
 * @throws ServiceError 401 when the email belongs nowhere, 404 when the organisation asked for is none of the user's.
 */
export async function verify(
  unit: UnitOfWork,
  input: z.output<typeof Verify>,
  proven: Proven,
): Promise<z.input<typeof Tokens>> {
  await spendCode(unit, input.challengeId)
  const { user, created } = await userOf(unit, proven.email, proven.fullName)
  const operates = accountsSettings.from(unit.runtime.settings).OPERATOR_EMAILS.includes(user.email)
  if (operates) await joinOperators(unit, user.id)
  await acceptInvitations(unit, user)
  const founded =
    created && proven.organisationName ? await foundOrganisation(unit, user.id, proven.organisationName) : undefined
  const organisations = await organisationsOf(unit, user.id)
  if (organisations.length === 0) throw errors.invalid_code()
  const chosen = choose(organisations, input.organisationId, operates, founded)
  if (!chosen) throw errors.organisation_not_found()
  return startSession(unit, user, chosen)
}

/** The organisation asked for; else the operators' for an operator, the one just founded, or the oldest. */
function choose(
  organisations: readonly OrganisationSummary[],
  asked: string | undefined,
  operates: boolean,
  founded: OrganisationSummary | undefined,
): OrganisationSummary | undefined {
  if (asked) return organisations.find((each) => each.id === asked)
  return (operates && organisations.find((each) => each.role === 'operator')) || founded || organisations[0]
}
