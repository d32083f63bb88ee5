import { errors as commonErrors } from '@payments/kernel'
import type { QueryContext, Settings } from '@payments/platform'
import { OrganisationEntity, UserEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import { accountsSettings } from '../settings.ts'

/** True if OPERATOR_EMAILS contains the address now. Nothing else makes an operator, so removing an address is enough. */
export const isOperatorEmail = (settings: Settings, email: string): boolean =>
  accountsSettings.from(settings).OPERATOR_EMAILS.includes(email)

/** Is this user an operator now? One who was deleted is none. */
export async function isOperator({ em, runtime }: QueryContext, userId: string): Promise<boolean> {
  const user = await em.findOne(UserEntity, { id: userId }, { fields: ['email'], disableIdentityMap: true })
  return user !== null && isOperatorEmail(runtime.settings, user.email)
}

/**
 * Refuses a change of the members of the operators' organisation: the setting alone names them.
 * @throws ServiceError 409 in the operators' organisation.
 */
export async function refuseInOperators({ em, actor }: QueryContext): Promise<void> {
  const { organisationId: id } = actor
  const organisation = await em.findOne(OrganisationEntity, { id }, { fields: ['operator'] })
  if (!organisation) throw commonErrors.invalid_token()
  if (organisation.operator) throw errors.operators_are_configured()
}
