import { type BrandFields, checkLogo, mergeFields } from '@payments/branding'
import { checkCustomer, lockCustomer } from '@payments/customers'
import {
  addressField,
  amountField,
  assets,
  endOfDay,
  invalid,
  type Mistakes,
  NIL_ID,
  networkField,
  newId,
  refuseMistakes,
  unknownNetwork,
  zoneOf,
} from '@payments/kernel'
import { createResource, type QueryContext, refuseOwnAddresses, sqlOf, type UnitOfWork } from '@payments/platform'
import { type AvailableNetwork, availableNetworks } from '@payments/routes'
import type { z } from 'zod'
import { type CollectionRow, resourceOf } from '../entity.ts'
import type { NewCollection } from '../schemas.ts'
import { payUrlOf } from '../settings.ts'
import { DEFAULT_EMBED, type Discount, mergeEmbed } from '../terms/fields.ts'
import { type Totals, totalsOf } from '../terms/items.ts'
import { optionsOf } from '../terms/options.ts'
import { addressUse, mergePolicy, type PaymentPolicy } from '../terms/policy.ts'
import { type AskedPrice, held, inCents, toCents } from '../terms/prices.ts'
import { checkAddresses } from '../terms/return-urls.ts'
import type { IssuedInvoice, PaymentChoice } from '../terms/rows.ts'
import { checkTransfers } from '../terms/transfers.ts'
import { issuedNow } from './invoices/parties.ts'
import { defaultPolicy } from './policies.ts'

type Input = z.output<typeof NewCollection>

/** A checked request. */
export interface PreparedCollection {
  readonly totals: Totals | null
  readonly amount: bigint | null
  readonly pricing: AskedPrice | null
  readonly destinationAddress: string
  readonly paymentOptions: readonly PaymentChoice[]
  readonly paymentPolicy: PaymentPolicy
}

/**
 * Checks a request before the transaction.
 * @throws validation_failed 422 that names every wrong field, and the provider's 502 and 503
 */
export async function prepareCollection(context: QueryContext, input: Input): Promise<PreparedCollection> {
  const policy = await defaultPolicy(context)
  const networks = await availableNetworks(context, addressUse({ ...policy, ...input.paymentPolicy } as typeof policy))
  const wrong: Mistakes = {}
  checkFields(input, zoneOf(context.actor), wrong)
  checkAddresses(context.actor.environment, input, wrong)
  const destinationAddress = destination(input, networks, wrong)
  const paymentOptions = options(input, networks, wrong)
  const asset = assets[input.pricing?.currency ?? input.currency]
  const totals = input.items ? totalsOf(input.items, asset, input.pricing ? 'category' : 'line', input.discount) : null
  const amount = input.pricing ? null : (totals?.amount ?? amountOf(input, wrong))
  checkPricing(input, wrong)
  const { mismatch } = { ...policy, ...input.paymentPolicy } as typeof policy
  const methods = input.methods ?? ['onchain']
  if (!methods.includes('onchain'))
    wrong.methods = 'Must contain "onchain": a bank transfer is offered beside the networks'
  refuseMistakes(wrong)
  const pricing = pricingOf(input, totals)
  const price = pricing && (await held(context, pricing, input.currency))
  if (pricing && !price) throw invalid({ 'pricing.currency': `Not available for ${input.currency}` })
  if (methods.includes('bank_transfer')) {
    const field = input.items ? 'items' : price ? 'pricing.amount' : 'amount'
    const asked = { ...input, pricing, amount: price?.amount ?? amount, mismatch, field }
    await checkTransfers(context, asked, wrong)
    refuseMistakes(wrong)
  }
  await Promise.all([checkCustomer(context, input.customerId), refuseOwnAddresses(context, { destinationAddress })])
  if (input.branding) await checkLogo(context, input.branding as BrandFields, 'branding.logoId')
  const paymentPolicy = mergePolicy(policy, input.paymentPolicy, 'paymentPolicy.')
  return { totals, amount, pricing, destinationAddress, paymentOptions, paymentPolicy }
}

