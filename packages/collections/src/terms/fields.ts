import { Amount, items, millionthsOf, nameText, personal, shownText, text } from '@payments/kernel'
import { z } from 'zod'
import { originMistake, returnUrlMistake } from './return-urls.ts'

// Parts of the schemas of collections: what an invoice lists, how a page looks, which links are accepted.

const ITEMS = 100
const MOST_QUANTITY = 1_000_000
const ORIGINS = 20

const quantity = z
  .number()
  .int()
  .meta({ description: 'How many, in whole numbers; see `quantityDecimal` for parts of one', example: 2 })
const QUANTITY_DECIMALS = 6
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
  quantity: quantity.min(1).max(MOST_QUANTITY).optional(),
  quantityDecimal: Amount.refine(
    (text) => (text.split('.')[1]?.replace(/0+$/, '').length ?? 0) <= QUANTITY_DECIMALS,
    `Must have at most ${QUANTITY_DECIMALS} decimals`,
  )
    .refine((text) => Number(text) <= MOST_QUANTITY, `Must be at most ${MOST_QUANTITY}`)
    .meta({ description: 'How many, as decimal text with up to 6 decimals, in place of `quantity`', example: '0.5' })
    .optional(),
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
    quantity: quantity.meta({ description: 'How many, without the decimals of `quantityDecimal`', example: 2 }),
    quantityDecimal: text('How many, exactly, as decimal text', '2'),
    unitAmount: text('Price of one, without tax, as decimal text', '400'),
    taxPercent,
    taxCategory: taxCategory.nullable().meta({
      description: 'Why this line has this tax; null where it has none and nobody said why',
      example: 'standard',
    }),
    taxExemptionReason: text('Why the line is exempt from tax', 'Education, exempt by law').nullable(),
    subtotal: text('Price of all, without tax and before the discount of the invoice, as decimal text', '800'),
    discount: text('Its part of the discount of the invoice, as decimal text', '0'),
    tax: text('Tax of the line, on what the discount leaves, as decimal text', '60'),
  })
  .meta({ id: 'CollectionItem', description: 'A line of an invoice' })
export type Item = z.infer<typeof Item>

/** A line as it is stored. Invoices of releases before had whole quantities and no discounts. */
export type StoredItem = Omit<Item, 'quantityDecimal' | 'discount'> &
  Partial<Pick<Item, 'quantityDecimal' | 'discount'>>

/** A stored line as every document shows it. */
export const itemOf = (stored: StoredItem): Item => ({
  ...stored,
  quantityDecimal: stored.quantityDecimal ?? String(stored.quantity),
  discount: stored.discount ?? '0',
})
export const Items = items('The lines of an invoice; empty for others', Item)
export const NewItems = z
  .array(NewItem)
  .min(1)
  .max(ITEMS)
  .meta({ description: 'Lines of an invoice, instead of `amount`, which then follows from them' })

const discountPercent = z
  .number()
  .meta({ description: 'Of the sum of the items, in percent, with up to 4 decimals', example: 10 })
const discountReason = nameText(200).meta({ description: 'Why, as the invoice says it', example: 'Early payment' })

export const NewDiscount = z
  .strictObject({
    percent: discountPercent
      .min(0.0001)
      .max(99.9999)
      .refine((percent) => millionthsOf(percent) !== undefined, 'Must have at most 4 decimals')
      .optional(),
    amount: Amount.optional().meta({
      description: 'In place of `percent`, in the currency of the items',
      example: '80',
    }),
    description: personal(shownText(discountReason)).optional(),
  })
  .meta({
    description:
      'What is taken off the sum of the items before tax: `percent` or `amount`. Each rate of tax bears its part of it',
    example: { percent: 10, description: 'Early payment' },
  })

export const Discount = z
  .object({
    percent: discountPercent.nullable(),
    amount: text('What is taken off, in the currency of the items, as decimal text', '80'),
    description: personal(text('Why, as the invoice says it', 'Early payment')).nullable(),
  })
  .meta({ description: 'What is taken off the sum of the items before tax; null without a discount' })
export type Discount = z.infer<typeof Discount>

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
