import { defineEntity, p } from '@mikro-orm/core'
import { foreignKeys, index, ofOrganisation, tenant } from '@payments/platform'
import type { BrandFields } from './schemas.ts'

const BrandingEntity = defineEntity({
  name: 'Branding',
  tableName: 'brandings',
  properties: {
    organisationId: p.uuid().primary(),
    environment: tenant().environment.primary(),
    fields: p.json().$type<BrandFields>(),
    /** What the DNS record says. */
    verification: p.text(),
    verifiedDomain: p.text().nullable(),
    verifiedAt: p.datetime(3).nullable(),
    /** When the verified domain is looked at again; null while there is none. */
    recheckAt: p.datetime(3).nullable(),
    /** When the last look found no record. */
    missedAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
  ...foreignKeys(ofOrganisation),
})

/** Logos that were uploaded. They stay: pages that were shown before may load them. */
const LogoEntity = defineEntity({
  name: 'BrandLogo',
  tableName: 'brand_logos',
  properties: {
    organisationId: p.uuid().primary(),
    environment: tenant().environment.primary(),
    /** Digest of the image. */
    id: p.text().primary(),
    type: p.enum(['image/png', 'image/jpeg']),
    image: p.blob().check('length(image) <= 262144'),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [index('brand_logos_id', ['id'])],
  ...foreignKeys(ofOrganisation),
})

export const entities = [BrandingEntity, LogoEntity]
