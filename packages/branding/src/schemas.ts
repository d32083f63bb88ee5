import { countryCode, nameText, shownName, shownText, text } from '@payments/kernel'
import { z } from 'zod'

const MOST_URL = 300
const MOST_ADDRESS = 300
/** Base64 of 64 kB: a request has at most 100 kB. */
const MOST_IMAGE = 87_400

const colour = (description: string, example: string) =>
  z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'Must be a colour like "#1a56db"')
    .transform((given) => given.toLowerCase())
    .meta({ description, example })

const isWebAddress = (given: string): boolean => {
  const url = /[\s\\]/.test(given) || !URL.canParse(given) ? undefined : new URL(given)
  return url?.protocol === 'https:' && !url.username && !url.password
}
const webAddress = (description: string, example: string) =>
  z
    .string()
    .max(MOST_URL)
    .refine(isWebAddress, 'Must be an https:// URL without a user name or password')
    .meta({ description, example })

const schemes = ['light', 'dark', 'system'] as const
const LOGO_ID = /^[0-9a-f]{64}$/

/** What a merchant chooses, without the logo. Null: not chosen. */
const chosen = {
  displayName: shownName(60).meta({
    description: 'Name that payers see, instead of that of the organisation',
    example: 'Ada’s workshop',
  }),
  accentColor: colour('Colour of buttons and links, darkened or lightened where it could not be read', '#0f766e'),
  backgroundColor: colour('Colour around the page; texts on it are black or white, as can be read', '#ecfdf5'),
  colorScheme: z.enum(schemes).meta({ description: '`system` follows the device of the payer', example: 'system' }),
  supportEmail: z
    .email()
    .max(254)
    .meta({ description: 'Where payers ask; emails to them are answered there', example: 'help@merchant.example' }),
  supportUrl: webAddress('Page where payers ask', 'https://merchant.example/help'),
  websiteUrl: webAddress('Your site; its domain can be verified', 'https://merchant.example'),
  legalName: shownName(120).meta({
    description: 'Who is paid, as the register writes it',
    example: 'Ada Workshop Ltd',
  }),
  address: shownText(z.string().min(1).max(MOST_ADDRESS)).meta({
    description: 'Postal address',
    example: '1 Marina, Lagos',
  }),
  country: countryCode().meta({ description: 'Country of the address, ISO 3166-1 alpha-2', example: 'NG' }),
  taxId: shownText(nameText(60)).meta({
    description: 'Tax number; a VAT number with the letters of its country, such as `DE123456789`',
    example: '12345678-0001',
  }),
  termsUrl: webAddress('Terms of sale', 'https://merchant.example/terms'),
  privacyUrl: webAddress('Privacy notice', 'https://merchant.example/privacy'),
}
const logoId = z
  .string()
  .regex(LOGO_ID, 'Must be the logoId of an uploaded logo')
  .meta({ description: 'Which of the uploaded logos', example: 'ab'.repeat(32) })

type Fields = typeof chosen & { logoId: typeof logoId }
/** A choice of fields, as it is stored. */
export type BrandFields = { readonly [Name in keyof Fields]?: z.output<Fields[Name]> | null }

const optional = <S extends z.ZodType>(schema: S) => schema.nullable().optional()
const change = {
  displayName: optional(chosen.displayName),
  accentColor: optional(chosen.accentColor),
  backgroundColor: optional(chosen.backgroundColor),
  colorScheme: optional(chosen.colorScheme),
  supportEmail: optional(chosen.supportEmail),
  supportUrl: optional(chosen.supportUrl),
  websiteUrl: optional(chosen.websiteUrl),
  legalName: optional(chosen.legalName),
  address: optional(chosen.address),
  country: optional(chosen.country),
  taxId: optional(chosen.taxId),
  termsUrl: optional(chosen.termsUrl),
  privacyUrl: optional(chosen.privacyUrl),
  logoId: optional(logoId),
}

/** A change: null goes back to the default. */
export const BrandingPatch = z.strictObject(change).meta({
  description: 'Only the fields that differ; null goes back to the default',
  example: { accentColor: '#0f766e', supportEmail: 'help@merchant.example' },
})

const shown = (description: string, example: string) => text(description, example).nullable()

/** What is chosen now; what is not is null. */
export const BrandingFields = z
  .object({
    displayName: shown('Name that payers see', 'Ada’s workshop'),
    accentColor: shown('Colour of buttons and links', '#0f766e'),
    backgroundColor: shown('Colour around the page', '#ecfdf5'),
    colorScheme: z.enum(schemes).nullable().meta({ description: 'Light, dark or as the device', example: 'system' }),
    supportEmail: shown('Where payers ask', 'help@merchant.example'),
    supportUrl: shown('Page where payers ask', 'https://merchant.example/help'),
    websiteUrl: shown('Your site', 'https://merchant.example'),
    legalName: shown('Who is paid, as the register writes it', 'Ada Workshop Ltd'),
    address: shown('Postal address', '1 Marina, Lagos'),
    country: shown('Country of the address, ISO 3166-1 alpha-2', 'NG'),
    taxId: shown('Tax number', '12345678-0001'),
    termsUrl: shown('Terms of sale', 'https://merchant.example/terms'),
    privacyUrl: shown('Privacy notice', 'https://merchant.example/privacy'),
    logoId: shown('Which of the uploaded logos', 'ab'.repeat(32)),
  })
  .meta({ id: 'BrandingFields', description: 'How pages and emails to payers look, and who stands behind them' })

export const Branding = BrandingFields.extend({
  logoUrl: shown('Address of the logo', `https://pay.example/branding/logos/${'ab'.repeat(32)}`),
  domainVerified: z.boolean().meta({
    description: 'The domain of `websiteUrl` carries your DNS record',
    example: false,
  }),
  domainRecord: z
    .object({
      name: text('Name of the TXT record', '_payments-verification.merchant.example'),
      value: text('What it says', 'payments-verification=5f0c…'),
    })
    .nullable()
    .meta({ description: 'The DNS record that verifies the domain; null without `websiteUrl`' }),
}).meta({ id: 'Branding', description: 'The branding of an organisation' })

export const LogoUpload = z.strictObject({
  image: z.base64().max(MOST_IMAGE, 'Must be at most 64 kB').meta({
    description: 'A PNG or JPEG image in base64: at most 64 kB, and 16 to 1,024 pixels wide and high',
    example:
      'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAALklEQVR4AZXBAQEAMAiAME4Mg728ZczA9uYvhUQSSSSRRBJJJJFEEkkkkUQSSXQmpQFrnpqUfQAAAABJRU5ErkJggg==',
  }),
})
