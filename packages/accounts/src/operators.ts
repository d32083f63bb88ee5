import { errors as commonErrors } from '@payments/kernel'
import type { QueryContext, Settings } from '@payments/platform'
import { OrganisationEntity } from './entity.ts'
import { errors } from './errors.ts'
import { accountsSettings } from './settings.ts'

/** True if OPERATOR_EMAILS contains the address now. Nothing else makes an operator, so removing an address is enough. */
export const isOperatorEmail = (settings: Settings, email: string): boolean =>
  accountsSettings.from(settings).OPERATOR_EMAILS.includes(email)

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
