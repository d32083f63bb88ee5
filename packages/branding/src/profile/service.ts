import { randomBytes } from 'node:crypto'
import { type Environment, invalid, pathInCell } from '@payments/kernel'
import { publicUrl, type QueryContext, type Settings, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { type Logo, readLogo } from '../logos/logo.ts'
import type { BrandFields, Branding, BrandingFields, BrandingPatch, LogoUpload } from '../schemas.ts'
import { protectIdentity } from './identity.ts'

interface Row {
  readonly fields: BrandFields
  readonly verification: string
  readonly verified_domain: string | null
}

/** Logos of an organisation in one environment: those of before stay, since collections and invoices name them. */
const MOST_LOGOS = 20

type Tenant = { readonly organisationId: string; readonly environment: Environment }

export async function rowOf({ em }: Pick<QueryContext, 'em'>, { organisationId, environment }: Tenant, lock = false) {
  const { rows } = await sqlOf(em).query<Row>(
    `select fields, verification, verified_domain from brandings where organisation_id = $1 and environment = $2${lock ? ' for update' : ''}`,
    [organisationId, environment],
  )
  return rows[0]
}

/** The row of the actor's tenant, locked; made now if it has none. */
export async function lockedRow(unit: UnitOfWork): Promise<Row> {
  const { organisationId, environment } = unit.actor
  await sqlOf(unit.em).query(
    `insert into brandings (organisation_id, environment, fields, verification) values ($1, $2, '{}', $3)
     on conflict (organisation_id, environment) do nothing`,
    [organisationId, environment, `payments-verification=${randomBytes(16).toString('hex')}`],
  )
  const row = await rowOf(unit, unit.actor, true)
  if (!row) throw new Error('The branding is gone')
  return row
}

/** The domain of the site; null without one. */
export const domainOf = ({ websiteUrl }: BrandFields): string | null =>
  websiteUrl && URL.canParse(websiteUrl) ? new URL(websiteUrl).hostname : null

/** Where the TXT record of a domain is. */
export const recordName = (domain: string): string => `_payments-verification.${domain}`

/** Every field; what is not chosen is null. */
export const allFields = (fields: BrandFields): z.infer<typeof BrandingFields> => ({
  displayName: fields.displayName ?? null,
  accentColor: fields.accentColor ?? null,
  backgroundColor: fields.backgroundColor ?? null,
  colorScheme: fields.colorScheme ?? null,
  supportEmail: fields.supportEmail ?? null,
  supportUrl: fields.supportUrl ?? null,
  websiteUrl: fields.websiteUrl ?? null,
  legalName: fields.legalName ?? null,
  address: fields.address ?? null,
  country: fields.country ?? null,
  taxId: fields.taxId ?? null,
  termsUrl: fields.termsUrl ?? null,
  privacyUrl: fields.privacyUrl ?? null,
  logoId: fields.logoId ?? null,
})

/** The path of a logo on this service. */
const logoPath = (id: string | null): string | null => id && pathInCell(`/branding/logos/${id}`)

/** How pages and emails to a merchant's payers look, and who stands behind them. */
export type Brand = z.infer<typeof BrandingFields> & {
  readonly logoPath: string | null
  /** The domain of the site, where the merchant has shown that it is theirs. */
  readonly verifiedDomain: string | null
}

/** The branding of an organisation with the fields that a collection overrides. */
export function brandFrom(
  own: { readonly fields: BrandFields; readonly verifiedDomain: string | null } | undefined,
  override: BrandFields | null | undefined,
): Brand {
  const given = Object.fromEntries(Object.entries(override ?? {}).filter(([, value]) => value !== null))
  const fields = allFields({ ...own?.fields, ...given })
  const domain = domainOf(fields)
  return {
    ...fields,
    logoPath: logoPath(fields.logoId),
    verifiedDomain: domain !== null && domain === own?.verifiedDomain ? domain : null,
  }
}

/** The branding of a tenant with the fields that a collection overrides. */
export async function brandOf(
  context: Pick<QueryContext, 'em'>,
  tenant: Tenant,
  override: BrandFields | null | undefined,
): Promise<Brand> {
  const row = await rowOf(context, tenant)
  return brandFrom(row && { fields: row.fields, verifiedDomain: row.verified_domain }, override)
}

/** The branding as the API shows it. */
export function present(row: Row | undefined, settings: Settings): z.infer<typeof Branding> {
  const {
    logoPath: path,
    verifiedDomain,
    ...fields
  } = brandFrom(row && { fields: row.fields, verifiedDomain: row.verified_domain }, undefined)
  const domain = domainOf(fields)
  return {
    ...fields,
    logoUrl: path && `${publicUrl(settings)}${path}`,
    domainVerified: verifiedDomain !== null,
    domainRecord: row && domain ? { name: recordName(domain), value: row.verification } : null,
  }
}

/** The branding of the actor's tenant. */
export const branding = async (context: QueryContext): Promise<z.infer<typeof Branding>> =>
  present(await rowOf(context, context.actor), context.runtime.settings)

/** Fields with some replaced; null goes back to the default. */
export const mergeFields = (base: BrandFields, change: BrandFields): BrandFields =>
  Object.fromEntries(
    Object.entries({ ...base, ...change }).filter(([, value]) => value !== null && value !== undefined),
  )

/** @throws validation_failed 422 for a logo that the tenant has not uploaded */
export async function checkLogo({ em, actor }: QueryContext, { logoId }: BrandFields, field: string): Promise<void> {
  if (!logoId) return
  const { rows } = await sqlOf(em).query(
    'select from brand_logos where organisation_id = $1 and environment = $2 and id = $3',
    [actor.organisationId, actor.environment, logoId],
  )
  if (rows.length === 0) throw invalid({ [field]: 'Logo not found: upload it with PUT /branding/logo' })
}

async function save(unit: UnitOfWork, row: Row, change: BrandFields): Promise<z.infer<typeof Branding>> {
  const fields = mergeFields(row.fields, change)
  await protectIdentity(unit, row.fields, fields)
  // Another site has another domain, which is not verified yet.
  const verified = domainOf(fields) === row.verified_domain ? row.verified_domain : null
  await sqlOf(unit.em).query(
    `update brandings set fields = $3, verified_domain = $4, updated_at = now(),
            verified_at = case when $4::text is not null then verified_at end,
            recheck_at = case when $4::text is not null then recheck_at end,
            missed_at = case when $4::text is not null then missed_at end
      where organisation_id = $1 and environment = $2`,
    [unit.actor.organisationId, unit.actor.environment, JSON.stringify(fields), verified],
  )
  return present({ ...row, fields, verified_domain: verified }, unit.runtime.settings)
}

/** Changes the branding of the actor's tenant. @throws validation_failed 422; 403 in live, see {@link protectIdentity} */
export async function changeBranding(
  unit: UnitOfWork,
  change: z.output<typeof BrandingPatch>,
): Promise<z.infer<typeof Branding>> {
  const row = await lockedRow(unit)
  await checkLogo(unit, change as BrandFields, 'logoId')
  return save(unit, row, change as BrandFields)
}

/**
 * Reads the image of a logo, before the transaction.
 * @throws validation_failed 422 for what is no image, or is too small, too large or too costly to decode; busy 503
 */
export async function readUpload(
  { actor }: QueryContext,
  { image }: z.output<typeof LogoUpload>,
  signal: AbortSignal | undefined,
): Promise<Logo> {
  const logo = await readLogo(actor.organisationId, Buffer.from(image, 'base64'), signal)
  if ('mistake' in logo) throw invalid({ image: logo.mistake })
  return logo
}

/** Stores a logo and chooses it. @throws validation_failed 422 when the tenant has as many others as it may have */
export async function uploadLogo(unit: UnitOfWork, logo: Logo): Promise<z.infer<typeof Branding>> {
  const { organisationId, environment } = unit.actor
  const row = await lockedRow(unit)
  const { rows } = await sqlOf(unit.em).query<{ others: number }>(
    'select count(*)::int as others from brand_logos where organisation_id = $1 and environment = $2 and id <> $3',
    [organisationId, environment, logo.id],
  )
  if ((rows[0]?.others ?? 0) >= MOST_LOGOS)
    throw invalid({ image: `You have ${MOST_LOGOS} logos, which is the most: choose one of them by its \`logoId\`` })
  await sqlOf(unit.em).query(
    `insert into brand_logos (organisation_id, environment, id, type, image) values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [organisationId, environment, logo.id, logo.type, logo.image],
  )
  return save(unit, row, { logoId: logo.id })
}

/** Shows no logo any more. */
export const removeLogo = async (unit: UnitOfWork): Promise<z.infer<typeof Branding>> =>
  save(unit, await lockedRow(unit), { logoId: null })
