import { Amount, items, millionthsOf, nameText, personal, shownText, text } from '@payments/kernel'
import { z } from 'zod'
import { originMistake, returnUrlMistake } from './return-urls.ts'

// Parts of the schemas of collections: what an invoice lists, how a page looks, which links are accepted.

const ITEMS = 100
const MOST_QUANTITY = 1_000_000
const ORIGINS = 20

const quantity = z.number().int().meta({ description: 'How many', example: 2 })
const taxPercent = z.number().meta({ description: 'Tax on this line, in percent, with up to 4 decimals', example: 7.5 })

const taxCategories = ['standard', 'zero_rated', 'exempt', 'reverse_charge', 'outside_scope'] as const
export type TaxCategory = (typeof taxCategories)[number]
const taxCategory = z.enum(taxCategories).meta({
  description:
    'Why this line has this tax, for invoices as structured data. `standard`: taxed, at any rate above 0; `zero_rated`: taxed at 0 %; `exempt`; `reverse_charge`: the buyer owes the tax; `outside_scope`: not subject to the tax',
  example: 'standard',
})

const NewItem = z.strictObject({
  description: personal(shownText(nameText(200)).meta({ description: 'What is sold', example: 'Consulting, one day' })),
  quantity: quantity.min(1).max(MOST_QUANTITY),
  unitAmount: Amount.meta({
    description: 'Price of one, without tax, in the currency of `pricing`, or else in `currency`',
  }),
  taxPercent: taxPercent
    .min(0)
    .max(100)
    .refine((percent) => millionthsOf(percent) !== undefined, 'Must have at most 4 decimals')
    .optional(),
  taxCategory: taxCategory.optional(),
  taxExemptionReason: shownText(nameText(200))
    .meta({ description: 'Why the line is exempt from tax', example: 'Education, exempt by law' })
    .optional(),
})

export const Item = z
  .object({
    description: personal(text('What is sold', 'Consulting, one day')),
    quantity,
    unitAmount: text('Price of one, without tax, as decimal text', '400'),
    taxPercent,
    taxCategory: taxCategory.nullable().meta({
      description: 'Why this line has this tax; null where it has none and nobody said why',
      example: 'standard',
    }),
    taxExemptionReason: text('Why the line is exempt from tax', 'Education, exempt by law').nullable(),
    subtotal: text('Price of all, without tax, as decimal text', '800'),
    tax: text('Tax of the line, as decimal text', '60'),
  })
  .meta({ id: 'CollectionItem', description: 'A line of an invoice' })
export type Item = z.infer<typeof Item>
export const Items = items('The lines of an invoice; empty for others', Item)
export const NewItems = z
  .array(NewItem)
  .min(1)
  .max(ITEMS)
  .meta({ description: 'Lines of an invoice, instead of `amount`, which then follows from them' })

const layouts = ['card', 'inline', 'minimal'] as const
const layout = z.enum(layouts).meta({ description: 'How an embedded page looks', example: 'card' })
const accentColor = z.string().meta({ description: 'Colour of buttons, `#rrggbb`', example: '#1a56db' })
const hideBrandFooter = z.boolean().meta({ description: 'Leaves out the footer of the service', example: false })

export const EmbedConfig = z
  .object({ layout, accentColor, hideBrandFooter })
  .meta({ id: 'EmbedConfig', description: 'The theme of the pay page' })
export type EmbedConfig = z.infer<typeof EmbedConfig>

export const EmbedConfigPatch = z
  .strictObject({
    layout: layout.optional(),
    accentColor: accentColor.regex(/^#[0-9a-f]{6}$/i, 'Must be a colour like "#1a56db"').optional(),
    hideBrandFooter: hideBrandFooter.optional(),
  })
  .meta({ description: 'The theme of the pay page; the rest keeps its defaults' })

export const DEFAULT_EMBED: EmbedConfig = { layout: 'card', accentColor: '#1a56db', hideBrandFooter: false }

/** A theme with some fields replaced. */
export const mergeEmbed = (base: EmbedConfig, change: z.output<typeof EmbedConfigPatch> = {}): EmbedConfig => ({
  layout: change.layout ?? base.layout,
  accentColor: change.accentColor?.toLowerCase() ?? base.accentColor,
  hideBrandFooter: change.hideBrandFooter ?? base.hideBrandFooter,
})

const checked = (mistake: (url: string) => string | undefined) => (url: string, context: z.RefinementCtx) => {
  const message = mistake(url)
  if (message) context.addIssue({ code: 'custom', message })
}

const ReturnUrl = z.string().max(2000).superRefine(checked(returnUrlMistake))

const PLACEHOLDERS =
  '`{SESSION_ID}` and `{STATUS}` in it are replaced by the id and the status of the session. `http://` only on a loopback address in the sandbox'

export const RedirectUrl = ReturnUrl.meta({
  description: `Where the payer goes after the payment. ${PLACEHOLDERS}`,
  example: 'https://merchant.example/thanks?session={SESSION_ID}',
})

export const CancelUrl = ReturnUrl.meta({
  description: `Where the payer goes without paying. ${PLACEHOLDERS}`,
  example: 'https://merchant.example/cart',
})

const Origin = z.string().max(300).superRefine(checked(originMistake))

export const AllowedOrigins = z
  .array(Origin)
  .max(ORIGINS)
  .transform((origins) => [...new Set(origins)])
  .meta({ description: 'Origins of the sites that may embed the pay page', example: ['https://merchant.example'] })
