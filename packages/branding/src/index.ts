/** How pages and emails to the payers of an organisation look, and who stands behind them. */
// Order, lowest first: errors, schemas, entity, settings, logos, pages, profile, domain, router, migrations.
import { domain } from '@payments/platform'
import { RECORD_MISSING, recheckDomains } from './domain/verification.ts'
import { entities } from './entity.ts'
import { errors } from './errors.ts'
import { migrations } from './migrations.ts'
import { pages } from './pages.ts'
import { IDENTITY_CHANGED } from './profile/identity.ts'
import { brandingRouter } from './router.ts'
import { brandingSettings } from './settings.ts'

export const branding = domain({
  name: 'branding',
  settings: brandingSettings,
  api: {
    tags: [
      { name: 'Branding', description: 'How your pages and emails look, and who stands behind them', position: 57 },
    ],
    router: { branding: brandingRouter },
    errors,
    pages,
  },
  data: { entities, migrations },
  work: {
    jobs: [recheckDomains],
    notificationTypes: {
      // All owners get an email about it, whatever the preferences say.
      [IDENTITY_CHANGED]: { description: 'What payers see of the organisation was changed in live', email: false },
      [RECORD_MISSING]: { description: 'The DNS record of your verified domain is missing', email: true },
    },
  },
})

/** SQL: a left join that adds `<alias>.fields` and `<alias>.verified_domain` of the tenant that a row of the table `of` belongs to. */
export const joinBranding = (alias: string, of: string): string =>
  `left join lateral (
     select fields, verified_domain from brandings where organisation_id = ${of}.organisation_id and environment = ${of}.environment limit 1) ${alias} on true`

export { logoForDocuments } from './logos/stored.ts'
export { allFields, type Brand, brandFrom, brandOf, checkLogo, mergeFields } from './profile/service.ts'
export { type BrandFields, BrandingFields, BrandingPatch } from './schemas.ts'