/** Fields that only some types have, and times that must lie ahead. */
function checkFields(input: Input, timeZone: string, wrong: Mistakes): void {
  const { type, amount, items, pricing } = input
  if (items && type !== 'invoice') wrong.items = 'Only an invoice has items'
  if (input.discount && !items) wrong.discount = 'Only an invoice with items has a discount'
  if (input.dueAt && type !== 'invoice') wrong.dueAt = 'Only an invoice has a due time'
  if (input.maxPayments && type !== 'link') wrong.maxPayments = 'Only a link takes several payments'
  if (items && amount) wrong.amount = 'Must be left out: it follows from the items'
  if (!items && !amount && !pricing && type !== 'link')
    wrong.amount =
      type === 'invoice' ? 'Required: an invoice needs an amount, a price or items' : 'Required for a checkout'
  if (input.expiresAt && !isAhead(input.expiresAt)) wrong.expiresAt = 'Must be in the future'
  if (input.dueAt && !isAhead(dueTime(input.dueAt, timeZone).toISOString())) wrong.dueAt = 'Must be in the future'
}

/** When an invoice is due: a date is the end of that day in its time zone, in which every document prints it. */
export const dueTime = (text: string, timeZone: string): Date =>
  text.includes('T') ? new Date(text) : endOfDay(timeZone, text)

export const isAhead = (time: string): boolean => Date.parse(time) > Date.now()

function destination(input: Input, networks: readonly AvailableNetwork[], wrong: Mistakes): string {
  const network = networkField(wrong, 'destinationChainKey', input.destinationChainKey, networks)
  if (!network) return ''
  if (!network.destinations.includes(input.currency))
    wrong.currency = `Not available on ${network.key}: one of ${network.destinations.join(', ')}`
  return addressField(wrong, 'destinationAddress', network.type, input.destinationAddress, input) ?? ''
}

function options(input: Input, networks: readonly AvailableNetwork[], wrong: Mistakes): PaymentChoice[] {
  const { acceptedNetworks, acceptedCurrencies } = input
  const unknown = acceptedNetworks?.find((key) => !networks.some((network) => network.key === key))
  if (unknown !== undefined) wrong.acceptedNetworks = unknownNetwork(unknown)
  const symbols = new Set(networks.flatMap(({ origins }) => origins as readonly string[]))
  const missing = acceptedCurrencies?.find((symbol) => !symbols.has(symbol))
  if (missing !== undefined)
    wrong.acceptedCurrencies = `Unknown currency "${missing}": one of ${[...symbols].join(', ')}`
  const found = optionsOf(networks, input)
  if (found.length === 0 && missing === undefined) wrong.acceptedNetworks ??= 'Payers can use none of them at present'
  return found
}

function amountOf({ amount, currency }: Input, wrong: Mistakes): bigint | null {
  return amount ? (amountField(wrong, 'amount', amount, assets[currency]) ?? null) : null
}

function checkPricing({ pricing, amount, items }: Input, wrong: Mistakes): void {
  if (!pricing) return
  if (amount) wrong.pricing = 'Must be left out: the amount is given'
  else if (items) {
    if (pricing.amount !== undefined) wrong['pricing.amount'] = 'Must be left out: it follows from the items'
  } else if (pricing.amount === undefined) wrong['pricing.amount'] = 'Required: only with items it follows from them'
  else amountField(wrong, 'pricing.amount', pricing.amount, assets[pricing.currency])
}

/** The price of a checked request: the given one, or what its items come to. */
function pricingOf({ pricing }: Input, totals: Totals | null): AskedPrice | null {
  if (!pricing) return null
  const { currency, amount = '' } = pricing
  if (!totals) return { currency, amount }
  return {
    currency,
    amount: inCents(totals.amount),
    subtotal: inCents(totals.subtotal),
    tax: inCents(totals.tax),
  }
}

/** The discount with the decimals of its currency. */
function discountIn({ totals, pricing }: PreparedCollection): Discount | null {
  if (!totals?.discount || !pricing) return totals?.discount ?? null
  return { ...totals.discount, amount: inCents(toCents(totals.discount.amount)) }
}

