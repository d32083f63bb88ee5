import { emailOwners, merchantProfile, requireConfirmedOwner } from '@payments/accounts'
import { notify } from '@payments/notifications'
import type { UnitOfWork } from '@payments/platform'
import type { BrandFields } from '../schemas.ts'

/** By what payers know whom they pay, and where they ask: names, the support address, and every link. */
const IDENTITY = {
  displayName: 'name that payers see',
  legalName: 'registered name',
  supportEmail: 'support email',
  supportUrl: 'support page',
  websiteUrl: 'website',
  termsUrl: 'terms of sale',
  privacyUrl: 'privacy notice',
} as const satisfies { readonly [Name in keyof BrandFields]?: string }

/** Type of the notification about a change of them. */
export const IDENTITY_CHANGED = 'branding.changed'

/**
 * In live, a stolen key or an old session must not speak to payers as somebody else: only an owner with a confirmed session changes a name, a
 * support address or a link, and all owners are told, by an email that no preference switches off. What stays as it was is no change.
 * @throws ServiceError 403 in live for everybody else
 */
export async function protectIdentity(unit: UnitOfWork, before: BrandFields, after: BrandFields): Promise<void> {
  const { organisationId, environment, email } = unit.actor
  if (environment !== 'live') return
  const changes = Object.entries(IDENTITY).flatMap(([name, label]) => {
    const [was, is] = [before[name as keyof BrandFields] ?? null, after[name as keyof BrandFields] ?? null]
    return was === is ? [] : [`${label} ${is === null ? '(removed)' : `"${is}"`}`]
  })
  if (changes.length === 0) return
  await requireConfirmedOwner(unit)
  const title = 'What payers see of you was changed'
  const body = `${email ?? 'The service'} changed in live: ${changes.join(', ')}`
  const resource = { type: 'organisation', id: organisationId }
  notify(unit, { organisationId, environment, type: IDENTITY_CHANGED, title, body, resource })
  const { name: organisationName } = await merchantProfile(unit, organisationId)
  const unexpected = 'end all sessions of the member who changed it, and change the branding back'
  await emailOwners(unit, { organisationId, organisationName }, { title, body, unexpected })
}