/** The columns of a prepared collection that follow from its request; a number is given to an invoice when it is created. */
function columnsOf({ actor, runtime }: QueryContext, id: string, input: Input, prepared: PreparedCollection) {
  const { organisationId, environment } = actor
  const time = (text: string | null | undefined) => (text ? new Date(text) : null)
  const due = input.dueAt ? dueTime(input.dueAt, zoneOf(actor)) : null
  return {
    id,
    organisationId,
    environment,
    type: input.type,
    title: input.title,
    description: input.description ?? null,
    amount: prepared.amount,
    pricing: prepared.pricing,
    // In minor units of `currency`; those of items in the currency of the price are in `pricing`.
    subtotal: prepared.pricing ? null : (prepared.totals?.subtotal ?? null),
    tax: prepared.pricing ? null : (prepared.totals?.tax ?? null),
    items: prepared.totals?.items ?? [],
    discount: discountIn(prepared),
    invoiceNumber: null as number | null,
    currency: input.currency,
    destinationChainKey: input.destinationChainKey,
    destinationAddress: prepared.destinationAddress,
    acceptedNetworks: input.acceptedNetworks ?? null,
    acceptedCurrencies: input.acceptedCurrencies ?? null,
    paymentOptions: prepared.paymentOptions,
    methods: input.methods ?? ['onchain'],
    customerId: input.customerId ?? null,
    timeZone: zoneOf(actor),
    dueAt: due,
    overdueAt: due,
    expiresAt: time(input.expiresAt),
    endsAt: time(input.expiresAt),
    maxPayments: input.maxPayments ?? null,
    filledAt: null,
    paymentsCount: 0,
    receivedAmount: 0n,
    redirectUrl: input.redirectUrl ?? null,
    cancelUrl: input.cancelUrl ?? null,
    allowedOrigins: input.allowedOrigins ?? [],
    embedConfig: mergeEmbed(DEFAULT_EMBED, input.embedConfig),
    branding: input.branding ? mergeFields({}, input.branding as BrandFields) : null,
    paymentPolicy: prepared.paymentPolicy,
    payUrl: payUrlOf(runtime.settings, id),
    sentAt: null,
    issued: null as IssuedInvoice | null,
    metadata: input.metadata ?? {},
  }
}

/** Creates the prepared collection. An invoice takes the next number of its organisation and environment, and keeps who issued it to whom. */
export async function createCollection(
  unit: UnitOfWork,
  input: Input,
  prepared: PreparedCollection,
): Promise<CollectionRow> {
  const columns = columnsOf(unit, newId(), input, prepared)
  if (input.type !== 'invoice') return createResource(unit, resourceOf(input.type), columns)
  // Until the end: a customer who is anonymised meanwhile is anonymised here too.
  if (columns.customerId) await lockCustomer(unit, columns.customerId)
  const issued = await issuedNow(unit, columns)
  // Last, because other invoices of the organisation wait from here on.
  const invoiceNumber = await nextNumber(unit)
  return createResource(unit, resourceOf(input.type), { ...columns, issued, invoiceNumber })
}

/** Stands in addresses of a collection that does not exist. */

/** The prepared collection as it would be created now, without a number. Nothing is stored. */
export function draftOf(context: QueryContext, input: Input, prepared: PreparedCollection): CollectionRow {
  const now = new Date()
  const { initial } = resourceOf(input.type).machine
  return { ...columnsOf(context, NIL_ID, input, prepared), status: initial, createdAt: now, updatedAt: now }
}

/** The next invoice number. Other invoices of the organisation wait until this transaction ends; one that fails gives its number back. */
async function nextNumber(unit: UnitOfWork): Promise<number> {
  const { organisationId, environment } = unit.actor
  const { rows } = await sqlOf(unit.em).query<{ last: number }>(
    `insert into invoice_counters as c (organisation_id, environment, last) values ($1, $2, 1)
     on conflict (organisation_id, environment) do update set last = c.last + 1 returning last`,
    [organisationId, environment],
  )
  if (!rows[0]) throw new Error('No invoice number')
  return rows[0].last
}
